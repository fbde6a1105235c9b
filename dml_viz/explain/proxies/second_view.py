"""The second view of the scene, drawn by Streamlit: the same points under Proxy-Anchor, at every frame of a drag."""

from __future__ import annotations

import streamlit as st

from dml_viz.app import provenance_log
from dml_viz.app.component_loader import loader
from dml_viz.app.scene_editor import HEIGHT
from dml_viz.app.theme import theme
from dml_viz.plot.style import palette

_VIEW = st.components.v2.component("dml_viz.second_view", js=loader("second_view"), isolate_styles=False)


def second_view(key: str) -> None:
    """Draw the view under ``key``; the overlay of the page's scene editor sends what it shows."""
    recipe = provenance_log.exported(key, theme())
    _VIEW(key=key, data={"height": HEIGHT, "palette": palette(), "theme": theme(), "recipe": recipe})
