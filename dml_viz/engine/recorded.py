"""A run recorded into a file, which a browser plays without a worker: the messages of a live run, each behind its length."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dml_viz.engine.messages import frame_header, subject_arrays, subject_header
from dml_viz.packing import pack
from dml_viz.training import Frame, Run, advance, begin, observe, watched_subject

# A recording names no device: it plays the same wherever it was made.
DEVICE = ""


def record(run: Run, path: Path) -> int:
    """Train ``run`` and write its subject and all of its frames to ``path``; the bytes written.

    Each message stands behind its length (uint32, little-endian); the rows of a frame are that frame's only.
    """
    recording = b"".join(len(message).to_bytes(4, "little") + message for message in _messages(run))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(recording)


def messages(recording: bytes) -> Iterator[bytes]:
    """The messages of a recording, the subject first."""
    place = 0
    while place < len(recording):
        size = int.from_bytes(recording[place : place + 4], "little")
        yield recording[place + 4 : place + 4 + size]
        place += 4 + size


def _messages(run: Run) -> Iterator[bytes]:
    subject = watched_subject(run)
    start = begin(run)
    state, frames = advance(run, start, run.steps)
    if state.failed:
        raise ValueError(f"the run to record failed: {state.failed}")
    yield pack({**subject_header(run, subject, DEVICE), "run": "recorded"}, subject_arrays(subject))
    for frame in (observe(run, start), *frames):
        yield _frame_message(run, frame)


def _frame_message(run: Run, frame: Frame) -> bytes:
    row = np.array([[frame.step, *frame.scalars.values()]], np.float32)
    standing = {"status": "done", "reason": "", "budget": run.steps, "latest": run.steps, "device": DEVICE}
    return pack({**frame_header(frame), **standing, "columns": tuple(frame.scalars)}, {**frame.arrays, "rows": row})
