"""The visitor's live run: one per session, begun from a recipe, commanded by buttons, followed from any page."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from functools import partial

import streamlit as st

from dml_viz.app import lesson, provenance_log, url_state
from dml_viz.app.live import Messages
from dml_viz.app.live import live as live_picture
from dml_viz.app.replay_progress import GOING, progress
from dml_viz.app.server import engine
from dml_viz.data.eval_points import WatchedSubject
from dml_viz.engine import Live, TooManyRunsError
from dml_viz.engine.messages import frame_message, subject_message, tick_message
from dml_viz.params import Domain, Param, params
from dml_viz.training.run import STEPS_CAP, Run

RUN, OWNER, SEED, GOAL = "live.id", "live.owner", "run.seed", "live.goal"
NEWEST = -1
STEP = Param("step", NEWEST, "", "step of the run", domain=Domain(NEWEST, STEPS_CAP, False, False))
NONE = -1
QUERY = Param("query", NONE, "", "query", domain=Domain(NONE, 499, False, False))
NOTED_WITHIN, BEGUN_WITHIN = 0.5, 20.0  # seconds


@st.cache_resource(scope="session", on_release=lambda owner: engine().leave(owner), show_spinner=False)
def presence() -> str:
    """The session's token; its release tells that the visitor's tab is closed."""
    return str(st.session_state.setdefault(OWNER, secrets.token_urlsafe(12)))


def current() -> Live | None:
    """The session's live run, if it has one."""
    return engine().get(st.session_state[RUN]) if RUN in st.session_state else None


def start(run: Run, *, until: int | None = None, paused: bool = False) -> Live | None:
    """Begin ``run`` as the session's live run, in place of an earlier one, and train it, to step ``until`` if given.

    None, with the reason on the page, where the server keeps as many runs as it can.
    """
    try:
        st.session_state[RUN] = engine().create(run, presence())
    except TooManyRunsError as full:
        st.error(f"{full}.")
        return None
    st.session_state[GOAL] = NEWEST if until is None else until
    if not paused:
        engine().play(st.session_state[RUN], until)
    return current()


def follow(run: Run) -> Live | None:
    """The session's live run, brought in line with ``run``: changed where it can go on so, else begun anew.

    Where the link asks for a step and there is no run yet, it is trained to that step.
    """
    live, step = current(), url_state.setting("step", STEP)
    if live is None:
        return start(run, until=step) if step > NEWEST else None
    if live.run != run:
        try:
            before = live.changes
            engine().change(live.id, run)
            # Noted when the slice under way has landed, at the step from which on it holds.
            live.wait_for(lambda changed: changed.changes != before, NOTED_WITHIN)
        except ValueError:
            return start(run, paused=live.status not in GOING)
    return live


def step_control(live: Live) -> int | None:
    """A control over the steps that the run has shown; the step chosen, None for the newest."""
    asked = url_state.setting("step", STEP)
    st.session_state.setdefault("step.follow", asked == NEWEST)
    state = url_state.offer("step", "step of the run", {NEWEST: "the newest"})
    fixed, newest = state == lesson.LOCKED, asked == NEWEST
    if state != lesson.HIDDEN:
        follow = st.session_state["step.follow"]
        newest = st.toggle("Follow the newest step", follow, key="step.follow", width="content", disabled=fixed)
    if newest:
        st.session_state["step"] = NEWEST
    else:
        st.session_state["step"] = live.step if asked == NEWEST else asked
        steps = sorted({*live.steps, st.session_state["step"]})
        if len(steps) > 1 and state != lesson.HIDDEN:
            st.select_slider("Step", steps, key="step", width=300, disabled=fixed)
        progress(live, st.session_state["step"], width=300)
    url_state.keep("step", st.session_state["step"], NEWEST)
    return None if newest else int(st.session_state["step"])


def show(live: Live, *, key: str, layout: str) -> None:
    """The live picture of the run; the step and the query that the visitor picks in it are held in the link."""
    step, query = url_state.setting("step", STEP), url_state.setting("query", QUERY)
    provenance_log.moment(live.run, live.step if step == NEWEST else min(step, live.step), live.changes)
    goal = st.session_state.get(GOAL, NEWEST)
    progress(live, goal)
    shown = live_picture(
        # A step that is still to come is shown by following the run, which stops there.
        f"/live/{live.id}", key=key, layout=layout, step=step if NEWEST < step < live.step else None,
        query=None if query == NONE else query,
        status=live.status, messages=Messages(partial(_subject, live), partial(_frame, live)),
    )  # fmt: skip
    query = NONE if shown.query is None else shown.query
    # Where the run stands still its step is held, so that the link brings it back as it is seen; on the way to one, that.
    stands = live.step if live.status not in GOING else goal if live.step < goal else NEWEST
    st.session_state["step"], st.session_state["query"] = NEWEST if shown.step is None else shown.step, query
    url_state.keep("step", stands if shown.step is None else shown.step, NEWEST)
    url_state.keep("query", query, NONE)


def watched_by(live: Live) -> WatchedSubject:
    """What the run watches, waited for; the page ends with a sentence where a worker cannot begin the run."""
    live.wait_for(lambda run: run.subject is not None or run.status == "failed", BEGUN_WITHIN)
    if live.subject is None:
        st.error(f"The run has not begun: {live.reason or 'the server is busy; reload the page in a while'}")
        st.stop()
    return live.subject


def _subject(live: Live) -> bytes:
    watched_by(live)
    message = subject_message(live)
    assert message is not None  # what it watches is all that it tells
    return message


def _frame(live: Live, step: int | None) -> bytes:
    live.watch()
    frame = live.latest if step is None else live.at(step)
    return frame_message(live, frame, 0) if frame else tick_message(live)


def buttons(live: Live | None, run: Run, more: Callable[[Live | None, Run], None] | None = None) -> None:
    """Train or pause, one step, reset to the same start, new seed, and ``more``; ``run`` is what the controls spell."""
    going = live is not None and live.status in GOING
    state = url_state.offer("run.buttons", "train, one step, reset, new seed")
    if state == lesson.HIDDEN:
        return
    fixed = state == lesson.LOCKED
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Pause" if going else "Train", icon=":material/pause:" if going else ":material/play_arrow:", type="primary",
            key="live.train", on_click=_toggle, args=(run,), width=130, disabled=fixed,
        )  # fmt: skip
        st.button(
            "One step", icon=":material/skip_next:", key="live.one", on_click=_one_step, args=(run,), disabled=fixed
        )
        st.button(
            "Reset", icon=":material/replay:", key="live.reset", on_click=_reset, disabled=fixed or live is None,
            help="Back to the very same start: equal weights, equal batches.",
        )  # fmt: skip
        st.button(
            "New seed", icon=":material/casino:", key="live.reseed", on_click=_reseed, disabled=fixed,
            help="Other first weights and other batches. Restarts the run.",
        )  # fmt: skip
        if more:
            more(live, run)
        for step, what in live.changes[-2:] if live else ():
            st.badge(f"since step {step}: {what}", color="gray")


def _toggle(run: Run) -> None:
    live = current()
    st.session_state[GOAL] = NEWEST
    if live is not None and live.status in GOING:
        engine().pause(live.id)
        return
    # Whoever trains wants to see it, on pages too that stand at a step.
    st.session_state["step"], st.session_state["step.follow"] = NEWEST, True
    if live is None:
        start(run)
    elif live.status == "done":
        engine().reset(live.id)
        engine().play(live.id)
    else:
        engine().play(live.id)


def _one_step(run: Run) -> None:
    live = current() or start(run, paused=True)
    if live:
        engine().step(live.id)


def _reset() -> None:
    st.session_state[GOAL] = NEWEST
    if live := current():
        engine().reset(live.id)


def _reseed() -> None:
    (knob,) = (knob for knob in params(Run) if knob.name == "seed")
    assert knob.slider
    others = [
        seed for seed in range(int(knob.slider[0]), int(knob.slider[1]) + 1) if seed != st.session_state.get(SEED)
    ]
    st.session_state[SEED] = random.choice(others)
