"""Sweeps and runs on the engine: stored results, the price of a sweep, the job of missing runs, and runs that are waited for."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from dml_viz.data.wire import joined
from dml_viz.engine import TRAINING
from dml_viz.engine.engine import Engine
from dml_viz.engine.job import Job
from dml_viz.engine.limits import Visitor
from dml_viz.engine.member import Member
from dml_viz.engine.messages import frame_message, subject_message
from dml_viz.engine.results import Result, recorded_results
from dml_viz.engine.saving import Saved
from dml_viz.engine.slices import Training
from dml_viz.engine.status import EARLY, GOING
from dml_viz.engine.store import Store
from dml_viz.engine.versions import versions
from dml_viz.training.first_steps import digest
from dml_viz.training.race import Race, experiment_of
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep, experiment_of_runs

SLOT = "sweep"
STOPPED = "stopped "  # before the key of a run's result, of what is stored in its place
TIMED = 12  # values of a sweep that are timed, at most
PROBED = 0.25  # seconds of steps that are timed for a price
NO_FRAME = 1000  # steps between frames while steps are timed
WARM, REPEATS = 3, 3  # steps before the timing; repeats of which the fastest counts
SLOW = 0.5  # seconds of a frame above which it is timed once only
OVERHEAD = 1.08  # factor for slices and their transfer to the server
Progress = Callable[[int, int], object]
STEP_WITHIN = 120.0  # seconds for a run's next step
LOOK = 0.1  # seconds between looks at a run that trains


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


def start_sweep(engine: Engine, sweep: Sweep, owner: str, visitor: Visitor | None = None, slot: str = SLOT) -> Job | None:
    """A job that trains and stores the missing runs of a sweep; None if none is missing; `TooManyRunsError` without room."""
    results = Results(engine.store)
    missing = results.missing(sweep)
    if not missing:
        return None
    job = engine.create(experiment_of_runs(missing), owner, slot=slot, visitor=visitor, ended=results.keep)
    job.play()
    return job


def restore_sweep(engine: Engine, before: Job | Saved, owner: str, visitor: Visitor | None = None) -> Job:
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
        state, _ = training.advance_while(quiet, state, lambda _: True, WARM)

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
    later, _ = training.advance_while(quiet, state, lambda _: clock() - began < PROBED, NO_FRAME - WARM - 1)
    return Cost(begin, (clock() - began) / max(1, later.step - state.step), frame)


def seconds_of(runs: Sequence[Run], costs: Sequence[Cost], workers: int) -> float:
    """The seconds that ``runs`` with such costs take on so many workers."""
    each = [cost.of(run) for run, cost in zip(runs, costs, strict=True)]
    return max(sum(each) / workers, max(each, default=0.0))


def like(run: Run) -> str:
    """What ``run`` has in common with all runs that take equally long."""
    return digest(replace(run, seed=0))


def timed_for(sweep: Sweep) -> dict[str, Run]:
    """The run that is timed for each run of a sweep, by `like`: one of its value, or of a near one where there are many."""
    cells = [sweep.run_of(cell) for cell in sweep.cells]
    apart = -(-len(cells) // TIMED)
    return {like(run): cells[number // apart * apart] for number, run in enumerate(cells)}


def price(engine: Engine, sweep: Sweep) -> float:
    """The seconds that the missing runs of a sweep take; it waits until some of these, or runs near them, are timed."""
    missing, timed = Results(engine.store).missing(sweep), timed_for(sweep)
    priced = [timed[like(run)] for run in missing]
    costs = {run: engine.submit(timed_cost, TRAINING, run) for run in dict.fromkeys(priced)}
    return seconds_of(missing, [costs[run].result() for run in priced], engine.workers)


def _key(run: Run) -> str:
    return f"result {run.device} {digest(run)} {dict(versions())}"


def without_progress(step: int, steps: int) -> None:
    """Draw no progress bar."""


def train(
    engine: Engine,
    plan: Run | Race,
    step: int,
    progress: Progress,
    plane: int = 0,
    last: int | None = None,
    *,
    owner: str = "export",
    visitor: Visitor | None = None,
) -> Job:
    """The job of ``plan``, trained to ``step``, then to ``last``, in the plane of step ``plane``; ValueError if the run fails.

    ``progress`` is called with (step, last step). The job belongs to ``owner`` of ``visitor``, in a slot of its own.
    """
    job = engine.create(experiment_of(plan), owner, slot="export", visitor=visitor)
    if plane:
        job.fit_plane(plane)
    last = max(step, last or 0)
    for until in (step, last):  # each gets a frame
        _train_to(job, until, last, progress)
    progress(last, last)
    return job


def _train_to(job: Job, step: int, last: int, progress: Progress) -> None:
    job.play(step)
    _wait("run", job, lambda job: job.latest_step >= step or job.status in EARLY, lambda job: job.step, last, progress)
    if job.latest_step < step:
        raise ValueError(f"the run fails: {job.reason}")


def train_sweep(
    engine: Engine, sweep: Sweep, progress: Progress, *, owner: str = "export", visitor: Visitor | None = None
) -> tuple[Result | None, ...]:
    """The result of each run of ``sweep``, trained if it has none; None for a run that stopped before its end.

    ``progress``, ``owner`` and ``visitor`` are those of `train`.
    """
    if job := start_sweep(engine, sweep, owner, visitor, "export sweep"):
        total = sum(run.steps for run in job.experiment.runs)
        _wait(
            "sweep",
            job,
            lambda job: job.status not in GOING,
            lambda job: sum(each.step for each in job.overview().members),
            total,
            progress,
        )
        progress(total, total)
    return Results(engine.store).find_all(sweep)


def _wait(
    name: str, job: Job, ended: Callable[[Job], bool], trained: Callable[[Job], int], total: int, progress: Progress
) -> None:
    """Watch ``job`` until it has ``ended``; ValueError if its steps ``trained``, of ``total``, do not grow or it is closed."""
    reached, since = -1, time.monotonic()
    while not ended(job):
        job.watch()
        if (steps := trained(job)) > reached:
            reached, since = steps, time.monotonic()
            progress(reached, total)
        elif job.closed or time.monotonic() - since > STEP_WITHIN:
            raise ValueError(f"the {name} stopped at step {reached} of {total}")
        job.wait_for(ended, LOOK)


def recording_of_job(job: Job) -> bytes:
    """All frames of a job, in the format of a file of assets/recorded."""
    return joined(filter(None, (subject_message(job), *(frame_message(job, step) for step in job.steps))))
