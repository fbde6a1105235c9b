"""The second picture of the scene in the hand: the same points under Proxy-Anchor, at every frame of a drag."""

from __future__ import annotations

import streamlit as st

from dml_viz.figures.style import palette
from dml_viz.ui import export_notes
from dml_viz.ui.hand import HEIGHT
from dml_viz.ui.module import loader
from dml_viz.ui.theme import theme

_TWIN = st.components.v2.component("dml_viz.proxies_twin", js=loader("proxies_twin"), isolate_styles=False)


def twin(key: str) -> None:
    """Draw it, under ``key``; the overlay of the hand on this page tells it what to show."""
    _TWIN(
        key=key,
        data={
            "height": HEIGHT,
            "palette": palette(),
            "theme": theme(),
            "recipe": export_notes.recipe(key, theme()).write(),
        },
    )
