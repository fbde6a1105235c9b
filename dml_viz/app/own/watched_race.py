"""A visitor's own training loops side by side, as the racers of a race."""

from dataclasses import replace

import streamlit as st

from dml_viz.app import glossary, provenance_log, url_state
from dml_viz.app.live import live_in_link
from dml_viz.app.own import watched
from dml_viz.app.training_session import TrainingSession
from dml_viz.engine.watched_race import WatchedRace
from dml_viz.params import Domain, Param
from dml_viz.room.ask import NEWEST
from dml_viz.room.source import MAP_MISLEADS
from dml_viz.serve.server import engine
from dml_viz.training.watch.frames import STEPS

HERE = "watch.here"
SESSION = TrainingSession.of_race("watch.race")
STEP = replace(SESSION.step, domain=Domain(NEWEST, STEPS, False, False))


def draw() -> bool:
    """Draw the session's loops as a race; return False if there are fewer than two, or if the visitor races here instead."""
    runs = engine().watched.of(watched.viewer_key())
    if len(runs) < 2:
        return False
    here = url_state.setting(HERE, Param(HERE, "", "", "who races", choices=("", watched.HERE))) == watched.HERE
    here = st.segmented_control(
        "Who races",
        (False, True),
        default=here,
        key="watch.race.here",
        required=True,
        label_visibility="collapsed",
        format_func=lambda job: "train here" if job else f"your {len(runs)} training loops",
    )
    url_state.write_setting(HERE, watched.HERE if here else "", "")
    if here:
        return False
    race = WatchedRace(runs)
    step = url_state.setting(STEP.name, STEP)
    at = race.latest_step if step == NEWEST else min(step, race.latest_step)
    provenance_log.note_scene(f"{len(runs)} training loops at step {at}", at)
    shown, picture = None if step == NEWEST else step, watched.picture_of_loops(*(job.run for job in runs))
    live_in_link(race, STEP, SESSION.point, key="watched_race", layout="race", at=shown, picture=picture)
    glossary.say(
        "**How these pictures mislead:** scores compare only where loops watch the same points with one probe. Loops start from "
        "weights of their own, and a step of one may be more work than another's: mind the sizes of their batches. Each shows "
        f"its newest frame at or before the step.{MAP_MISLEADS * (picture == 'map')}",
        "caption",
    )
    return True
