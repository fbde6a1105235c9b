"""What a live run says to a browser: its subject once, then frames, and ticks while there is nothing newer."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_viz.engine.live import Live
from dml_viz.engine.wire import pack
from dml_viz.training.loop import Frame, Run, WatchedSubject


def subject_header(run: Run, subject: WatchedSubject, device: str) -> dict[str, Any]:
    """What the pictures of a run say of it at every step, as JSON values."""
    return {
        "kind": "subject",
        "title": f"{run.loss.title} on {run.dataset.title}",
        "device": device,
        "budget": run.steps,
        "every": run.stride,
        "dim": run.dim,
        "classes": subject.names,
        "categories": [subject.category_names[category] for category in subject.categories],
        "trained": subject.train_classes,
        "protocol": run.protocol,
        "baseline": subject.baseline,
    }


def subject_arrays(subject: WatchedSubject) -> dict[str, np.ndarray]:
    """The watched points: classes y (W,), whether unseen (W,), images (W, H, W), all uint8."""
    return {"y": subject.y.astype(np.uint8), "unseen": subject.unseen.astype(np.uint8), "images": subject.images}


def frame_header(frame: Frame) -> dict[str, Any]:
    """What a frame says of itself, as JSON values."""
    return {"kind": "frame", "step": frame.step, "scalars": frame.scalars, "notes": frame.notes}


def subject_message(live: Live) -> bytes | None:
    """The message that comes first; None until a worker has begun the run."""
    if live.subject is None:
        return None
    return pack({**subject_header(live.run, live.subject, live.device), "run": live.id}, subject_arrays(live.subject))


def frame_message(live: Live, frame: Frame, first_row: int = 0) -> bytes:
    """A frame of the run, how the run stands now, and the curve rows of all frames from the ``first_row``-th on."""
    columns, rows = live.rows(first_row)
    header = {
        **_standing(live),
        **frame_header(frame),
        "columns": columns,
        "first_row": first_row,
        "device": live.device,
    }
    return pack(header, {**frame.arrays, "rows": rows})


def tick_message(live: Live, *, afresh: bool = False) -> bytes:
    """How the run stands, without a frame; ``afresh`` tells a reader that the frames it has are of before a reset."""
    header = {**_standing(live), "kind": "tick"}
    return pack(header | {"latest": -1} if afresh else header, {})


def _standing(live: Live) -> dict[str, Any]:
    now = live.glance()
    return {
        "step": now.step, "status": now.status, "reason": now.reason, "budget": now.budget, "latest": now.latest,
        "changes": now.changes,
    }  # fmt: skip
