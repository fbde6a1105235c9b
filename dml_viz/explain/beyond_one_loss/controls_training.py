"""The live part of the page: the plain run and the one with the method, trained together from the same start."""

from urllib.parse import urlencode

import streamlit as st

from dml_viz.app import provenance_log, url_state
from dml_viz.app.article import Drawing
from dml_viz.app.run_buttons import go_button, reset_button
from dml_viz.app.training_session import TrainingSession
from dml_viz.explain.beyond_one_loss.model_training import SEEDS, TOGETHER, Settings, race_of
from dml_viz.room.run_settings import run_link

RACE = TrainingSession.of_race(TOGETHER)


def trained(drawing: Drawing) -> None:
    """Draw the button that trains both runs, their results so far, and links to other pages."""
    settings: Settings = drawing.offer.settings
    race = race_of(settings)
    with provenance_log.aside():
        job = RACE.follow(race, begin=False)
        with st.container(horizontal=True, vertical_alignment="center", key="together-buttons"):
            go_button(RACE, job, race, "Train without and with it", ":material/flag:", width=230)
            if job:
                reset_button(RACE, job, "Both back to the very same start.")
            st.markdown(f"A: {settings.against}. B: with the method. One start, the same seed. {_ways(settings)}")
        if job:
            RACE.show(job, race, key=RACE.name, layout="race")
    url_state.write()


def _ways(settings: Settings) -> str:
    """Links to the run on the training page, and to more seeds and knobs on Sweep."""
    link = run_link(settings.run)
    if not link:
        return ""
    sweep = {**link, "axis": settings.axis.write(), "seeds": str(SEEDS)}
    return f"[Open in Train live](train?{urlencode(link)}) · [More seeds on Sweep](sweep?{urlencode(sweep)})"
