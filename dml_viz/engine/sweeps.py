"""Sweeps on the engine: results stored by run and version, the price of a sweep, and the job that trains missing runs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from dml_viz.engine.engine import Engine
from dml_viz.engine.job import Job
from dml_viz.engine.limits import Visitor
from dml_viz.engine.member import Member
from dml_viz.engine.recorded import recorded_results
from dml_viz.engine.results import Result
from dml_viz.engine.saving import Saved
from dml_viz.engine.slices import Training
from dml_viz.engine.store import Store
from dml_viz.engine.versions import versions
from dml_viz.training.digest import digest
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep, experiment_of_runs

SLOT = "sweep"
STOPPED = "stopped "  # before the key of a run's result, of what is stored in its place
PROBED = 0.25  # seconds of steps that are timed for a price
NO_FRAME = 1000  # steps between frames while steps are timed
WARM, REPEATS = 3, 3  # steps before the timing; repeats of which the fastest counts
SLOW = 0.5  # seconds of a frame above which it is timed once only
OVERHEAD = 1.08  # factor for slices and their transfer to the server


@dataclass(frozen=True)
class Cost:
    """The seconds that a run takes to begin, for a step, and for a frame."""

    begin: float
    step: float
    frame: float

    def of(self, run: Run) -> float:
        """The seconds of ``run`` from its start to its end."""
        frames = sum(run.shows(step) for step in range(1, run.steps + 1))
        return OVERHEAD * (self.begin + run.steps * self.step + frames * self.frame)


class Results:
    """The results of runs: recorded with the app, or in ``store`` under the versions of the app and of torch."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, run: Run) -> Result | None:
        """The result of ``run``; None if it was never trained to its end."""
        stored = self._store.get(_key(run))
        if stored:
            return Result.unpack(stored)
        return recorded_results().find(run) if run.device in ("auto", "cpu") else None

    def keep(self, member: Member) -> None:
        """Store the result of a member that is done, or the reason why it stopped, which training again would repeat."""
        if member.status == "done":
            self._store.put(_key(member.run), Result.of(member).pack())
        elif member.status == "stopped":
            self._store.put(STOPPED + _key(member.run), member.reason.encode())

    def stopped(self, run: Run) -> str:
        """Why ``run`` stopped before its end; empty if it did not."""
        return (self._store.get(STOPPED + _key(run)) or b"").decode()

    def find_all(self, sweep: Sweep) -> tuple[Result | None, ...]:
        """The result of each run of a sweep, None for a run without one."""
        return tuple(map(self.find, sweep.runs))

    def missing(self, sweep: Sweep) -> tuple[Run, ...]:
        """The runs of a sweep that have no result and may get one: none of them stopped."""
        return tuple(dict.fromkeys(run for run in sweep.runs if self.find(run) is None and not self.stopped(run)))


def start_sweep(engine: Engine, sweep: Sweep, owner: str, visitor: Visitor | None = None) -> Job | None:
    """A job that trains and stores the missing runs of a sweep; None if none is missing; `TooManyRunsError` without room."""
    results = Results(engine.store)
    missing = results.missing(sweep)
    if not missing:
        return None
    job = engine.create(experiment_of_runs(missing), owner, slot=SLOT, visitor=visitor, ended=results.keep)
    job.play()
    return job


def resume_sweep(engine: Engine, before: Job | Saved, owner: str, visitor: Visitor | None = None) -> Job:
    """A paused copy of a live or saved job of a sweep, which stores its results. `TooManyRunsError` without room."""
    return engine.create(before, owner, slot=SLOT, visitor=visitor, ended=Results(engine.store).keep)


def timed_cost(training: Training, run: Run) -> Cost:
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
    """The seconds that ``runs`` with such costs take on so many workers."""
    each = [cost.of(run) for run, cost in zip(runs, costs, strict=True)]
    return max(sum(each) / workers, max(each, default=0.0))


def _key(run: Run) -> str:
    return f"result {run.device} {digest(run)} {dict(versions())}"
