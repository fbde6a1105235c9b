"""Runs and races, trained again to a step by an engine."""

import time
from collections.abc import Callable

from dml_viz.engine import Engine, Job
from dml_viz.engine.limits import Visitor
from dml_viz.engine.messages import frame_message, subject_message
from dml_viz.engine.results import Result
from dml_viz.engine.status import EARLY, GOING
from dml_viz.engine.sweeps import Results, start_sweep
from dml_viz.training.race import Race, experiment_of
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep

Progress = Callable[[int, int], object]
STEP_WITHIN = 120.0  # seconds for a run's next step
LOOK = 0.1  # seconds between looks at a run that trains


def without_progress(step: int, steps: int) -> None:
    """Draw no progress bar."""


def train(
    engine: Engine,
    plan: Run | Race,
    step: int,
    progress: Progress,
    plane: int = 0,
    *,
    owner: str = "export",
    visitor: Visitor | None = None,
) -> Job:
    """The job of ``plan``, trained to ``step``, with the plane fitted to step ``plane``; ValueError if the run fails.

    ``progress`` is called with (step, last step). The job belongs to ``owner`` of ``visitor``, in a slot of its own.
    """
    job = engine.create(experiment_of(plan), owner, slot="export", visitor=visitor)
    if plane:
        job.fit_plane(plane)
    job.play(step)
    _wait("run", job, lambda job: job.latest_step >= step or job.status in EARLY, lambda job: job.step, step, progress)
    if job.latest_step < step:
        raise ValueError(f"the run fails: {job.reason}")
    progress(step, step)
    return job


def train_sweep(engine: Engine, sweep: Sweep, progress: Progress) -> tuple[Result | None, ...]:
    """The result of each run of ``sweep``, trained if it has none; None for a run that stopped before its end."""
    if job := start_sweep(engine, sweep, "export"):
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
    """Watch ``job`` until it has ``ended``; ValueError where its steps ``trained``, of ``total``, do not grow."""
    reached, since = -1, time.monotonic()
    while not ended(job):
        job.watch()
        if (steps := trained(job)) > reached:
            reached, since = steps, time.monotonic()
            progress(reached, total)
        elif time.monotonic() - since > STEP_WITHIN:
            raise ValueError(f"the {name} stopped at step {reached} of {total}")
        job.wait_for(ended, LOOK)


def recording_of_job(job: Job) -> bytes:
    """All frames of a job, in the format of a file of assets/recorded."""
    bodies = [subject_message(job), *(frame_message(job, step) for step in job.steps)]
    return b"".join(len(body).to_bytes(4, "little") + body for body in bodies if body)
