"""The components of the page of gradients: the panels of all losses, which follow a dragged scene, and the player of flows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from dml_viz.app import provenance_log
from dml_viz.app.component_loader import loader
from dml_viz.app.room import Component
from dml_viz.engine.wire import pack
from dml_viz.explain.gradients.controls import KEY

_PANELS = st.components.v2.component("dml_viz.panels", js=loader("panels"), isolate_styles=False)
_FLOW = st.components.v2.component("dml_viz.flow", js=loader("flow"), isolate_styles=False)


def draw(component: Component, theme: str, on_change: Callable[[Mapping[str, Any]], None], **more: Any) -> None:
    """Draw the panels or the flows, with ``more`` in the header.

    ``on_change`` gets, before the rerun, what a visitor chose there: {"picked": index}, {"view": side} or {"step": k}. Where a
    scene is dragged, its overlay moves the panels and knows the picked point and the view.
    """
    key = f"{KEY}-{component.module}"

    def changed() -> None:
        if report := (st.session_state[key] or {}).get("told"):
            on_change(report)

    header = {**component.data, "recipe": provenance_log.exported(key, theme), **more}
    shown = _PANELS if component.module == "panels" else _FLOW
    shown(key=key, data=pack(header, component.arrays or {}), on_told_change=changed)
