"""The buttons of a session's job: train or pause, one step, reset, another seed, and the speed of the picture."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dml_viz.app import tab, url_state
from dml_viz.app.component_loader import component
from dml_viz.app.training_session import RUN, SPEED, SPEEDS, TrainingSession, draw_progress, steps_per_frame
from dml_viz.engine import Job
from dml_viz.engine.job_view import JobView
from dml_viz.engine.status import ENDED, GOING
from dml_viz.params import param_of
from dml_viz.room import task
from dml_viz.room.ask import NEWEST
from dml_viz.training.race import Race
from dml_viz.training.run import STEPS_CAP, Run

STEPPED_WITHIN = 5.0  # seconds
MOST = 100  # presses at once


def counted_button(label: str, on_press: Callable[[int], None], *, key: str, **options: Any) -> None:
    """Draw a button with Streamlit's ``options``; ``on_press`` is called with the number of presses since the last call.

    Streamlit alone gives one call for several presses that come while a page is drawn. Its own click is used where the script
    that counts has not come.
    """
    counter, answered = f"{key}.presses", tab.PRESSES.of(key)

    def count() -> None:
        sent, before = (tab.control(counter).get() or {}).get("presses"), int(answered.get())
        if isinstance(sent, (int, float)) and sent > before:
            answered.set(int(sent))
            on_press(min(int(sent) - before, MOST))

    st.button(label, key=key, on_click=on_press, args=(1,), **options)
    component("presses")(
        key=counter, data={"button": f"st-key-{key.replace('.', '-')}", "taken": answered.get()}, on_presses_change=count
    )


def go_button(
    session: TrainingSession, job: Job | None, wanted: Run | Race, verb: str, icon: str, *, width: int, fixed: bool = False
) -> None:
    """Draw the button that trains or pauses; ``wanted`` is declared by the controls. At the end the button opens a choice.

    Where members failed and the others have ended, it trains those that failed again.
    """
    key = f"{session.name}.{'train' if session.slot == 'run' else 'go'}"
    if job is not None and job.status in ("done", "stopped") and not fixed:
        done = job.status == "done"
        with st.popover(verb, icon=icon, type="primary", width=width):
            st.markdown(" ".join([f"All {job.budget:,} steps are trained."] * done + [job.reason]))
            if done and (more := min(2 * job.budget, STEPS_CAP)) > job.budget:
                st.button(f"Go on to step {more:,}", key=f"{key}.more", on_click=_go_on, args=(session, more))
            st.button("Start again, and lose this run", key=f"{key}.again", on_click=_again, args=(session,))
        return
    going = job is not None and job.status in GOING
    incomplete = job is not None and job.status == "incomplete"
    missing = sum(member.status == "failed" for member in job.overview().members) if job and incomplete else 0
    verb = f"Train {missing} missing {'run' if missing == 1 else 'runs'}" if missing else verb
    st.button(
        "Pause" if going else verb,
        icon=":material/pause:" if going else icon,
        type="primary",
        key=key,
        on_click=session.toggle,
        args=(wanted,),
        width="content" if missing else width,
        disabled=fixed,
    )


def reset_button(session: TrainingSession, job: Job | None, note: str, *, fixed: bool = False) -> None:
    """Draw the button that resets to the same start."""
    _button("Reset", "replay", f"{session.name}.reset", session.reset, note, fixed or job is None)


def _button(label: str, icon: str, key: str, on_click: Callable[[], None], note: str, fixed: bool) -> None:
    st.button(label, icon=f":material/{icon}:", key=key, on_click=on_click, help=note, disabled=fixed)


def run_buttons(job: Job | None, run: Run, more: Callable[[Job | None, Run], None] | None = None) -> None:
    """Draw all buttons of a run and ``more``; ``run`` is declared by the controls."""
    state = url_state.register_control("run.buttons", "train, one step, reset, new seed, speed")
    if state == task.HIDDEN:
        _keep_speed(job)
        return
    fixed = state == task.LOCKED
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="run-buttons"):
        go_button(RUN, job, run, "Train", ":material/play_arrow:", width=130, fixed=fixed)
        counted_button("One step", partial(_step, RUN, run), key="live.one", icon=":material/skip_next:", disabled=fixed)
        reset_button(RUN, job, "Back to the very same start: equal weights, equal batches.", fixed=fixed)
        note = "Other first weights and other batches. Restarts the run."
        _button("New seed", "casino", "live.reseed", _reseed, note, fixed)
        if more:
            more(job, run)
        st.segmented_control(
            "Speed",
            tuple(SPEEDS),
            default=url_state.setting(SPEED.name, SPEED),
            key=SPEED.name,
            required=True,
            format_func=SPEEDS.__getitem__,
            label_visibility="collapsed",
            disabled=fixed,
            help="How many steps are trained from one picture to the next: slowly, each step can be watched.",
        )
        _keep_speed(job)
        for step, what in job.changes[-2:] if job else ():
            st.badge(f"since step {step}: {what}", color="gray")
    if message := tab.RUN_MESSAGE.pop():
        st.info(message)


def step_control(session: TrainingSession, job: JobView) -> int | None:
    """The chosen step of the job, None for the newest, by a control over the steps that it has shown."""
    name, asked = session.step.name, url_state.setting(session.step.name, session.step)
    if tab.VISIT.get().entered:  # the toggle of the page before is gone, and what was set before that one was drawn is not
        tab.FOLLOWS.of(name).set(asked == NEWEST)
    tab.FOLLOWS.of(name).setdefault(asked == NEWEST)
    state = url_state.register_control(name, "step of the run", {NEWEST: "the newest"})
    fixed, newest = state == task.LOCKED, asked == NEWEST
    if state != task.HIDDEN:
        follow = tab.FOLLOWS.of(name).get()
        newest = st.toggle("Follow the newest step", follow, key=tab.FOLLOWS.of(name).name, width="content", disabled=fixed)
    if newest:
        st.session_state[name] = NEWEST
    else:
        st.session_state[name] = job.step if asked == NEWEST else asked
        steps = sorted({*job.steps, st.session_state[name]})
        if len(steps) > 1 and state != task.HIDDEN:
            st.select_slider("Step", steps, key=name, width=300, disabled=fixed)
        draw_progress(job, st.session_state[name], width=130)
    url_state.write_setting(name, st.session_state[name], NEWEST)
    return None if newest else int(st.session_state[name])


def _keep_speed(job: Job | None) -> None:
    url_state.write_setting(SPEED.name, url_state.setting(SPEED.name, SPEED), SPEED.default)
    # On the way to the link's step the run trains at full speed.
    if job and job.step >= RUN.goal and job.steps_per_frame != (wanted := steps_per_frame()):
        job.set_steps_per_frame(wanted)


def _reseed() -> None:
    knob = param_of(Run, "seed")
    assert knob.slider
    others = [seed for seed in range(int(knob.slider[0]), int(knob.slider[1]) + 1) if seed != tab.control("run.seed").get()]
    tab.control("run.seed").set(random.choice(others))


def _go_on(session: TrainingSession, budget: int) -> None:
    tab.control("run.steps").set(budget)
    tab.control(session.step.name).set(NEWEST)
    if job := session.job:
        runs = tuple(replace(run, steps=budget) for run in job.experiment.runs)
        job.change(replace(job.experiment, runs=runs))
        job.play()


def _again(session: TrainingSession) -> None:
    session.reset()
    tab.control(session.step.name).set(NEWEST)
    if job := session.job:
        job.play()


def _step(session: TrainingSession, run: Run, steps: int) -> None:
    if not (job := session.job or session.start(run, paused=True)):
        return
    if job.status == "stopped":
        tab.RUN_MESSAGE.set(job.reason)
    if job.status == "done":
        tab.RUN_MESSAGE.set(
            f"All {job.budget:,} steps of the budget are trained. Raise **steps (T)** under *Training*, or press "
            "**Train** to go on or to start again."
        )
    before = job.latest_step
    job.step_by(steps)
    # The page is drawn once with the new step: it does not rerun later for a paused run.
    job.wait_for(lambda job: job.status in ENDED or job.latest_step > before, STEPPED_WITHIN)
