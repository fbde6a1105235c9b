"""Predictions of runs: where a loss moves a point that lies among another class, and what a recorded run shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from dml_viz.analysis import response_to
from dml_viz.data.wire import messages, unpack
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.metrics import retrieval
from dml_viz.engine.recordings import FOLDER
from dml_viz.losses import Loss
from dml_viz.room.prediction import Drag, Prediction, angles, way

STEPS, STRIDE = 60, 0.05  # steps of a descent; the mean angle in radians by which moving points turn in its first step
SCENE, STRAY = "one hard negative", 4  # the scene, and its point that lies among another class
M = TypeVar("M", bound=EmbeddingsModel[Any])


def carried(embeddings: Embeddings, loss: Loss) -> np.ndarray:
    """The rows (`STEPS` + 1, N, d) of points that follow the gradient of ``loss``, without a net."""
    start = response_to(embeddings, loss)
    moved = start.tangent_lengths[start.tangent_lengths > 0]
    rate = STRIDE / float(moved.mean()) if len(moved) else 0.0
    return np.stack([state.inputs.z.numpy() for state in start.flow(STEPS, rate, rate)])


def carries(
    key: str, loss_of: Callable[[M], Loss], hides: tuple[str, ...], settings: Mapping[str, Any] | None = None
) -> Prediction[M]:
    """The prediction of the room ``key``: the visitor drags the point to the place where the model's loss moves it."""

    def says(before: M, after: M) -> str:
        rows, loss, y = carried(before.embeddings, loss_of(before)), loss_of(before), before.y
        angle, classmates = angles(rows)[:, STRAY] % 360, np.flatnonzero(y == y[STRAY])
        home = angles(rows[0])[classmates[classmates != STRAY]] % 360
        first, last = (retrieval(z, before.embeddings.y).map for z in (rows[0], rows[-1]))
        return (
            f"{loss.name} carries it from {angle[0]:.0f}° to {angle[-1]:.0f}°. Its class began at {home.min():.0f}° to "
            f"{home.max():.0f}°. Mean average precision goes from {first:.2f} to {last:.2f}."
        )

    return Prediction(
        f"{key}.carried",
        "Drag: where does the loss carry a point?",
        lambda model: (
            f"Point {STRAY}, in the dashed ring, lies among another class. Drag it to where "
            f"{loss_of(model).name} carries it in {STEPS} small steps."
        ),
        Drag(STRAY),
        lambda before, after: way(carried(before.embeddings, loss_of(before)), STRAY),
        says,
        {f"{key}.scene": SCENE, **(settings or {})},
        hides=hides,
    )


@dataclass(frozen=True)
class RecordedRecall:
    """R@1 of unseen images (members, seeds) before and after ``steps``, that of raw pixels, and the members' titles."""

    titles: tuple[str, ...]
    steps: int
    before: np.ndarray
    after: np.ndarray
    pixels: float


@cache
def read_recorded_recall(name: str) -> RecordedRecall:
    """Read recall before and after the steps, titles, and the score of raw pixels from the recording ``name``."""
    subject, *frames = (unpack(message) for message in messages((FOLDER / f"{name}.bin").read_bytes()))
    header = subject[0]
    titles = tuple(member["title"] for member in header["members"])

    def scores(frame: tuple[dict[str, object], dict[str, np.ndarray]]) -> np.ndarray:
        columns = list(frame[0]["columns"])  # type: ignore[call-overload]
        rows = frame[1]["rows"][-1, 1:].reshape(len(titles), -1, len(columns))
        return np.asarray(rows[..., columns.index("r1.unseen")])

    return RecordedRecall(titles, int(frames[-1][0]["step"]), scores(frames[0]), scores(frames[-1]), header["baseline"]["unseen"])
