"""The page Papers, drawn."""

import streamlit as st

from dml_viz.app import glossary, provenance_log
from dml_viz.app.controls import OPEN, PageControls
from dml_viz.app.figure import of_room
from dml_viz.app.page import page, section
from dml_viz.explain.papers import ROOM
from dml_viz.explain.papers import text as say
from dml_viz.room.room import NO_POINTS
from dml_viz.room.source import Subject


def run() -> None:
    """Draw the page."""
    with page("Papers", say.CLAIM):
        with st.container(horizontal=True, key="switches"):
            settings = ROOM.settings(PageControls(most=OPEN), Subject())
        provenance_log.note_losses_of_room(ROOM, settings)
        model = ROOM.model(NO_POINTS, settings)
        if settings.picked not in ("", *model.methods):
            st.caption(f"The survey gives no number of {settings.picked} on {settings.dataset}: no method is highlighted.")
        left, right = st.columns(2, gap="medium")
        with section(
            "Methods that differ by a point may differ by their nets",
            left,
            look_for="lines that cross: which method is better then depends on k.",
            misleads="a line joins a few numbers of one paper; none of them has a spread over seeds.",
        ):
            of_room(ROOM, "slopes", settings, of_file=False)
        with section(
            "A number far from all others may be of another metric"
            if model.doubtful_methods
            else "No number is far from all others",
            right,
            look_for="a method far below the others: of the queries that it misses at R@1, its next column finds far fewer."
            if model.doubtful_methods
            else "how close the methods lie: none misses far more at its next column than the others do.",
            misleads="a number far from the others is not proved wrong; the paper’s own table decides.",
        ):
            of_room(ROOM, "gains", settings, of_file=False)
        columns = say.recall_columns(model)
        percent = {name: st.column_config.NumberColumn(format="%.1f") for name in columns if name.startswith("R@")}
        st.dataframe(columns, hide_index=True, column_config=percent, placeholder="–")
        st.caption(
            "Percent, as a survey of these papers gathers them; – where the survey gives none. A click on a column sorts by it. "
            "What this app measures itself, from the same weights and over several seeds, is on [Race](race)."
        )
        glossary.say(say.reality_checks())
        glossary.say("What each paper does, and where you can see it", "subheader", anchor=False)
        with st.container(key="papers-ideas"):
            glossary.say(say.papers_table())
