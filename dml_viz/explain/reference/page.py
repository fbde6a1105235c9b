"""The page Reference, drawn."""

import streamlit as st

from dml_viz.app import url_state
from dml_viz.app.page import page
from dml_viz.explain.reference.card import draw_card
from dml_viz.explain.reference.cards import draw_methods, draw_overview
from dml_viz.explain.reference.controls import ALL, CARD, OVERVIEW, clear, draw_search
from dml_viz.losses import LOSSES
from dml_viz.params import Param
from dml_viz.room.markdown import to_the_letter


def run() -> None:
    """Draw the page."""
    with page(
        "Reference",
        "Every loss here is a stated variant of its paper's formula, a few knobs and **one weight for every pair of "
        "points**. What libraries call by its name may be another variant.",
    ):
        query = draw_search()
        name = url_state.setting(CARD, Param(CARD, OVERVIEW, "", "card", choices=(OVERVIEW, *LOSSES)))
        url_state.write_setting(CARD, name, OVERVIEW)
        if name != OVERVIEW:
            draw_card(name, query.found)
        elif query.found:
            draw_overview(query.found)
            if not query.words and query.family == ALL:
                draw_methods()
        else:
            st.info(f"There is no {to_the_letter(str(query))}.")
            st.button("Clear search and filter", on_click=clear)
