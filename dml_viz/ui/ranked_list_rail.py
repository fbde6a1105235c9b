"""The rail of the Ranked List page: every knob with what the authors measured, in sight wherever one has scrolled to."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import params
from dml_viz.ui.controls import values
from dml_viz.ui.ranked_list_breaks import KEY
from dml_viz.ui.ranked_list_ticks import measured, ticks

# Where there is room beside the figures the rail stays while they scroll; its column is as tall as theirs.
STYLE = """<style>
@media (min-width: 641px) {
  [data-testid="stColumn"] > div:has(> div > .st-key-ranked-rail) { height: 100%; }
  div:has(> .st-key-ranked-rail) { position: sticky; top: 4rem; }
}
.st-key-ranked-rail { gap: 0.4rem; }
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
        spelt |= values(RankedList, KEY, (knob.name,))
        ticks(knob.name)
    data = next(filter(None, (measured(knob.name)[0] for knob in params(RankedList))))
    st.caption(f"Ticks: R@1 on {data} that the authors report for the value.")
    return RankedList(**spelt)
