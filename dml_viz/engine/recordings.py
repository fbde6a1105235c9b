"""Runs and races recorded into files, which a browser plays without a worker; made by ``python -m dml_viz.export.record``.

A file has the messages of a job, each preceded by its length (uint32, little-endian). In assets/recorded are the run and the race
with which pages open, a race over seeds, the run's last embeddings (.npz), those of its training images at some steps (rows.npz),
and the first steps of all these runs (first_steps.npz), which tell whether they are today's. All are seeded and on the CPU: on
the same kind of machine the files are always the same, except for the seconds of one core that training took.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.assets import ASSETS
from dml_viz.data.datasets.digits import Digits
from dml_viz.data.datasets.glyphs import Glyphs
from dml_viz.data.eval_points import GROUPS, EvaluationSubset
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.data.training_set import training_set
from dml_viz.data.wire import joined
from dml_viz.embedding.neighbour_map import filling, neighbour_maps, whole_numbers
from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.engine.history import project_as_live
from dml_viz.engine.messages import MAP, packed_embeddings, recorded_messages
from dml_viz.training.experiment import Experiment
from dml_viz.training.first_steps import digest, first_steps
from dml_viz.training.loop import Frame, Run, State, advance, begin, observe, subset_of
from dml_viz.training.race import Race, experiment_of
from dml_viz.training.race_url import FIRST, OVER_SEEDS, read_racers
from dml_viz.training.state import AdamParameters
from dml_viz.training.step import Learner

START = Run(device="cpu")
# On the circle all of an embedding is seen. Ten digits do not fit on it, so that losses differ in which they keep apart.
ON_THE_CIRCLE = Run(Digits(), protocol="all classes", dim=2, sampler=PByK(classes=10), lr=0.001, steps=600, device="cpu")
RACE = Race(ON_THE_CIRCLE, read_racers(FIRST))
RACE_OVER_SEEDS = Race(Run(device="cpu"), read_racers(OVER_SEEDS), seeds=3)
# The contents of the files of assets/recorded, by their names without the suffix.
RECORDED: Mapping[str, Run | Race] = MappingProxyType({"start": START, "race": RACE, "race_over_seeds": RACE_OVER_SEEDS})
FOLDER = ASSETS / "recorded"
FIRST_STEPS = FOLDER / "first_steps.npz"
# The file of training images' embeddings, its steps, its images per class, and its runs.
ROWS, LOOKS, MOST_OF_A_CLASS = "rows", (0, 10, 30, 100, 200, 300), 24
ROWS_OF: Mapping[str, Run] = MappingProxyType(
    {"icons": START, "glyphs": replace(START, dataset=Glyphs(), protocol="all classes", sampler=PByK(8, 8))}
)
MAY_DIFFER = (
    "Kinds of processors round differently, and small differences grow from step to step: your own scores may be a few "
    "hundredths higher or lower."
)
EMBEDDINGS = ".z.bin"  # suffix of the file with all coordinates of a run's last frame, which exported tables need


def recording_of(run: Run | Race) -> str:
    """The name of the recording with the same settings, apart from frames and device; empty without one."""
    return next((name for name, recorded in RECORDED.items() if _plain(recorded) == _plain(run)), "")


def _plain(run: Run | Race) -> Run | Race:
    if isinstance(run, Race):
        return replace(run, run=replace(run.run, loss=run.racers[0].loss, device="auto", every=0))
    return replace(run, device="auto", every=0)


def record(experiment: Experiment, path: Path) -> int:
    """Train ``experiment`` and write its subject and all of its frames to ``path``; return the number of bytes."""
    subject, runs = subset_of(experiment.runs[0]), [trained_and_timed(run, time.thread_time)[:2] for run in experiment.runs]
    path.parent.mkdir(parents=True, exist_ok=True)
    if experiment.is_single:
        # The points of unseen classes at the end, as a file that the page on own embeddings reads.
        end, rows, names = runs[0][0][-1], subject.members("unseen"), np.array(subject.names)
        np.savez_compressed(path.with_suffix(".npz"), z=end.z[rows], y=subject.y[rows], images=subject.images[rows], names=names)
        path.with_suffix(EMBEDDINGS).write_bytes(packed_embeddings(end))
    for number in experiment.runs_with_frames:
        if experiment.runs[number].dim > DRAWN_UP_TO:
            runs[number] = (_with_maps(project_as_live(runs[number][0]), subject), runs[number][1])
    return path.write_bytes(joined(recorded_messages(experiment, subject, runs)))


def _with_maps(frames: Sequence[Frame], subject: EvaluationSubset) -> list[Frame]:
    """Return the frames with "map" (W, 2) in their arrays: places in the neighbour map of each group, from -1 to 1."""
    maps, points = np.zeros((len(frames), len(subject.y), 2), np.float32), np.stack([whole_numbers(frame.z) for frame in frames])
    for group in GROUPS:
        members = subject.members(group)
        maps[:, members] = [filling(places) for places in neighbour_maps(points[:, members])]
    return [replace(frame, arrays={**frame.arrays, MAP: places}) for frame, places in zip(frames, maps, strict=True)]


def write_training_embeddings(path: Path) -> int:
    """Write the embeddings at the steps `LOOKS` of images that the runs of `ROWS_OF` train on; return the number of bytes."""
    written: dict[str, Any] = {"steps": np.array(LOOKS)}
    for name, run in ROWS_OF.items():
        data, state, rows = training_set(run.dataset, run.protocol, torch.device("cpu")), begin(run), []
        members = data.table.members[:, :MOST_OF_A_CLASS]
        images = members[torch.arange(members.shape[1]) < data.table.sizes[:, None]]
        for step in LOOKS:
            state, _ = advance(run, state, step - state.step)
            rows.append(Learner(run, state).embed(data.images_at(images)).numpy().astype(np.float16))
        written |= {f"{name}.images": images.numpy(), f"{name}.z": np.stack(rows)}
    np.savez_compressed(path, **written)
    return path.stat().st_size


class Timed(NamedTuple):
    """A run trained to its ``end``: all its frames, and the seconds that it took."""

    frames: list[Frame]
    seconds: float
    end: State


def trained_and_timed(run: Run, clock: Callable[[], float] = time.perf_counter, *, nudged: bool = False) -> Timed:
    """A run trained to its end, timed by ``clock``, from weights ``nudged`` by their last bit or not; ValueError if it fails."""
    began = clock()
    start = begin(run)
    if nudged:
        start = replace(start, weights=AdamParameters.untrained(np.nextafter(start.weights.value, np.float32(np.inf))))
    state, frames = advance(run, start, run.steps)
    if state.failed:
        raise ValueError(f"the run to record failed: {state.failed}")
    return Timed([observe(run, start), *frames], clock() - began, state)


def write_recording(name: str) -> int:
    """Train the recording ``name`` of `RECORDED`, or `ROWS`; write its file and its first steps, and return the file's bytes."""
    if name == ROWS:
        size = write_training_embeddings(FOLDER / f"{ROWS}.npz")
    else:
        size = record(experiment_of(RECORDED[name]), FOLDER / f"{name}.bin")
    known = {**stored_first_steps(), **{digest(run): first_steps(run) for run in runs_of_recordings((name,))}}
    named = {digest(run) for run in runs_of_recordings((*RECORDED, ROWS))}
    np.savez_compressed(FIRST_STEPS, **{each: steps for each, steps in known.items() if each in named})  # type: ignore[arg-type]
    return size


def runs_of_recordings(names: Iterable[str]) -> tuple[Run, ...]:
    """The runs of the recordings called ``names``."""
    of_rows = tuple(ROWS_OF.values())
    return tuple(run for name in names for run in (of_rows if name == ROWS else experiment_of(RECORDED[name]).runs))


def stored_first_steps() -> dict[str, NDArray[np.float32]]:
    """The `first_steps` that were stored with the files of `RECORDED` and `ROWS`, by the digests of their runs."""
    if not FIRST_STEPS.exists():
        return {}
    with np.load(FIRST_STEPS) as stored:
        return dict(stored.items())
