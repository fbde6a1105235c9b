"""The results of a recorded run or race, for predictions on the pages that play it. No Streamlit here."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from dml_viz.data.wire import messages, unpack
from dml_viz.engine.recordings import FOLDER


@dataclass(frozen=True)
class Recorded:
    """R@1 of unseen images (members, seeds) before and after ``steps``, that of raw pixels, and the members' titles."""

    titles: tuple[str, ...]
    steps: int
    before: np.ndarray
    after: np.ndarray
    pixels: float


@cache
def recorded(name: str) -> Recorded:
    """The results of the recording ``name``."""
    subject, *frames = (unpack(message) for message in messages((FOLDER / f"{name}.bin").read_bytes()))
    header = subject[0]
    titles = tuple(member["title"] for member in header["members"])

    def scores(frame: tuple[dict[str, object], dict[str, np.ndarray]]) -> np.ndarray:
        columns = list(frame[0]["columns"])  # type: ignore[call-overload]
        rows = frame[1]["rows"][-1, 1:].reshape(len(titles), -1, len(columns))
        return np.asarray(rows[..., columns.index("r1.unseen")])

    return Recorded(titles, int(frames[-1][0]["step"]), scores(frames[0]), scores(frames[-1]), header["baseline"]["unseen"])
