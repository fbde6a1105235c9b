"""The figures of the page of gradients that our own scripts draw: the panels of all losses, and the flows."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dml_viz.analysis import fresh_learnt
from dml_viz.embedding.scene import DIMENSIONS, MOST_CLASSES
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.model_flow import Flow
from dml_viz.explain.gradients.model_panels import Panel, flattened
from dml_viz.losses import Loss
from dml_viz.plot.canvas import Display
from dml_viz.plot.style import palette
from dml_viz.registry import name_of
from dml_viz.room.component_data import FlowData, GradientsOverlay, LossFlow, LossPanel, OverlayLoss, PanelsData
from dml_viz.room.room import Component

WHOLE = 65535  # the integer sent for a coordinate of 1; 0 is sent for -1


def panels(model: Model, display: Display) -> Component:
    """The panels: the points once, and for each loss its arrows, heaviest pairs and numbers."""
    points, loss_panels, settings = model.points, model.panels, model.settings
    n, dim = points.places.shape
    many = max((panel.partners.shape[1] for panel in loss_panels), default=0)
    header: PanelsData = {
        "dragged": not display.of_run, "picked": min(settings.query, n - 1), "view": settings.view, "scale": settings.scale,
        "part": settings.part, "draw": settings.draw, "theme": display.theme, "palette": palette(), "dim": dim, "n": n,
        "circle": points.circle, "zoom": points.zoom, "middle": points.middle, "names": list(display.classes),
        "panels": [_of_panel(panel) for panel in loss_panels],
    }  # fmt: skip
    proxies = [np.zeros((0, dim)) if panel.proxies is None else panel.proxies for panel in loss_panels]
    arrays: dict[str, np.ndarray] = {
        "places": points.places.astype(np.float32),
        "y": points.y.astype(np.uint16),
        "arrows": _stacked([panel.arrows for panel in loss_panels], (n, dim)),
        "lengths": _stacked([panel.lengths for panel in loss_panels], (n,)),
        "partners": _wide([panel.partners for panel in loss_panels], (n, many), -1).astype(np.int32),
        "weights": _wide([panel.weights for panel in loss_panels], (n, many), 0).astype(np.float32),
        "proxies": np.concatenate([np.zeros((0, dim)), *proxies]).astype(np.float32),
        "owners": np.concatenate([np.zeros(0), *(panel.owners for panel in loss_panels)]).astype(np.uint16),
    }
    return Component("panels", header, arrays)


def flow(model: Model, display: Display) -> Component:
    """The flows: the points of every loss at every step, and the curves."""
    points, plane, flows = model.points, model.embeddings.plane, model.flows
    n, dim = points.places.shape
    proxies = [
        np.zeros(0) if loss_flow.proxies is None else flattened(loss_flow.proxies, plane).ravel() for loss_flow in flows.values()
    ]
    header: FlowData = {
        "dragged": not display.of_run, "view": model.settings.view, "step": model.settings.step, "waits": False,
        "steps": len(next(iter(flows.values())).value) - 1, "theme": display.theme, "palette": palette(),
        "names": list(display.classes), "n": n, "dim": dim, "circle": points.circle,
        "panels": [_of_flow(model, name, loss_flow) for name, loss_flow in flows.items()],
    }  # fmt: skip
    curves = {
        which: np.stack([getattr(loss_flow, which) for loss_flow in flows.values()]).astype(np.float32)
        for which in ("value", "map", "within", "between")
    }
    arrays = {
        "y": points.y.astype(np.uint16),
        "points": _whole(np.stack([flattened(loss_flow.points, plane) for loss_flow in flows.values()])),
        "proxies": _whole(np.concatenate(proxies)),
        **curves,
    }
    return Component("flow", header, arrays)


COMPONENTS = {"panels": panels, "flow": flow}


def overlay_settings(losses: Mapping[str, Loss], part: str, loss_in_view: str) -> GradientsOverlay:
    """The settings of the browser's overlay "gradients": the losses, and the name of the loss whose arrows are in view."""
    return {"shown": loss_in_view, "part": part, "losses": {name: _overlay_loss(loss) for name, loss in losses.items()}}


def _overlay_loss(loss: Loss) -> OverlayLoss:
    proxies = "proxies" in loss.learns and loss.per_class == 1
    others = [name for name in loss.learns if not (proxies and name == "proxies")]
    learnt = {}
    for dim in DIMENSIONS:
        fresh = fresh_learnt(loss, MOST_CLASSES, dim) if others else {}
        learnt[str(dim)] = {name: fresh[name].flatten().tolist() for name in others}
    return {
        "loss": name_of(loss),
        "title": loss.name,
        "knobs": loss.in_browser,
        "learnt": learnt,
        "rows": loss.per_class,
        "proxies": proxies,
        "unit": loss.unit,
    }


def _of_panel(panel: Panel) -> LossPanel:
    response = panel.response
    return {
        "name": panel.name,
        "title": response.loss.name,
        "note": response.inputs.note,
        "value": response.value,
        "norm": response.gradient_norm,
        "points": list(response.active_points),
        "pairs": list(response.active_pairs),
        "ms": 1000 * response.evaluation_seconds,
        "radial": response.radial_share,
        "shown": 1.0 if math.isnan(panel.share_drawn) else panel.share_drawn,
        "proxies": len(panel.owners),
        "oneSided": response.loss.one_sided,
    }


def _stacked(arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    return np.stack(arrays).astype(np.float32) if arrays else np.zeros((0, *shape), np.float32)


def _wide(arrays: Sequence[np.ndarray], shape: tuple[int, int], rest: float) -> np.ndarray:
    """Tables (N, K) of different widths as one (L, N, largest K), filled up with ``rest``."""
    table = np.full((len(arrays), *shape), rest, dtype=float)
    for rows, array in zip(table, arrays, strict=True):
        rows[:, : array.shape[1]] = array
    return table


def _of_flow(model: Model, name: str, loss_flow: Flow) -> LossFlow:
    loss = model.losses[name]
    many = 0 if loss_flow.proxies is None else loss_flow.proxies.shape[1]
    return {
        "name": name,
        "title": model.titles[name],
        "stalled": loss_flow.stalled,
        "end": loss_flow.end,
        "toAndFro": loss_flow.to_and_fro,
        "rises": len(loss_flow.rises),
        "why": loss_flow.why,
        "owners": (np.arange(many) // loss.per_class).tolist(),
    }


def _whole(coordinates: np.ndarray) -> np.ndarray:
    return np.round((np.clip(coordinates, -1, 1) + 1) * (WHOLE / 2)).astype(np.uint16)
