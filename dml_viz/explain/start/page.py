"""The page Start, drawn."""

import streamlit as st

from dml_viz.app.live import live
from dml_viz.app.page import page, section
from dml_viz.app.prediction_card import Asker
from dml_viz.data.datasets.icons import Icons
from dml_viz.explain.start import CLAIM, ROOM
from dml_viz.explain.start.predictions import PREDICTIONS, models

ASKER = Asker(PREDICTIONS, models)
LOOK_FOR = (
    "one icon: point at it to see the eight nearest to it in the embedding and, below them, the eight nearest pixel by pixel. "
    "Then drag the slider back to the start."
)
MISLEADS = (
    "the map keeps neighbours: who is near whom in 64 dimensions. Distances between groups, and their sizes, mean nothing, and "
    "a map of noise has clumps, too (Wattenberg, Viégas and Johnson, 2016). Ten classes are in colour, the first of the data "
    "and that of the icon you click; they are not the best ones. Scores are of all 64 dimensions, on five images each of 50 "
    "classes; among more images they would be lower."
)


def run() -> None:
    """Draw the page."""
    with (
        page(
            ROOM.title,
            "A net learns an **embedding**: images of one class get close, others get far. It is judged on **classes that it "
            "never saw in training**, such as the icons below.",
            ASKER,
            lesson=True,
        ),
        # The claim would answer a question.
        section(CLAIM, **({} if ASKER.waits else {"look_for": LOOK_FOR, "misleads": MISLEADS})),
    ):
        live(recorded="start", key="start", layout="start", picture="map", waits=ASKER.waits)
        st.caption(f"Icons, disturbed and drawn anew. From {'; '.join(Icons.credits)}.")
