"""The job of a sweep: the time that it takes, the button that trains it, and its results so far."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial

import streamlit as st

from dml_viz.app import notice, tab, url_state
from dml_viz.app.frontend import visitor
from dml_viz.app.training_session import session_token
from dml_viz.engine import TRAINING, Job, TooManyRunsError
from dml_viz.engine.results import Result
from dml_viz.engine.saving import Saved
from dml_viz.engine.status import GOING
from dml_viz.engine.sweeps import Cost, Results, like, restore_sweep, seconds_of, start_sweep, timed_cost, timed_for
from dml_viz.explain.sweep.text import duration_in_words
from dml_viz.plot.canvas import counted
from dml_viz.room import task
from dml_viz.serve.server import engine
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep

LINK = "sweep.run"  # the key of the job in the address
REFRESH = 1.0  # seconds


def job_of(sweep: Sweep) -> Job | None:
    """The session's job that trains runs of ``sweep``, or None."""
    job = engine().get(tab.JOB.of("sweep").get())
    return job if job and set(job.experiment.runs) <= set(sweep.runs) else None


def job_of_link(sweep: Sweep) -> Job | None:
    """The job as `job_of` returns it; at first the job in the link, resumed from its last save if its server is gone."""
    known, job = url_state.arriving_job(LINK), job_of(sweep)
    before = (engine().get(known) or engine().saved(known)) if known and not job else None
    if before:
        experiment = before.members.experiment if isinstance(before, Saved) else before.experiment
        going = before.going if isinstance(before, Saved) else before.status in GOING
        if set(experiment.runs) <= set(sweep.runs):
            job = _begin(partial(restore_sweep, engine(), before, session_token(), visitor()))
        if job and going:
            job.play()
        if job and isinstance(before, Saved):
            done = sum(member.status == "done" for member in job.overview().members)
            notice.announce(
                f"The server lost this sweep. It goes on as it was saved last, {done} of {len(experiment.runs)} runs done."
            )
    url_state.write_setting(LINK, job.id if job else "", "", shared=False)
    return job


def nothing_will_change(sweep: Sweep, job: Job | None) -> bool:
    """Whether nothing will change by itself: no run trains, and the time of missing runs is known."""
    return not (job and job.status in GOING) and (not _missing(sweep) or bool(_costs(sweep)))


def draw_training_buttons(sweep: Sweep, stopped: Mapping[int, str], job: Job | None) -> None:
    """Draw the button that trains the missing runs, or pauses; with the time that they take, or the progress.

    Those that ``stopped``, for these reasons, are not missing.
    """
    state = url_state.register_control("sweep.go", "sweep and pause")
    going = job is not None and job.status in GOING
    left = _missing(sweep)
    missing, now = len(left), _runs_of_button(left, job)
    costs = _costs(sweep) if missing else {}
    price = seconds_of(now, [costs[like(run)] for run in now], engine().workers) if costs else 0.0
    # A job of the sweep before it had more values or seeds trains its own runs to their end first.
    later = missing - len(now)
    then = f" After these, *Go on* trains the other {later}." if later else ""
    beyond = price > engine().limits.sweep
    label = "Pause" if going else "Sweep" if missing == len(sweep.runs) else "Go on"
    with st.container(horizontal=True, vertical_alignment="center", key="run-buttons"):
        if (
            state != task.HIDDEN
            and missing
            and st.button(
                label,
                type="primary",
                icon=":material/pause:" if going else ":material/play_arrow:",
                key="sweep.go",
                on_click=_toggle,
                args=(sweep,),
                disabled=state == task.LOCKED or (beyond and not going),
            )
        ):
            st.rerun()  # the whole page, because it follows the job from now on
        if not missing:
            remark = "none left to train" if stopped else "each trained before and kept"
            st.caption(f"**{len(sweep.runs)} runs** of {steps_in_words(sweep)}, {remark}.")
        elif going and job:
            done, count = len(sweep.runs) - missing, len(sweep.runs) - later
            st.progress(done / count, f"{done} of {count} runs{_left(job, costs)}{'.' if then else ''}{then}")
        elif not costs:
            st.caption(f"**{counted(len(now), 'run')}** of {steps_in_words(sweep)}; a few of them are being timed.{then}")
        else:
            workers, most = engine().workers, duration_in_words(engine().limits.sweep)
            longer = f" A sweep may take {most}: take fewer values, seeds or steps." if beyond else ""
            on = f"on {workers} worker{'s' if workers > 1 else ''}"
            runs = f"{counted(len(now), 'run')} of {steps_in_words(sweep)}"
            st.caption(f"**{runs}: about {duration_in_words(price)}** {on}.{longer}{then}")
    failed = [member.reason for member in job.overview().members if member.status == "failed"] if job else []
    for reasons, what in (([*stopped.values()], "stopped before their end"), (failed, "failed")):
        if reasons:
            st.caption(f"{len(reasons)} of {len(sweep.runs)} runs {what}: {reasons[0]}")


def steps_in_words(sweep: Sweep) -> str:
    """The steps of the runs of a sweep, which differ where these see equally many images."""
    steps = [sweep.run_of(cell).steps for cell in sweep.cells]
    least, most = min(steps), max(steps)
    return f"{most:,} steps" if least == most else f"{least:,} to {most:,} steps"


def why_runs_stopped(sweep: Sweep) -> dict[int, str]:
    """Why runs stopped before their end, by their numbers; each would again."""
    results = Results(engine().store)
    return {number: reason for number, run in enumerate(sweep.runs) if (reason := results.stopped(run))}


def results_of(sweep: Sweep) -> tuple[Result | None, ...]:
    """The results of all runs so far."""
    return Results(engine().store).find_all(sweep)


def _missing(sweep: Sweep) -> tuple[Run, ...]:
    return Results(engine().store).missing(sweep)


def _runs_of_button(missing: Sequence[Run], job: Job | None) -> tuple[Run, ...]:
    """The ``missing`` runs that the button pauses or trains: those that ``job`` has begun, or all once it has none."""
    if job and job.status in (*GOING, "paused"):
        runs = tuple(run for run in missing if run in job.experiment.runs)
        if runs or job.status in GOING:
            return runs
    return tuple(missing)


def _toggle(sweep: Sweep) -> None:
    job = job_of(sweep)
    tab.SWEEP_PACE.pop()
    if job and job.status in GOING:
        job.pause()
    elif job and job.status == "paused" and set(_missing(sweep)) & set(job.experiment.runs):
        job.play()
    else:
        _begin(partial(start_sweep, engine(), sweep, session_token(), visitor()))


def _begin(begin: Callable[[], Job | None]) -> Job | None:
    """The job that ``begin`` starts, now the session's; None without room, with the reason on the page."""
    try:
        job = begin()
    except TooManyRunsError as full:
        tab.SWEEP_MESSAGE.set(str(full))
        return None
    if job:
        tab.JOB.of("sweep").set(job.id)
    return job


def _costs(sweep: Sweep) -> dict[str, Cost]:
    """The costs of a sweep's runs, by `like`; empty until a worker has timed them."""
    known: dict[str, Future[Cost]] = tab.SWEEP_COSTS.setdefault({})
    timed = timed_for(sweep)
    runs = {like(run): run for run in timed.values()}
    # A sweep that the visitor has left before its turn takes no worker's time.
    for name in [name for name, future in known.items() if name not in runs and not future.done()]:
        known.pop(name).cancel()
    for name, run in runs.items():
        if name not in known or (known[name].done() and known[name].exception()):
            known[name] = engine().submit(timed_cost, TRAINING, run)
    if not all(known[name].done() for name in runs):
        return {}
    return {name: known[like(run)].result() for name, run in timed.items()}


def _left(job: Job, costs: Mapping[str, Cost]) -> str:
    """The time left of a job, by its pace since its last start."""
    now = job.overview()
    weights = [costs[like(run)].of(run) if like(run) in costs else run.steps for run in job.experiment.runs]
    each = zip(now.members, job.experiment.runs, weights, strict=True)
    done = sum(weight * member.step / run.steps for member, run, weight in each)
    at = time.monotonic()
    job_id, before, since = tab.SWEEP_PACE.setdefault((job.id, done, at))
    if job_id != job.id or done <= before:
        return ""
    return f", about **{duration_in_words((sum(weights) - done) * (at - since) / (done - before))}** left"
