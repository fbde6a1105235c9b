"""How far a run is that is trained again to the step that a link asks for."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dml_viz.engine import Live

REFRESH = 0.5  # seconds between a page's looks at a run that trains
GOING = ("running", "asleep")
STYLE = "<style>.st-key-retraining { flex: none; } .st-key-retraining p { white-space: nowrap; }</style>"


def progress(live: Live, step: int, *, width: int | Literal["stretch"] = "stretch") -> None:
    """Draw a bar of the steps trained on the way to ``step``; nothing where the run is there, or has stopped before."""
    if _on_the_way(live, step):
        _bar(live, step, width)


@st.fragment(run_every=REFRESH)
def _bar(live: Live, step: int, width: int | Literal["stretch"]) -> None:
    if _on_the_way(live, step):
        told = f"Training to the link’s step: {live.step:,} of {step:,}"
        with st.container(key="retraining", width=width):
            st.html(STYLE)
            st.progress(min(live.step / step, 1.0), text=told)


def _on_the_way(live: Live, step: int) -> bool:
    return live.step < min(step, live.budget) and live.status in GOING
