"""The second view of the scene, drawn by Streamlit: the same points under Proxy-Anchor, at every frame of a drag."""

from __future__ import annotations

import streamlit as st

from dml_viz.app import provenance_log
from dml_viz.app.component_loader import loader
from dml_viz.app.explainer import Drawing

_VIEW = st.components.v2.component("dml_viz.second_view", js=loader("second_view"), isolate_styles=False)


def second_view(drawing: Drawing) -> None:
    """Draw the view beside a scene that is dragged; the overlay of the scene editor sends what it shows."""
    if drawing.editor:
        key = f"{drawing.room.key}.twin"
        component = drawing.room.components["twin"](drawing.model, drawing.display)
        _VIEW(key=key, data={**component.data, "recipe": provenance_log.exported(key, drawing.display.theme)})
