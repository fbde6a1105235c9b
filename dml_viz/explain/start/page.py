"""The page Start, drawn."""

import streamlit as st

from dml_viz.app.live import live, point_in_link
from dml_viz.app.page import page, section_notes
from dml_viz.app.prediction_card import asker_of
from dml_viz.app.provenance_log import note_claim
from dml_viz.data.datasets.icons import Icons
from dml_viz.explain.start import CLAIM, LIVE, ROOM
from dml_viz.explain.start.predictions import PREDICTIONS

ASKER = asker_of(ROOM, PREDICTIONS)
SENTENCE = "A net learns to bring **images of the same thing** together, even of things that it **never saw in training**."


def run() -> None:
    """Draw the page."""
    with page(ROOM.title, SENTENCE, ASKER, lesson=True):
        note_claim(CLAIM)
        query = point_in_link("start", LIVE.view.point)
        live(recorded="start", key="start", layout="start", picture="map", waits=ASKER.waits, query=query)
        st.caption(f"Icons, disturbed and drawn anew. From {'; '.join(Icons.credits)}.")
        if not ASKER.waits:  # the notes would answer a question
            section_notes(*LIVE.notes)
