"""The page Race, drawn."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import provenance_log
from dml_viz.app.live import live, point_in_link
from dml_viz.app.own import watched_race
from dml_viz.app.page import page, section_notes
from dml_viz.app.prediction_card import asker_of
from dml_viz.app.presets import preset_menu
from dml_viz.app.run_buttons import go_button, reset_button
from dml_viz.app.run_controls import RunControls, draw_run_form
from dml_viz.app.training_session import TrainingSession
from dml_viz.engine.recordings import MAY_DIFFER, recording_of
from dml_viz.explain.race import ROOM, controls
from dml_viz.explain.race.controls_editor import RacersEditor
from dml_viz.explain.race.predictions import PREDICTIONS
from dml_viz.explain.race.settings import NAME, TITLE, VERSIONS, Racing, live_picture, race_title, seeds_of
from dml_viz.room.source import choose_projection

ASKER = asker_of(ROOM, PREDICTIONS)
RACE = TrainingSession.of_race(NAME)


def race_here(corner: DeltaGenerator) -> None:
    """Draw the session's own race and its controls."""
    ask = RunControls()
    ask.of_version(VERSIONS)
    field = controls.racers(ask)
    base = draw_run_form(
        [racer.loss for racer in field], ask, lambda run: [racer.without_unfit_changes(run).run_on(run) for racer in field]
    )
    top = st.container(horizontal=True, vertical_alignment="bottom", key="run-buttons")
    with st.sidebar:
        seeds = seeds_of(ask)
        picture = choose_projection(ask)
    racing, adding = (
        top.container(horizontal=True, vertical_alignment="center", width="content", gap="xsmall") for _ in range(2)
    )
    race = controls.race(base, field, seeds)
    provenance_log.note_claim(race_title(race))
    run = RACE.job_for(race)
    RacersEditor(field, RACE.shown_step, base).draw(adding)
    with corner:
        preset_menu("Presets", controls.PRESETS, controls.apply_preset)
    with racing:
        go_button(RACE, run, race, "Race", ":material/flag:", width=100)
        reset_button(RACE, run, "All back to the very same start.")
        st.caption(f"**{race.total_steps:,} steps** in all")
    if run:
        RACE.show(run, race, key=RACE.name, layout="race", picture=picture)
    elif recorded := recording_of(race):
        query = point_in_link("race", RACE.point)
        live(recorded=recorded, key="race", layout="race", picture=picture, waits=ASKER.waits, query=query)
        st.caption(f"This race of the same settings was recorded. **Race** starts your own; so does any change. {MAY_DIFFER}")
    section_notes(*live_picture(Racing(race, picture)).notes)


def run() -> None:
    """Draw the page."""
    with page(
        TITLE,
        "Losses differ in **where** they send the points: racers that this server trains start from the same weights and "
        "see the same batches, unless a racer has its own.",
        ASKER,
    ) as corner:
        if not watched_race.draw():
            race_here(corner)
