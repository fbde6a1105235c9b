"""The page Train live, drawn."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import glossary
from dml_viz.app.live import live, point_in_link
from dml_viz.app.own import watched
from dml_viz.app.page import page
from dml_viz.app.prediction_card import Asker
from dml_viz.app.presets import preset_menu
from dml_viz.app.run_buttons import run_buttons
from dml_viz.app.run_controls import PRESETS, RunControls, apply_preset, draw_run_form
from dml_viz.app.training_session import RUN
from dml_viz.engine.recordings import MAY_DIFFER, recording_of
from dml_viz.explain.train import controls
from dml_viz.explain.train.predictions import PREDICTIONS, scores_of
from dml_viz.explain.train.settings import MISLEADS, TITLE, VERSIONS
from dml_viz.room.source import choose_projection

CLAIM = (
    "A net learns from **images it is shown** and is judged on others, as a rule of **classes it never saw**: does an image "
    "still find others of its class?"
)
ASKER = Asker(PREDICTIONS, lambda _: (scores_of(RUN.job),) * 2)
WATCHED = "Your own training loop, step by step: do its embeddings **find others of their class**?"


def train(corner: DeltaGenerator) -> None:
    """Draw the session's own run and its controls."""
    with corner:
        preset_menu("Presets", PRESETS, apply_preset)
    ask = RunControls()
    ask.of_version(VERSIONS)
    wanted = draw_run_form(controls=ask)
    with st.sidebar:
        picture = choose_projection(ask)
    branch = controls.branch(wanted)
    run = RUN.job_for(wanted, begin=branch is None)
    # A recording would give the answer away; the visitor trains to see it.
    if run is None and not branch and ASKER.waits:
        run = RUN.start(wanted, paused=True)
    if branch:
        controls.draw_both_branches(branch, wanted, run, picture)
    else:
        run_buttons(run, wanted, controls.draw_fork_button)
    if branch:
        glossary.say(
            "**Look for** where B leaves A, and whether it ends higher: by less than another seed would, that is luck.", "caption"
        )
    elif run:
        RUN.show(run, wanted, key="train", layout="train", picture=picture)
    elif recorded := recording_of(wanted):
        live(recorded=recorded, key="train", layout="train", picture=picture, query=point_in_link("train", RUN.point))
        st.caption(
            "This run of the same settings was recorded. **Train** starts your own; so does any change of a setting. "
            + MAY_DIFFER
        )
    glossary.say(f"**How these pictures mislead:** {MISLEADS}", "caption")


def run() -> None:
    """Draw the page."""
    with page(TITLE, WATCHED if watched.is_shown() else CLAIM, ASKER) as corner:
        if not watched.draw():
            train(corner)
