"""Reference

Every loss and every knob: formula, variants, traps, and the code to take along.
"""

import streamlit as st

from dml_viz.losses import LOSSES
from dml_viz.ui import link
from dml_viz.ui.page import page
from dml_viz.ui.reference_card import card
from dml_viz.ui.reference_overview import overview
from dml_viz.ui.reference_search import CARD, OVERVIEW, clear, search
from dml_viz.ui.reference_words import to_the_letter

with page(
    "Reference",
    "Every loss here is its paper's formula, a few knobs and **one weight for every pair of points**; what libraries call by its "
    "name may be another variant.",
):
    wanted = search()
    chosen = link.setting(CARD, link.option(CARD, "card", (OVERVIEW, *LOSSES), OVERVIEW))
    link.keep(CARD, chosen, OVERVIEW)
    if chosen != OVERVIEW:
        card(chosen, wanted.found)
    elif wanted.found:
        overview(wanted.found)
    else:
        st.info(f"There is no {to_the_letter(str(wanted))}.")
        st.button("Clear search and filter", on_click=clear)
