"""Frames of a watched loop, read from its messages and checked."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.data.eval_points import EvaluationSubset
from dml_viz.data.wire import in_smallest_type, unpack
from dml_viz.embedding.pca import DRAWN_UP_TO, main_plane, share_shown
from dml_viz.embedding.ranking import unit_rows
from dml_viz.training.frame import Frame, diagnosis, neighbours_scores_and_curves
from dml_viz.training.state import Floats
from dml_viz.training.watch.message import MOST_ROWS, VERSION
from dml_viz.training.watch.steps import Losses
from dml_viz.training.watch.tensors import SIDE

GROUP = "unseen"
MOST_DIMS, LONGEST_NAME = 8192, 100  # letters of a name
STEPS, LARGEST_NUMBER = 2**31, 1e15  # of a run; of a number
READ = (1, VERSION)  # versions of messages; the first has no values of steps without a frame
DIVERGED_ABOVE = 2.0  # times the first loss: the loss differs from batch to batch, with a miner even more


@dataclass(frozen=True)
class NamedStandIn:
    """A stand-in for a loss or a data set that is known by its ``title`` alone."""

    title: str

    @property
    def name(self) -> str:
        """The title."""
        return self.title


@dataclass(frozen=True)
class WatchedRun:
    """The declaration of a run that is trained elsewhere, under the names of a `Run`."""

    loss: NamedStandIn
    dataset: NamedStandIn
    dim: int
    stride: int
    net: str
    protocol: str  # "probe", or "batch" where each frame shows another one
    steps: int = 0  # unknown


@dataclass(frozen=True, eq=False)
class Received:
    """A message of a loop: its run, its frame, the points of all frames, and the newest batch, for *Name that loss*.

    ``losses`` are the values at the steps since the last message; None of older senders.

    ``facts`` are numbers about the watching: steps from frame to frame ("apart"), frames "due" and "delivered", "rows" of the
    batch, "seconds" so far, and seconds to the next frame ("wait").
    """

    run: WatchedRun
    frame: Frame
    subset: EvaluationSubset
    batch: Mapping[str, Any]
    facts: Mapping[str, float]
    device: str
    losses: Losses | None = None


def received(body: bytes, plane: Floats | None, first_loss: float, images: NDArray[np.uint8] | None) -> Received | Losses:
    """A loop's message ``body``: a frame, or values of its loss; ValueError, in a sentence, for other bytes.

    ``plane``, ``first_loss`` and ``images`` are of the first frame.
    """
    header, arrays = opened(body)
    losses = _losses(header, arrays)
    if header.get("kind") == "values":
        return losses or Losses(1, np.zeros(0, np.float32))
    z, y, names = _points(header, arrays, "")
    probe = bool(header.get("probe"))
    step, rows, name = _whole(header, "step"), _whole(header, "rows"), str(header.get("name"))[:LONGEST_NAME]
    images = _images(arrays["images"], len(y)) if "images" in arrays else images
    where = f"a probe of {len(y)} points" if probe else "its own batches"
    every, net = _whole(header, "every"), str(header.get("net", ""))[:LONGEST_NAME]
    run = WatchedRun(NamedStandIn(name), NamedStandIn(where), z.shape[1], every, net, "probe" if probe else "batch")
    batch = _batch(header, arrays, "batch." if probe else "")
    frame = _frame(step, z, y, arrays.get("proxies"), batch, rows, plane, first_loss, probe)
    if not probe:
        frame = replace(frame, arrays={**frame.arrays, "y": in_smallest_type(y)}, names=names)
    facts = {key: _number(header, key) for key in ("apart", "due", "delivered", "rows", "seconds", "wait")}
    n, classes = len(y), tuple(range(len(names)))
    shown = images if images is not None and len(images) == n else np.zeros((n, 0, 0), np.uint8)
    near = np.zeros((n, 0), np.uint16)
    subset = EvaluationSubset(y, np.ones(n, bool), shown, names, (0,) * len(names), ("",), classes, {}, near)
    return Received(run, frame, subset, batch, facts, str(header.get("device", ""))[:LONGEST_NAME], losses)


def opened(body: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a message; ValueError, in a sentence, for other bytes."""
    try:
        header, arrays = unpack(body)
        version = header.get("version")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError("this is no message of dml_viz.watch") from error
    if version not in READ:
        raise ValueError(f"messages of version {' and '.join(map(str, READ))} are read; install the same dml_viz on both sides")
    return header, arrays


def _frame(
    step: int,
    z: Floats,
    y: NDArray[np.int64],
    proxies: NDArray[Any] | None,
    batch: Mapping[str, Any],
    rows: int,
    plane: Floats | None,
    first_loss: float,
    probe: bool,
) -> Frame:
    grad, value = batch.get("grad"), batch["value"]
    terms = {"the loss": np.array(value), "the gradient at the embeddings": np.zeros(1) if grad is None else grad}
    fault = next((what for what, array in terms.items() if not np.isfinite(array).all()), "")
    lengths = np.linalg.norm(batch["z"], axis=1)
    unit = torch.nn.functional.normalize(torch.from_numpy(np.nan_to_num(z, posinf=0, neginf=0)), dim=1)
    if z.shape[1] <= DRAWN_UP_TO:
        axes = None
    else:
        axes = main_plane(unit) if plane is None or len(plane) != z.shape[1] else torch.from_numpy(plane)
    points = unit_rows(unit, y)
    near, scalars, arrays = neighbours_scores_and_curves(points, GROUP)
    lost = int((~np.isfinite(z).all(1)).sum())
    if lost:  # what is drawn at 0 was not found anywhere
        scalars = dict.fromkeys(scalars, math.nan)
        arrays = {name: np.full_like(array, math.nan) for name, array in arrays.items()}
    active = float((grad != 0).any(1).mean()) if grad is not None and np.isfinite(grad).all() else math.nan
    norm = math.nan if grad is None else float(np.linalg.norm(grad))
    scalars |= {"loss": value, "batch": float(rows), "active": active, "grad": norm, "mean.length": float(lengths.mean())}
    if axes is not None:
        scalars["plane.share"] = share_shown(unit, axes)
    arrays |= {"near": near, "view": (unit if axes is None else unit @ axes).numpy()}
    learnt: dict[str, Floats] = {}
    if proxies is not None and np.isfinite(proxies).all():
        if proxies.ndim != 2 or proxies.shape[1] != z.shape[1] or len(proxies) % (int(y.max()) + 1):
            raise ValueError("the proxies do not fit the rows")
        directions = torch.nn.functional.normalize(torch.from_numpy(proxies.astype(np.float32)), dim=1)
        learnt["proxies"] = directions.numpy()
        arrays["proxies"] = (directions if axes is None else directions @ axes).numpy()
    points_of = "the points of the probe" if probe else "the points of the batch"
    notes = diagnosis(value, first_loss, active, unit, points_of, DIVERGED_ABOVE)
    if lost:
        notes = (
            f"At step {step} {lost} of {len(z)} embeddings are not finite: their places mean nothing, and nothing is scored.",
        )
    elif fault:
        notes = (f"At step {step} {fault} is not finite.",)
    return Frame(step, unit.numpy(), learnt, scalars, arrays, notes, None if axes is None else axes.numpy())


def _points(
    header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], prefix: str
) -> tuple[Floats, NDArray[np.int64], tuple[str, ...]]:
    """Rows (n, d), labels (n,) from 0, and names of the classes; ValueError where they do not fit together."""
    z, y = arrays.get(f"{prefix}z"), arrays.get(f"{prefix}y")
    names = header.get(f"{prefix}names")
    if z is None or y is None or z.ndim != 2 or z.dtype != np.float32 or y.shape != z.shape[:1]:
        raise ValueError("rows (n, d) and labels (n) are expected")
    if not 2 <= len(z) <= MOST_ROWS or not 2 <= z.shape[1] <= MOST_DIMS:
        raise ValueError(f"{z.shape[0]} rows of {z.shape[1]} dimensions; 2 to {MOST_ROWS} of 2 to {MOST_DIMS} are shown")
    labels = y.astype(np.int64)
    if not isinstance(names, list) or np.unique(labels).tolist() != list(range(len(names))):
        raise ValueError("labels count the classes from 0, and each class has a name")
    return z, labels, tuple(str(name)[:LONGEST_NAME] for name in names)


def _batch(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, Any]:
    """The batch of the loss: "z", "y", "value", and if they were sent its own "grad" and the "proxies" of its classes."""
    z, y, _ = _points(header, arrays, prefix)
    # Python's whole numbers may be larger than any float.
    value, seed = (
        float(number) if isinstance(number, float) or (isinstance(number, int) and abs(number) < LARGEST_NUMBER) else math.nan
        for number in (header.get("value"), header.get("seed"))
    )
    batch: dict[str, Any] = {"z": z, "y": y, "value": value}
    grad = arrays.get("grad")
    if grad is not None and grad.shape == z.shape:
        with np.errstate(all="ignore"):  # what is not finite then is said
            batch["grad"] = (grad / seed).astype(np.float32) if np.isfinite(seed) and seed else grad
    if (proxies := arrays.get(f"{prefix}proxies")) is not None:
        batch["proxies"] = proxies
    return batch


def _images(images: NDArray[Any], rows: int) -> NDArray[np.uint8]:
    if images.dtype != np.uint8 or images.ndim != 3 or len(images) != rows or max(images.shape[1:]) > SIDE:
        raise ValueError(f"images are (n, side, side) of at most {SIDE} pixels, one for each point")
    return images


def _losses(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Losses | None:
    values = arrays.get("values")
    if values is None:
        return None
    if values.dtype != np.float32 or values.ndim != 1:
        raise ValueError("values of the loss are float32 (m)")
    return Losses(max(1, _whole(header, "first")), values)


def _number(header: Mapping[str, Any], name: str) -> float:
    """A number of the header, 0 where it is not finite or not there."""
    value = header.get(name) or 0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{name} = {str(value)[:30]} is no number")
    return float(value) if -LARGEST_NUMBER <= value <= LARGEST_NUMBER else 0.0


def _whole(header: Mapping[str, Any], name: str) -> int:
    value = header.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < STEPS:
        raise ValueError(f"{name} = {str(value)[:30]} is no whole number from 0 to {STEPS - 1:,}")
    return value
