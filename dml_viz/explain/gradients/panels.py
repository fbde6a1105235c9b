"""The small multiples on the page: one component draws them all, and follows the scene in the hand by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dml_viz.analysis import fresh_learnt
from dml_viz.app import provenance_log
from dml_viz.app.component_loader import loader
from dml_viz.app.theme import theme
from dml_viz.embedding.scene import DIMENSIONS, MOST_CLASSES
from dml_viz.explain.gradients.figures.panel import Panel, Points
from dml_viz.explain.gradients.message import message
from dml_viz.losses import Loss
from dml_viz.params import knobs
from dml_viz.plot.style import palette

_PANELS = st.components.v2.component("dml_viz.panels", js=loader("panels"), isolate_styles=False)


@dataclass(frozen=True)
class Display:
    """How panels are drawn: "raw" or "unit mean" scale, "tangent" or "ambient" arrows, "per point", "per pair" or "one point"."""

    scale: str
    part: str
    draw: str


def panels(
    points: Points,
    shown: Sequence[Panel],
    display: Display,
    *,
    key: str,
    picked: int,
    view: str,
    in_hand: bool,
    on_told: Callable[[Mapping[str, Any]], None],
) -> None:
    """Draw the panels of ``shown``, with ``picked`` the one point where one is wanted, the sphere seen from ``view``.

    Where the scene is in the hand, the hand's overlay "gradients" moves them and knows the picked point and the view; else
    ``on_told`` hears, before the rerun, of {"picked": index} or {"view": side} that the visitor chose here.
    """

    def told() -> None:
        if heard := (st.session_state[key] or {}).get("told"):
            on_told(heard)

    settings = {
        "hand": in_hand, "picked": picked, "view": view, "scale": display.scale,
        "part": display.part, "draw": display.draw, "theme": theme(), "palette": palette(),
        "recipe": provenance_log.exported(key, theme()),
    }  # fmt: skip
    _PANELS(key=key, data=message(points, shown, settings), on_told_change=told)


def followed(losses: Mapping[str, Loss], display: Display, shown: str) -> dict[str, Any]:
    """The settings of the hand's overlay "gradients": every loss as the browser follows it, and whose arrows are shown."""
    return {
        "shown": shown, "part": display.part, "losses": {name: _followed(name, loss) for name, loss in losses.items()},
    }  # fmt: skip


def _followed(name: str, loss: Loss) -> dict[str, Any]:
    stars = "proxies" in loss.learns and loss.per_class == 1
    learnt = {}
    for dim in DIMENSIONS:
        drawn = fresh_learnt(loss, MOST_CLASSES, dim)
        learnt[str(dim)] = {
            other: tensor.flatten().tolist() for other, tensor in drawn.items() if not (stars and other == "proxies")
        }
    return {
        "loss": type(loss).__module__.rpartition(".")[2], "title": loss.name, "knobs": knobs(loss),
        "learnt": learnt, "rows": loss.per_class, "stars": stars, "unit": loss.unit,
    }  # fmt: skip
