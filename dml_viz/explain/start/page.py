"""The page Start, drawn."""

import streamlit as st

from dml_viz.app.live import live
from dml_viz.app.page import page, section_notes
from dml_viz.app.prediction_card import asker_of
from dml_viz.app.provenance_log import note_claim
from dml_viz.data.datasets.icons import Icons
from dml_viz.explain.start import CLAIM, ROOM
from dml_viz.explain.start.predictions import PREDICTIONS

ASKER = asker_of(ROOM, PREDICTIONS)
SENTENCE = "A net learns to bring **images of the same thing** together, even of things that it **never saw in training**."
LOOK_FOR = (
    "one icon: point at it to see the eight nearest to it in the embedding and, below them, the eight nearest pixel by pixel. "
    "Then drag the slider back to the start."
)
MISLEADS = (
    "the map keeps neighbours: who is near whom in 64 dimensions. Distances between groups, and their sizes, mean nothing, and "
    "a map of noise has clumps, too (Wattenberg, Viégas and Johnson, 2016). Scores are of all 64 dimensions, on "
    "five images each of 50 classes; among more images they would be lower."
)


def run() -> None:
    """Draw the page."""
    with page(ROOM.title, SENTENCE, ASKER, lesson=True):
        note_claim(CLAIM)
        live(recorded="start", key="start", layout="start", picture="map", waits=ASKER.waits)
        st.caption(f"Icons, disturbed and drawn anew. From {'; '.join(Icons.credits)}.")
        if not ASKER.waits:  # the notes would answer a question
            section_notes(LOOK_FOR, MISLEADS)
