"""Sweeps on the engine: results stored by run and version, the price of a sweep, and the job that trains missing runs."""

import csv
import hashlib
import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import nan
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dml_viz.data.datasets.glyphs import Glyphs
from dml_viz.data.wire import messages, pack, unpack
from dml_viz.engine.job import Job
from dml_viz.engine.member import Member
from dml_viz.engine.members import METRICS
from dml_viz.engine.recordings import FOLDER, timed
from dml_viz.engine.registry import Engine
from dml_viz.engine.saving import Saved
from dml_viz.engine.slices import Training
from dml_viz.engine.store import Store
from dml_viz.engine.versions import versions
from dml_viz.engine.visitor import Visitor
from dml_viz.training.loop import Run
from dml_viz.training.nets.conv import Conv
from dml_viz.training.sweep import LOOKS, Sweep, experiment_of_runs

SLOT = "sweep"
PROBED = 0.25  # seconds of steps that are timed for a price
NO_FRAME = 1000  # steps between frames while steps are timed
WARM, REPEATS = 3, 3  # steps before the timing; repeats of which the fastest counts
SLOW = 0.5  # seconds of a frame above which it is timed once only
# Fields that were added after results were first recorded; the digest leaves them out at their defaults.
LATER: Mapping[type, tuple[str, ...]] = MappingProxyType({
    Run: ("method", "label_noise", "chunk"), Conv: ("depth", "pooling"), Glyphs: ("side",),
})  # fmt: skip
OVERHEAD = 1.08  # factor for slices and their transfer to the server


@dataclass(frozen=True, eq=False)
class Result:
    """The result of a run: ``rows`` (m, 1 + metrics) float32, each a step and its `METRICS`, and the seconds of training."""

    rows: NDArray[np.float32]
    seconds: float

    def pack(self, name: str = "") -> bytes:
        """The result as bytes, with a name."""
        return pack({"name": name, "columns": METRICS, "seconds": self.seconds}, {"rows": self.rows})

    @classmethod
    def of(cls, member: Member) -> "Result":
        """The result of a member of a job."""
        columns = {name: column for column, name in enumerate(member.history.columns, 1)}
        known = member.history.rows()
        rows = [known[:, 0], *(known[:, columns[name]] if name in columns else known[:, 0] * nan for name in METRICS)]
        return cls(np.stack(rows, 1).astype(np.float32), member.seconds)

    @classmethod
    def trained(cls, run: Run) -> "Result":
        """The result of ``run``, trained in this process; ValueError if the run fails."""
        frames, seconds = timed(run)
        rows = [[frame.step, *(frame.scalars[name] for name in METRICS)] for frame in frames]
        return cls(np.array(rows, np.float32), seconds)


@dataclass(frozen=True)
class Cost:
    """The seconds of a run: to begin, for a step, and for a frame."""

    begin: float
    step: float
    frame: float

    def of(self, run: Run) -> float:
        """The seconds of ``run`` from its start to its end."""
        frames = sum(run.shows(step) for step in range(1, run.steps + 1))
        return OVERHEAD * (self.begin + run.steps * self.step + frames * self.frame)


def digest(run: Run) -> str:
    """A hash of all fields of ``run`` except its device."""
    return hashlib.sha256(_written(replace(run, device="auto")).encode()).hexdigest()[:24]


def _written(value: object) -> str:
    """The repr of ``value``, without later fields at their defaults."""
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    kind, values = type(value), {each.name: getattr(value, each.name) for each in fields(value) if each.repr}
    left_out = {name for name in LATER.get(kind, ()) if values[name] == getattr(kind(), name)}
    shown = ", ".join(f"{name}={_written(each)}" for name, each in values.items() if name not in left_out)
    return f"{kind.__qualname__}({shown})"


class Results:
    """Results of runs: those in ``store``, for this version of the product and of torch, and recorded ones."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, run: Run) -> Result | None:
        """The result of ``run``; None if it was never trained to its end."""
        stored = self._store.get(_key(run))
        return _read(stored)[1] if stored else recorded().get(digest(run)) if run.device in ("auto", "cpu") else None

    def keep(self, member: Member) -> None:
        """Store the result of a member that is done."""
        if member.status == "done":
            self._store.put(_key(member.run), Result.of(member).pack())

    def all_of(self, sweep: Sweep) -> tuple[Result | None, ...]:
        """The result of each run of a sweep, None for a run without one."""
        return tuple(map(self.find, sweep.runs))

    def missing(self, sweep: Sweep) -> tuple[Run, ...]:
        """The runs of a sweep that have no result."""
        return tuple(dict.fromkeys(run for run in sweep.runs if self.find(run) is None))


def start_sweep(engine: Engine, sweep: Sweep, owner: str, visitor: Visitor | None = None) -> Job | None:
    """A job that trains and stores the missing runs of a sweep; None if none is missing; `TooManyRunsError` without room."""
    results = Results(engine.store)
    missing = results.missing(sweep)
    if not missing:
        return None
    job = engine.create(experiment_of_runs(missing), owner, slot=SLOT, visitor=visitor, ended=results.keep)
    job.play()
    return job


def go_on_with(engine: Engine, before: Job | Saved, owner: str, visitor: Visitor | None = None) -> Job:
    """A paused copy of a live or saved job of a sweep, which stores its results. `TooManyRunsError` without room."""
    return engine.create(before, owner, slot=SLOT, visitor=visitor, ended=Results(engine.store).keep)


def probe(training: Training, run: Run) -> Cost:
    """The seconds of ``run``, timed in a worker: its start, some steps, and a frame."""
    clock = time.perf_counter
    quiet = replace(run, every=NO_FRAME, steps=NO_FRAME)
    state = training.begin(quiet)  # loads what all runs of the data share
    began = clock()
    training.observe(quiet, state)
    first = clock() - began
    slow = first > SLOW  # then nothing is timed twice, because other visitors wait for the worker
    if not slow:
        state, _ = training.advance_while(quiet, state, lambda: True, WARM)

    def least(work: Callable[[], object]) -> float:
        """The seconds of the fastest of a few calls of ``work``."""
        began = [clock()]
        for _ in range(REPEATS):
            work()
            began.append(clock())
        return min(after - before for before, after in pairwise(began))

    frame = first if slow else least(lambda: training.observe(quiet, state))
    begin = least(lambda: training.begin(quiet)) + frame
    began = clock()
    later, _ = training.advance_while(quiet, state, lambda: clock() - began < PROBED, NO_FRAME - WARM - 1)
    return Cost(begin, (clock() - began) / max(1, later.step - state.step), frame)


def seconds_of(runs: Sequence[Run], costs: Sequence[Cost], workers: int) -> float:
    """The seconds of ``runs`` with these costs on so many workers."""
    each = [cost.of(run) for run, cost in zip(runs, costs, strict=True)]
    return max(sum(each) / workers, max(each, default=0.0))


def table_of(sweep: Sweep, results: Sequence[Result | None]) -> NDArray[np.float32]:
    """The `METRICS` (cells, seeds, 1 + LOOKS, metrics) of all runs at the start and at `LOOKS` steps; NaN without a result."""
    cells = len(sweep.cells)
    table = np.full((sweep.seeds, cells, 1 + LOOKS, len(METRICS)), np.nan, np.float32)
    for place, (run, result) in enumerate(zip(sweep.runs, results, strict=True)):
        if result is not None:
            asked = np.arange(1 + LOOKS) * run.steps / LOOKS
            nearest = np.abs(result.rows[:, :1] - asked).argmin(0)
            table[divmod(place, cells)] = result.rows[nearest, 1:]
    return table.swapaxes(0, 1)


def csv_of(sweep: Sweep, results: Sequence[Result | None]) -> str:
    """Every row of every result as CSV: the values of the axes, seed, step, `METRICS`, and the seconds of the run."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([*(axis.path for axis in sweep.axes), "seed", "step", *METRICS, "seconds"])
    for place, (run, result) in enumerate(zip(sweep.runs, results, strict=True)):
        cell = sweep.cells[place % len(sweep.cells)]
        rows, seconds = (result.rows.tolist(), result.seconds) if result else ([], nan)
        for step, *scores in rows:
            writer.writerow([*cell, run.seed, int(step), *(f"{score:.6g}" for score in scores), f"{seconds:.2f}"])
    return lines.getvalue()


@lru_cache(maxsize=1)
def recorded() -> dict[str, Result]:
    """The recorded results by the digest of their run."""
    path = FOLDER / "sweep.bin"
    return dict(map(_read, messages(path.read_bytes()))) if path.exists() else {}


def recorded_results(sweep: Sweep) -> tuple[Result | None, ...]:
    """The recorded result of each run of a sweep."""
    return tuple(recorded().get(digest(run)) for run in sweep.runs)


def _key(run: Run) -> str:
    return f"result {run.device} {digest(run)} {dict(versions())}"


def _read(body: bytes) -> tuple[str, Result]:
    header, arrays = unpack(body)
    return header["name"], Result(arrays["rows"], header["seconds"])
