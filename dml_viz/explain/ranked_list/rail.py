"""The rail of the Ranked List page: every knob with what the authors measured, in sight wherever one has scrolled to."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dml_viz.app.controls import values
from dml_viz.explain.ranked_list.breaks import KEY
from dml_viz.explain.ranked_list.ticks import measured, ticks
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import params

STYLE = """<style>
.st-key-ranked-formulas .katex { font-size: 1.05em; }
.st-key-ranked-formulas .katex-display { margin: 0.2rem 0; overflow: auto hidden; }
</style>"""


def style() -> None:
    """What the page looks like beyond the frame's own style."""
    st.html(STYLE)


def knobs() -> RankedList:
    """Draw the knobs; the loss that they spell."""
    spelt: dict[str, Any] = {}
    for knob in params(RankedList):
        with st.container(gap=None):
            spelt |= values(RankedList, KEY, (knob.name,))
            ticks(knob.name)
    data = next(filter(None, (measured(knob.name)[0] for knob in params(RankedList))))
    st.caption(f"Ticks: R@1 on {data} that the authors report for the value.")
    return RankedList(**spelt)
