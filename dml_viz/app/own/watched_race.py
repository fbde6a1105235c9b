"""A visitor's own training loops side by side, as the racers of a race."""

from dataclasses import replace
from functools import partial

import streamlit as st

from dml_viz.app import glossary, provenance_log, url_state
from dml_viz.app.live import Messages, live
from dml_viz.app.own import watched
from dml_viz.app.server import engine
from dml_viz.app.training_session import NEWEST, NO_POINT, TrainingSession
from dml_viz.engine.messages import frame_message, subject_message
from dml_viz.engine.watched_race import WatchedRace
from dml_viz.params import Domain
from dml_viz.training.watch.frames import STEPS

HERE = "watch.here"
SESSION = TrainingSession.of_race("watch.race")
STEP = replace(SESSION.step, domain=Domain(NEWEST, STEPS, False, False))


def draw() -> bool:
    """Draw the loops that the session sees as a race; False, and a choice at most, where there are no two, or others race."""
    runs = engine().watched.of(watched.viewer())
    if len(runs) < 2:
        return False
    here = url_state.setting(HERE, watched.Digits((watched.HERE,))) == watched.HERE
    here = st.segmented_control(
        "Who races", (False, True), default=here, key="watch.race.here", required=True, label_visibility="collapsed",
        format_func=lambda one: "train here" if one else f"your {len(runs)} training loops",
    )  # fmt: skip
    url_state.keep(HERE, watched.HERE if here else "", "")
    if here:
        return False
    race = WatchedRace(runs)
    step, point = url_state.setting(STEP.name, STEP), url_state.setting(SESSION.point.name, SESSION.point)
    at = race.latest_step if step == NEWEST else min(step, race.latest_step)
    provenance_log.scene(f"{len(runs)} training loops at step {at:,}")
    shown = live(
        f"/live/{race.id}", key="watched_race", layout="race", step=None if step == NEWEST else step,
        query=None if point == NO_POINT else point, status=race.status, setting=STEP.name,
        messages=Messages(partial(_subject, race), partial(frame_message, race)),
    )  # fmt: skip
    for name, value in ((STEP.name, shown.step), (SESSION.point.name, shown.query)):
        st.session_state[name] = NEWEST if value is None else value
        url_state.keep(name, st.session_state[name], NEWEST)
    glossary.say(
        "**How these pictures mislead:** scores compare only where loops watch the same points with one probe. Loops start from "
        "weights of their own, and a step of one may be more work than another's: mind the sizes of their batches. Each shows "
        "its newest frame at or before the step.",
        "caption",
    )
    return True


def _subject(race: WatchedRace) -> bytes:
    message = subject_message(race)
    assert message is not None
    return message
