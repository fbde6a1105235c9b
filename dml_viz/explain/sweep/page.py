"""The page Sweep, drawn."""

import streamlit as st

from dml_viz.app import glossary, provenance_log, url_state
from dml_viz.app.figure import of_room
from dml_viz.app.page import page, section, section_notes
from dml_viz.app.prediction_card import Asker
from dml_viz.app.presets import preset_menu
from dml_viz.app.run_controls import draw_run_form
from dml_viz.engine.results import retrained_scores, score_table
from dml_viz.explain.sweep import ROOM, controls, controls_table, controls_training
from dml_viz.explain.sweep import text as say
from dml_viz.explain.sweep.controls_swept import SweptControls
from dml_viz.explain.sweep.model import ScoreTable, Settings
from dml_viz.explain.sweep.predictions import PREDICTIONS, models
from dml_viz.explain.sweep.settings import PRESETS, TITLE
from dml_viz.room.room import NO_POINTS

ASKER = Asker(PREDICTIONS, models)


def draw(name: str, settings: Settings) -> None:
    """Draw a figure of the room."""
    of_room(ROOM, name, settings, controls_table.pick_run if name in controls_table.CLICKABLE else None)


def run() -> None:
    """Draw the page."""
    with page(
        TITLE,
        "A knob matters where it moves the score **more than chance does**. Try its values, each from the same seeds, and "
        "compare.",
        ASKER,
    ) as corner:
        with corner:
            preset_menu("Presets", PRESETS, controls.apply_preset)
        sweep = controls.draw_sweep_form(draw_run_form(controls=SweptControls(), variants=controls.runs_of_cells))
        job = controls_training.job_of_link(sweep)

        rests = controls_training.at_rest(sweep, job)

        @st.fragment(run_every=None if rests else controls_training.REFRESH)
        def article() -> None:
            """Draw all that changes while runs train."""
            if job:
                job.watch()
            if not rests and controls_training.at_rest(sweep, job):
                st.rerun()
            results, stopped = controls_training.results_of(sweep), controls_training.stopped(sweep)
            left, right = st.columns([3, 1], gap="medium")
            with right:
                score, look = controls.draw_score_and_step(sweep)
                settings = Settings(
                    sweep, ScoreTable(score_table(sweep, results), retrained_scores(sweep, results)), score, look, len(stopped)
                )
                model = ROOM.model(NO_POINTS, settings)
                if not ASKER.waits:
                    glossary.say(say.verdict(model))
            provenance_log.note_step_of_sweep(sweep, model.step)
            with left:
                controls_training.buttons(sweep, stopped, job)
                provenance_log.note_claim("A knob moves the score, and so does the seed")
                draw(model.figure, settings)
                if any(results):
                    controls_table.draw_picked_run(sweep)
            section_notes(say.LOOK_FOR, say.MISLEADS)
            with st.expander("How training went, chance, and every run"):
                first, second = st.columns(2, gap="medium")
                with first, section("Values may differ early and agree late", look_for=say.COURSE):
                    draw("course", settings)
                with second, section("A knob that does nothing moves the score, too", look_for=say.CHANCE):
                    draw("chance", settings)
                controls_table.table(sweep, results)
            url_state.write_address()

        article()
