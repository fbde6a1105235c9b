"""The controls of a sweep: its knobs and values, the time that it takes, the button that trains it, and its results."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dml_viz.app import run_controls, tab, task, url_state
from dml_viz.app.controls import PageControls
from dml_viz.app.frontend import visitor
from dml_viz.app.replay_progress import GOING
from dml_viz.app.training_session import presence
from dml_viz.engine import TRAINING, Job, TooManyRunsError
from dml_viz.engine.members import METRICS
from dml_viz.engine.results import Result, csv_of
from dml_viz.engine.saving import Saved
from dml_viz.engine.sweeps import Cost, Results, go_on_with, probe, seconds_of, start_sweep
from dml_viz.explain.sweep.model import SCORES
from dml_viz.explain.sweep.settings import FIRST, LOOK, SAME, SCORE, SECOND, SEEDS, AxisText, axes_of, most_seeds
from dml_viz.explain.sweep.text import words
from dml_viz.figure_files.spec import linked
from dml_viz.params import Param
from dml_viz.room.run_settings import run_link
from dml_viz.serve.server import engine
from dml_viz.training.digest import digest
from dml_viz.training.paths import paths, title_at, write_value
from dml_viz.training.run import Run
from dml_viz.training.sweep import EQUAL, LOOKS, Axis, Sweep, suggested

LINK = "sweep.run"  # the key of the job in the address
NONE = ""
REFRESH = 1.0  # seconds
PRICED = 12  # cells timed at most
CLICKABLE = ("knob", "grid", "lines")


def tried(run: Run) -> tuple[Run, ...]:
    """One run of each combination of values that the sweep of ``run`` tries."""
    return Sweep(run, axes_of(PageControls(), run), 1).runs


def wanted(run: Run) -> Sweep:
    """Draw the knob, its values and the number of seeds; return the sweep of ``run`` with these."""
    axes = axes_of(PageControls(), run)
    first, second = (axes[0].write(), axes[1].write() if len(axes) > 1 else NONE)
    most = most_seeds(len(Sweep(run, axes, 1).cells))
    left, middle, right, last = st.columns([4, 5, 3, 2], vertical_alignment="bottom")
    with left:
        _knob(run, FIRST, first, "")
    with middle:
        _values(run, FIRST, first, "")
    with right:
        seeds = PageControls().number("seeds", "Seeds", 1, most, min(SEEDS, most), note="Each value from so many starts.")
    with last:
        equal = _more(run, first, second)
    if message := tab.SWEEP_MESSAGE.pop():
        st.warning(f"{message}.")
    return Sweep(run, axes, seeds, equal)


def _more(run: Run, first: str, second: str) -> str:
    """Draw the second knob and the choice of what all runs have equal; return this choice."""
    with st.popover("More", icon=":material/tune:", width="stretch"):
        _knob(run, SECOND, second, first)
        if second:
            _values(run, SECOND, second, first)
        return PageControls().choice(
            SAME,
            "Equal for all",
            EQUAL,
            EQUAL[0],
            note="Steps, or images seen: with larger batches a run sees more images in as many steps.",
        )


def shown(sweep: Sweep) -> tuple[str, int]:
    """Draw the choice of score and of step; return both."""
    score = PageControls().choice(SCORE, "Score", tuple(SCORES), "map", named=SCORES, menu=True)
    steps = {look: round(sweep.run.steps * look / LOOKS) for look in range(1, LOOKS + 1)}
    knob = Param(LOOK, LOOKS, "", "step shown", choices=tuple(steps))
    look, state = url_state.setting(LOOK, knob), url_state.offer(LOOK, "step shown")
    if state != task.HIDDEN:
        look = st.select_slider(
            "Step shown", tuple(steps), look, key=LOOK, format_func=lambda k: f"{steps[k]:,}", disabled=state == task.LOCKED
        )
    url_state.keep(LOOK, look, LOOKS)
    return score, int(look)


def job_of(sweep: Sweep) -> Job | None:
    """The session's job that trains runs of ``sweep``, or None."""
    job = engine().get(tab.JOB.of("sweep").get())
    return job if job and set(job.experiment.runs) <= set(sweep.runs) else None


def followed(sweep: Sweep) -> Job | None:
    """The job as `job_of` returns it; at first the job in the link, resumed from its last save if its server is gone."""
    known, job = url_state.arriving_job(LINK), job_of(sweep)
    before = (engine().get(known) or engine().saved(known)) if known and not job else None
    if before:
        experiment = before.members.experiment if isinstance(before, Saved) else before.experiment
        going = before.going if isinstance(before, Saved) else before.status in GOING
        if set(experiment.runs) <= set(sweep.runs):
            job = _begin(partial(go_on_with, engine(), before, presence(), visitor()))
        if job and going:
            job.play()
        if job and isinstance(before, Saved):
            done = sum(member.status == "done" for member in job.overview().members)
            st.toast(f"The server lost this sweep. It goes on as it was saved last, {done} of {len(experiment.runs)} runs done.")
    url_state.keep(LINK, job.id if job else "", "", shared=False)
    return job


def at_rest(sweep: Sweep, job: Job | None) -> bool:
    """Whether nothing will change by itself: no run trains, and the time of missing runs is known."""
    return not (job and job.status in GOING) and (not _missing(sweep) or bool(_costs(sweep)))


def buttons(sweep: Sweep, stopped: Sequence[str], job: Job | None) -> None:
    """Draw the button that trains the missing runs, or pauses; with the time that they take, or the progress.

    Those that ``stopped``, for these reasons, are not missing.
    """
    state = url_state.offer("sweep.go", "sweep and pause")
    going = job is not None and job.status in GOING
    left = _missing(sweep)
    missing = len(left)
    costs = _costs(sweep) if missing else {}
    price = seconds_of(left, [costs[_like(run)] for run in left], engine().workers) if costs else 0.0
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
            st.caption(f"**{len(sweep.runs)} runs** of {sweep.run.steps:,} steps, {remark}.")
        elif going and job:
            share = 1 - missing / len(sweep.runs)
            st.progress(share, f"{len(sweep.runs) - missing} of {len(sweep.runs)} runs{_left(job, costs)}")
        elif not costs:
            st.caption(f"**{missing} runs** of {sweep.run.steps:,} steps; a few of them are being timed.")
        else:
            workers = engine().workers
            longer = f" A sweep may take {words(engine().limits.sweep)}: take fewer values, seeds or steps." if beyond else ""
            on = f"on {workers} worker{'s' if workers > 1 else ''}"
            st.caption(f"**{missing} runs of {sweep.run.steps:,} steps: about {words(price)}** {on}.{longer}")
    failed = [member.reason for member in job.overview().members if member.status == "failed"] if job else []
    for reasons, what in ((stopped, "stopped before their end"), (failed, "failed")):
        if reasons:
            st.caption(f"{len(reasons)} of {len(sweep.runs)} runs {what}: {reasons[0]}")


def stopped(sweep: Sweep) -> list[str]:
    """Why runs stopped before their end, each of which would again."""
    results = Results(engine().store)
    return [reason for run in sweep.runs if (reason := results.stopped(run))]


def table(sweep: Sweep, results: Sequence[Result | None]) -> None:
    """Draw a table of all runs with their scores and links, and a button that saves the scores at all looks as CSV."""
    rows = []
    for number, (run, result) in enumerate(zip(sweep.runs, results, strict=True)):
        cell = dict(zip(sweep.titles, map(write_value, sweep.cells[number % len(sweep.cells)]), strict=True))
        last = result.rows[-1, 1:].tolist() if result else [None] * len(METRICS)
        rows.append(
            {**cell, "seed": run.seed, **dict(zip(map(_titled, METRICS), last, strict=True)), "run": _opening(run) or None}
        )
    columns = {_titled(name): st.column_config.NumberColumn(format="%.3f") for name in METRICS}
    opens = st.column_config.LinkColumn(display_text="open")
    st.dataframe(rows, hide_index=True, column_config={**columns, "run": opens})
    st.download_button(
        "CSV",
        csv_of(sweep, results),
        "sweep.csv",
        "text/csv",
        icon=":material/download:",
        key="sweep.csv",
        on_click="ignore",
        help="Every run at every step that was looked at.",
    )


def _titled(metric: str) -> str:
    score, _, group = metric.partition(".")
    return f"{SCORES[score]}, {group}" if group else SCORES[score]


def pick(number: int) -> None:
    """Pick the run of number ``place``."""
    tab.SWEEP_PICK.set(number)


def picked(sweep: Sweep) -> None:
    """Draw the picked run, with a link that opens it."""
    number = tab.SWEEP_PICK.get()
    if number is None or not 0 <= number < len(sweep.runs):
        st.caption("Click a point to open its run.")
        return
    run, cell = sweep.runs[number], sweep.cells[number % len(sweep.cells)]
    label = ", ".join(f"{title} {write_value(value)}" for title, value in zip(sweep.titles, cell, strict=True))
    link = _opening(run)
    opens = f"[Open it in Train live]({link})" if link else "Train live has no such value."
    st.markdown(f"**{label}, seed {run.seed}.** {opens}")


def results_of(sweep: Sweep) -> tuple[Result | None, ...]:
    """The results of all runs so far."""
    return Results(engine().store).all_of(sweep)


def _opening(run: Run) -> str:
    """A link that opens ``run`` on the training page; empty if that page cannot show one of the values."""
    link = run_link(run)
    return linked("train", link) if link or replace(run, every=0) == Run() else ""


def _missing(sweep: Sweep) -> tuple[Run, ...]:
    return Results(engine().store).missing(sweep)


def _knob(run: Run, key: str, text: str, first: str) -> None:
    """Draw the choice of a knob; its axis is ``text``, in the session under ``key``."""
    state, known = url_state.offer(key, "knob and values"), paths(run)
    if state == task.HIDDEN:
        return
    path, other = text.partition(":")[0], first.partition(":")[0]
    offered = [each for each, knob in known.items() if each != other and (each == path or len(suggested(knob)) > 1)]
    names = [NONE, *offered] if key == SECOND else offered
    tab.control(f"{key}.knob").set(path)
    label, note = "Second knob" if key == SECOND else "Knob", known[path].meaning if path in known else ""
    st.selectbox(
        label,
        names,
        names.index(path),
        key=f"{key}.knob",
        on_change=_chosen,
        args=(run, key),
        format_func=lambda each: title_at(run, each) if each else "none",
        disabled=state == task.LOCKED,
        help=f"{note[:1].upper()}{note[1:]}." if note else None,
    )


def _values(run: Run, key: str, text: str, first: str) -> None:
    """Draw the values of a knob."""
    state = url_state.offer(f"{key}.values", "values")
    if state == task.HIDDEN:
        return
    axis = Axis.read(run, text)
    knob = paths(run)[axis.path]
    written = tab.control(f"{key}.values").set(", ".join(map(write_value, axis.values)))
    st.text_input(
        "Values",
        written,
        key=f"{key}.values",
        on_change=_typed,
        args=(run, key, axis.path, first),
        disabled=state == task.LOCKED,
        help=f"Between commas; allowed: {knob.allowed}.",
    )


def _chosen(run: Run, key: str) -> None:
    path = tab.control(f"{key}.knob").get()
    st.session_state[key] = Axis(path, suggested(paths(run)[path])).write() if path else NONE


def _typed(run: Run, key: str, path: str, first: str) -> None:
    text = tab.control(f"{key}.values").get()
    try:
        st.session_state[key] = AxisText(run, first, key == SECOND).read(f"{path}:{text}")
    except ValueError as error:
        tab.SWEEP_MESSAGE.set(str(error))


def take(settings: Mapping[str, Any]) -> None:
    """Set the controls of the sweep and of its run to ``settings``, all others to their defaults."""
    url_state.reset((FIRST, SECOND, "seeds", SAME, LOOK))
    run_controls.take(settings)
    tab.SWEEP_PICK.pop()


def _toggle(sweep: Sweep) -> None:
    job = job_of(sweep)
    tab.SWEEP_PACE.pop()
    if job and job.status in GOING:
        job.pause()
    elif job and set(_missing(sweep)) <= set(job.experiment.runs) and job.status == "paused":
        job.play()
    else:
        _begin(partial(start_sweep, engine(), sweep, presence(), visitor()))


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


def _like(run: Run) -> str:
    """What ``run`` has in common with all runs that take equally long."""
    return digest(replace(run, seed=0))


def _costs(sweep: Sweep) -> dict[str, Cost]:
    """The costs of a sweep's runs, by `_like`; empty until a worker has timed them."""
    known: dict[str, Future[Cost]] = tab.SWEEP_COSTS.setdefault({})
    cells = [sweep.run_of(cell) for cell in sweep.cells]
    apart = -(-len(cells) // PRICED)
    runs = {_like(run): run for run in cells[::apart]}
    # A sweep that the visitor has left before its turn takes no worker's time.
    for name in [name for name, future in known.items() if name not in runs and not future.done()]:
        known.pop(name).cancel()
    for name, run in runs.items():
        if name not in known or (known[name].done() and known[name].exception()):
            known[name] = engine().submit(probe, TRAINING, run)
    timed = [known[_like(run)] for run in cells[::apart]]
    if not all(future.done() for future in timed):
        return {}
    # A cell that was not timed gets the cost of its neighbour.
    return {_like(run): timed[number // apart].result() for number, run in enumerate(cells)}


def _left(job: Job, costs: Mapping[str, Cost]) -> str:
    """The time left of a job, by its pace since its last start."""
    now = job.overview()
    weights = [costs[_like(run)].of(run) if _like(run) in costs else run.steps for run in job.experiment.runs]
    each = zip(now.members, job.experiment.runs, weights, strict=True)
    done = sum(weight * member.step / run.steps for member, run, weight in each)
    at = time.monotonic()
    job_id, before, since = tab.SWEEP_PACE.setdefault((job.id, done, at))
    if job_id != job.id or done <= before:
        return ""
    return f", about **{words((sum(weights) - done) * (at - since) / (done - before))}** left"
