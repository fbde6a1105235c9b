"""The flows on the page: one component plays them all, from one message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from dml_viz.app import provenance_log
from dml_viz.app.component_loader import loader
from dml_viz.engine.wire import pack
from dml_viz.explain.gradients.controls import KEY, STEPS
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.model_flow import Flow, flow, rates
from dml_viz.explain.gradients.model_panels import drawn
from dml_viz.plot.display import Display
from dml_viz.plot.style import palette

FLOW = f"{KEY}-flow"

STEPS_OF_MANY, MANY = 30, 64  # steps of more points than so many
MOST_FLOWS = 48
WHOLE = 65535  # what a coordinate of 1 is sent as; -1 is sent as 0

_FLOW = st.components.v2.component("dml_viz.flow", js=loader("flow"), isolate_styles=False)


@dataclass(frozen=True)
class Pace:
    """How flows go: the mean point's first step in radians, one rate or one for each loss, learnt tensors fixed or not."""

    stride: float
    scale: str
    learnt_fixed: bool


def steps_of(model: Model) -> int:
    """How many steps the points of ``model`` go."""
    return STEPS if len(model.y) <= MANY else STEPS_OF_MANY


def flows(model: Model, pace: Pace) -> dict[str, Flow]:
    """The flow of each loss by name, computed once for all who ask for the same."""
    return _flows(model, pace)


def player(
    model: Model, found: Mapping[str, Flow], display: Display, *, step: int, in_hand: bool, waits: bool,
    on_change: Callable[[Mapping[str, Any]], None],
) -> None:  # fmt: skip
    """Draw all flows at ``step``; ``waits`` says that they are of points that are being moved.

    ``on_change`` gets, before the rerun, {"step": k} or {"view": side} that the visitor chose.
    """

    def changed() -> None:
        if report := (st.session_state[FLOW] or {}).get("told"):
            on_change(report)

    steps = len(next(iter(found.values())).value) - 1
    settings = {
        "hand": in_hand, "view": model.settings.view, "step": step, "steps": steps, "waits": waits, "theme": display.theme,
        "palette": palette(), "names": list(display.classes), "recipe": provenance_log.exported(FLOW, display.theme),
    }  # fmt: skip
    _FLOW(key=FLOW, data=flow_message(model, found, settings), on_told_change=changed)


def flow_message(model: Model, found: Mapping[str, Flow], settings: Mapping[str, Any]) -> bytes:
    """One message of flows: the points of every loss at every step, and its curves."""
    points, plane = model.points, model.embeddings.plane
    n, dim = points.places.shape
    stars = [
        np.zeros(0) if own.proxies is None else drawn(own.proxies, plane).ravel()
        for own in found.values()
    ]  # fmt: skip
    panels = [_header(model, name, own) for name, own in found.items()]
    header = {**settings, "n": n, "dim": dim, "circle": points.circle, "panels": panels}
    curves = {
        which: np.stack([getattr(own, which) for own in found.values()]).astype(np.float32)
        for which in ("value", "map", "within", "between")
    }
    return pack(
        header,
        {
            "y": points.y.astype(np.uint16),
            "points": _whole(np.stack([drawn(own.points, plane) for own in found.values()])),
            "stars": _whole(np.concatenate(stars)),
            **curves,
        },
    )


def _header(model: Model, name: str, own: Flow) -> dict[str, Any]:
    loss = model.losses[name]
    many = 0 if own.proxies is None else own.proxies.shape[1]
    return {
        "name": name, "title": model.titles[name], "stalled": own.stalled, "end": own.end, "toAndFro": own.to_and_fro,
        "rises": len(own.rises), "why": own.why, "owners": (np.arange(many) // loss.per_class).tolist(),
    }  # fmt: skip


def _whole(coordinates: np.ndarray) -> np.ndarray:
    return np.round((np.clip(coordinates, -1, 1) + 1) * (WHOLE / 2)).astype(np.uint16)


@st.cache_data(max_entries=MOST_FLOWS, show_spinner=False, hash_funcs={Model: lambda model: model.content_key})
def _flows(model: Model, pace: Pace) -> dict[str, Flow]:
    responses = model.responses
    found = rates([own.lengths for own in responses.values()], pace.stride, pace.scale)
    return {
        name: flow(own, rate, steps_of(model), learnt_fixed=pace.learnt_fixed)
        for (name, own), rate in zip(responses.items(), found, strict=True)
    }
