"""A run recorded into a file, which a browser plays without a worker: the messages of a live run, each behind its length."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from dml_viz.engine.messages import frame_header, subject_arrays, subject_header
from dml_viz.engine.race_messages import recorded_race
from dml_viz.engine.wire import pack
from dml_viz.training.loop import Frame, Run, advance, begin, observe, watched_subject
from dml_viz.training.race import Race

# A recording names no device: it plays the same wherever it was made.
DEVICE = ""


def record(run: Run, path: Path) -> int:
    """Train ``run`` and write its subject and all of its frames to ``path``; the bytes written.

    Each message stands behind its length (uint32, little-endian); the rows of a frame are that frame's only.
    """
    return _write(path, _messages(run))


def record_race(race: Race, path: Path) -> int:
    """Train ``race`` and write its subject and all of its frames to ``path``, as `record` does; the bytes written."""
    order = [(place, seed) for place in range(len(race.racers)) for seed in range(race.seeds)]
    return _write(path, recorded_race(race, watched_subject(race.run), [_timed(race.run_of(*each)) for each in order]))


def messages(recording: bytes) -> Iterator[bytes]:
    """The messages of a recording, the subject first."""
    place = 0
    while place < len(recording):
        size = int.from_bytes(recording[place : place + 4], "little")
        yield recording[place + 4 : place + 4 + size]
        place += 4 + size


def _write(path: Path, messages: Iterable[bytes]) -> int:
    recording = b"".join(len(message).to_bytes(4, "little") + message for message in messages)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(recording)


def _timed(run: Run) -> tuple[list[Frame], float]:
    """All frames of a run, and the seconds that it took."""
    started = time.perf_counter()
    frames = _frames(run)
    return frames, time.perf_counter() - started


def _frames(run: Run) -> list[Frame]:
    start = begin(run)
    state, frames = advance(run, start, run.steps)
    if state.failed:
        raise ValueError(f"the run to record failed: {state.failed}")
    return [observe(run, start), *frames]


def _messages(run: Run) -> Iterator[bytes]:
    subject = watched_subject(run)
    frames = _frames(run)
    yield pack({**subject_header(run, subject, DEVICE), "run": "recorded"}, subject_arrays(subject))
    for frame in frames:
        yield _frame_message(run, frame)


def _frame_message(run: Run, frame: Frame) -> bytes:
    row = np.array([[frame.step, *frame.scalars.values()]], np.float32)
    standing = {"status": "done", "reason": "", "budget": run.steps, "latest": run.steps, "device": DEVICE}
    return pack({**frame_header(frame), **standing, "columns": tuple(frame.scalars)}, {**frame.arrays, "rows": row})
