"""The second picture of the scene in the hand: the same points under Proxy-Anchor, at every frame of a drag."""

from __future__ import annotations

import streamlit as st

from dml_viz.app import provenance_log
from dml_viz.app.component_loader import loader
from dml_viz.app.scene_editor import HEIGHT
from dml_viz.app.theme import theme
from dml_viz.plot.style import palette

_TWIN = st.components.v2.component("dml_viz.second_view", js=loader("second_view"), isolate_styles=False)


def twin(key: str) -> None:
    """Draw it, under ``key``; the overlay of the hand on this page tells it what to show."""
    _TWIN(
        key=key,
        data={
            "height": HEIGHT,
            "palette": palette(),
            "theme": theme(),
            "recipe": provenance_log.exported(key, theme()),
        },
    )
