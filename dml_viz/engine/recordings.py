"""Runs and races recorded into files, which a browser plays without a worker; made by ``python -m dml_viz.engine.recordings``.

A file has the messages of a job, each behind its length (uint32, little-endian). Arguments name what is made, by default all,
in assets/recorded. The start page's run: all ten digits on the circle, shown and scored by images that were kept out of
training, a frame every few steps so that the points are seen to move. The race page's race: the one that it opens with. Both
are seeded and on the CPU: made again on the same kind of machine the files are the same, but for the seconds that were taken.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from dml_viz.assets import ASSETS
from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.engine.messages import recorded_messages
from dml_viz.losses import LOSSES
from dml_viz.losses.fastap import FastAP
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Frame, Run, advance, begin, observe, subset_of
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.race import Race
from dml_viz.training.race_url import FIRST, read_racers
from dml_viz.training.run import EARLY

START = Run(
    Digits(),
    "all classes",
    MLP(),
    dim=2,
    loss=FastAP(),
    sampler=PByK(10, 16),
    lr=0.003,
    seed=0,
    steps=300,
    every=4,
    device="cpu",
)
# The run of the training page as it opens.
TRAIN = Run(device="cpu", every=Run().steps // 75)
RACE = Race(Run(device="cpu"), read_racers(FIRST, LOSSES), seeds=3)
# What the files of assets/recorded hold, by their names without the suffix.
RECORDED: Mapping[str, Run | Race] = MappingProxyType({"start": START, "train": TRAIN, "race": RACE})
FOLDER = ASSETS / "recorded"


def recording_of(wanted: Run | Race) -> str:
    """The name of the recording of the same settings, whatever its frames and the device; empty where there is none."""
    return next((name for name, recorded in RECORDED.items() if _plain(recorded) == _plain(wanted)), "")


def _plain(wanted: Run | Race) -> Run | Race:
    if isinstance(wanted, Race):
        return replace(wanted, run=replace(wanted.run, loss=wanted.racers[0].loss, device="auto", every=0))
    return replace(wanted, device="auto", every=0)


def record(experiment: Experiment, path: Path) -> int:
    """Train ``experiment`` and write its subject and all of its frames to ``path``; the bytes written."""
    subject = subset_of(experiment.runs[0])
    return write(path, recorded_messages(experiment, subject, [_timed(run) for run in experiment.runs]))


def write(path: Path, messages: list[bytes]) -> int:
    """Write messages to a file; the bytes written."""
    recording = b"".join(len(message).to_bytes(4, "little") + message for message in messages)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(recording)


def messages(recording: bytes) -> Iterator[bytes]:
    """The messages of a recording, the subject first."""
    place = 0
    while place < len(recording):
        size = int.from_bytes(recording[place : place + 4], "little")
        yield recording[place + 4 : place + 4 + size]
        place += 4 + size


def _timed(run: Run) -> tuple[list[Frame], float]:
    """Frames of a run, those of early steps among them, and the seconds taken; ValueError where it stops before its end."""
    began = time.perf_counter()
    state = begin(run)
    frames = [observe(run, state)]
    early = [step for step in sorted(EARLY) if step < run.steps and not run.shows(step)]
    for last in (*early, run.steps):
        state, shown = advance(run, state, last - state.step)
        if state.failed:
            raise ValueError(f"the run to record failed: {state.failed}")
        frames += shown if run.shows(last) else [*shown, observe(run, state)]
    return frames, time.perf_counter() - began


def main(names: list[str]) -> int:
    """Record what is named, or everything; 2 for a name that is not known."""
    if unknown := [name for name in names if name not in RECORDED]:
        print(f"no recording is called {', '.join(unknown)}; there are {', '.join(RECORDED)}", file=sys.stderr)
        return 2
    for name in names or RECORDED:
        path, trained = FOLDER / f"{name}.bin", RECORDED[name]
        experiment = trained.experiment if isinstance(trained, Race) else Experiment.of(trained)
        print(f"{path.name}: {record(experiment, path):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
