"""Runs and races recorded into files, which a browser plays without a worker; made by ``python -m dml_viz.engine.recordings``.

A file has the messages of a job, each behind its length (uint32, little-endian). Arguments name what is made, by default all,
in assets/recorded: the run and the race of the default settings, the run's last embeddings (.npz), and those of
its training images at some steps (rows.npz). All are
seeded and on the CPU: made again on the same kind of machine the files are the same, but for the seconds that were taken.
"""

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from dml_viz.assets import ASSETS
from dml_viz.data.datasets.glyphs import Glyphs
from dml_viz.data.eval_points import EvaluationSubset
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.data.training_set import training_set
from dml_viz.engine.messages import packed_embeddings, recorded_messages
from dml_viz.training.experiment import Experiment
from dml_viz.training.frame import fitted_plane, in_plane
from dml_viz.training.loop import Frame, Run, advance, begin, observe, subset_of
from dml_viz.training.race import Race, experiment_of
from dml_viz.training.race_url import FIRST, read_racers
from dml_viz.training.step import Learner

START = Run(device="cpu")
RACE = Race(Run(device="cpu"), read_racers(FIRST), seeds=3)
# What the files of assets/recorded hold, by their names without the suffix.
RECORDED: Mapping[str, Run | Race] = MappingProxyType({"start": START, "race": RACE})
FOLDER = ASSETS / "recorded"
# The file of training images' embeddings, the steps that it has, how many images of a class, and of which runs.
ROWS, LOOKS, MOST_OF_A_CLASS = "rows", (0, 10, 30, 100, 200, 300), 24
ROWS_OF: Mapping[str, Run] = MappingProxyType(
    {"icons": START, "glyphs": replace(START, dataset=Glyphs(), protocol="all classes", sampler=PByK(8, 8))}
)
EMBEDDINGS = ".z.bin"  # all coordinates of the last frame of a run, which are fetched where a table is made of them


def recording_of(wanted: Run | Race) -> str:
    """The name of the recording of the same settings, whatever its frames and the device; empty where there is none."""
    return next((name for name, recorded in RECORDED.items() if _plain(recorded) == _plain(wanted)), "")


def _plain(wanted: Run | Race) -> Run | Race:
    if isinstance(wanted, Race):
        return replace(wanted, run=replace(wanted.run, loss=wanted.racers[0].loss, device="auto", every=0))
    return replace(wanted, device="auto", every=0)


def record(experiment: Experiment, path: Path) -> int:
    """Train ``experiment`` and write its subject and all of its frames to ``path``; the bytes written."""
    subject, runs = subset_of(experiment.runs[0]), [timed(run) for run in experiment.runs]
    if experiment.alone:
        _write_embeddings(path.with_suffix(".npz"), subject, runs[0][0][-1])
        path.with_suffix(EMBEDDINGS).write_bytes(packed_embeddings(runs[0][0][-1]))
    plane = fitted_plane(runs[0][0][-1]) if experiment.alone else None
    if plane is not None:
        # As a live run is drawn once it rests: in the plane that shows its end best.
        runs = [([in_plane(frame, plane) for frame in frames], seconds) for frames, seconds in runs]
    return write(path, recorded_messages(experiment, subject, runs, 0 if plane is None else experiment.budget))


def write(path: Path, messages: list[bytes]) -> int:
    """Write messages to a file; the bytes written."""
    recording = b"".join(len(message).to_bytes(4, "little") + message for message in messages)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(recording)


def _write_embeddings(path: Path, subject: EvaluationSubset, end: Frame) -> None:
    """Write the points of unseen classes at the ``end`` of a run, as a file that the page on own embeddings reads."""
    of = subject.members("unseen")
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, z=end.z[of], y=subject.y[of], images=subject.images[of], names=np.array(subject.names))


def write_rows(path: Path) -> int:
    """Write the embeddings of images that the runs of `ROWS_OF` train on, as they are at `LOOKS`; the bytes written."""
    written: dict[str, Any] = {"steps": np.array(LOOKS)}
    for name, run in ROWS_OF.items():
        data, state, rows = training_set(run.dataset, run.protocol, torch.device("cpu")), begin(run), []
        members = data.table.members[:, :MOST_OF_A_CLASS]
        images = members[torch.arange(members.shape[1]) < data.table.sizes[:, None]]
        for step in LOOKS:
            state, _ = advance(run, state, step - state.step)
            rows.append(Learner(run, state).embed(data.take(images)).numpy().astype(np.float16))
        written |= {f"{name}.images": images.numpy(), f"{name}.z": np.stack(rows)}
    np.savez_compressed(path, **written)
    return path.stat().st_size


def timed(run: Run) -> tuple[list[Frame], float]:
    """All frames of a run, and the seconds that it took; ValueError where it cannot be trained to its end."""
    began = time.perf_counter()
    start = begin(run)
    state, frames = advance(run, start, run.steps)
    if state.failed:
        raise ValueError(f"the run to record failed: {state.failed}")
    return [observe(run, start), *frames], time.perf_counter() - began


def main(names: list[str]) -> int:
    """Record what is named, or everything; 2 for a name that is not known."""
    known = (*RECORDED, ROWS)
    if unknown := [name for name in names if name not in known]:
        print(f"no recording is called {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    if ROWS in (names or known):
        print(f"{ROWS}.npz: {write_rows(FOLDER / f'{ROWS}.npz'):,} bytes")
    for name in (name for name in names or RECORDED if name != ROWS):
        path, trained = FOLDER / f"{name}.bin", RECORDED[name]
        print(f"{path.name}: {record(experiment_of(trained), path):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
