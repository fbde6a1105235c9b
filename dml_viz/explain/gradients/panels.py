"""The small multiples on the page: one component draws them all, and follows a dragged scene by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from dml_viz.app import provenance_log
from dml_viz.app.component_loader import loader
from dml_viz.explain.gradients.controls import KEY
from dml_viz.explain.gradients.message import message
from dml_viz.explain.gradients.model import Model
from dml_viz.plot.display import Display
from dml_viz.plot.style import palette

PANELS = f"{KEY}-panels"

_PANELS = st.components.v2.component("dml_viz.panels", js=loader("panels"), isolate_styles=False)


def panels(model: Model, display: Display, *, in_hand: bool, on_change: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw the panels of ``model``.

    Where the scene is dragged, its overlay "gradients" moves the panels and knows the picked point and the view; else
    ``on_change`` gets, before the rerun, {"picked": index} or {"view": side} that the visitor chose here.
    """

    def changed() -> None:
        if report := (st.session_state[PANELS] or {}).get("told"):
            on_change(report)

    chosen = model.settings
    settings = {
        "hand": in_hand, "picked": min(chosen.query, len(model.y) - 1), "view": chosen.view, "scale": chosen.scale,
        "part": chosen.part, "draw": chosen.draw, "theme": display.theme, "palette": palette(),
        "recipe": provenance_log.exported(PANELS, display.theme),
    }  # fmt: skip
    _PANELS(key=PANELS, data=message(model.points, model.panels, display.classes, settings), on_told_change=changed)
