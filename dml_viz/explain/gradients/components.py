"""The figures of the page of gradients that our own scripts draw: the panels of all losses, and the flows."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dml_viz.analysis import fresh_learnt
from dml_viz.embedding.scene import DIMENSIONS, MOST_CLASSES
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.model_flow import Flow
from dml_viz.explain.gradients.model_panels import Panel, drawn
from dml_viz.losses import Loss
from dml_viz.plot.display import Display
from dml_viz.plot.style import palette
from dml_viz.registry import name_of
from dml_viz.room.room import Component

WHOLE = 65535  # the integer sent for a coordinate of 1; 0 is sent for -1


def panels(model: Model, display: Display) -> Component:
    """The panels: the points once, and for each loss its arrows, heaviest pairs and numbers."""
    points, shown, settings = model.points, model.panels, model.settings
    n, dim = points.places.shape
    many = max((panel.partners.shape[1] for panel in shown), default=0)
    header = {
        "dragged": not display.of_run, "picked": min(settings.query, n - 1), "view": settings.view, "scale": settings.scale,
        "part": settings.part, "draw": settings.draw, "theme": display.theme, "palette": palette(), "dim": dim, "n": n,
        "circle": points.circle, "zoom": points.zoom, "middle": points.middle, "names": list(display.classes),
        "panels": [_of_panel(panel) for panel in shown],
    }  # fmt: skip
    proxies = [np.zeros((0, dim)) if panel.proxies is None else panel.proxies for panel in shown]
    arrays: dict[str, np.ndarray] = {
        "places": points.places.astype(np.float32),
        "y": points.y.astype(np.uint16),
        "arrows": _stacked([panel.arrows for panel in shown], (n, dim)),
        "lengths": _stacked([panel.lengths for panel in shown], (n,)),
        "partners": _wide([panel.partners for panel in shown], (n, many), -1).astype(np.int32),
        "weights": _wide([panel.weights for panel in shown], (n, many), 0).astype(np.float32),
        "proxies": np.concatenate([np.zeros((0, dim)), *proxies]).astype(np.float32),
        "owners": np.concatenate([np.zeros(0), *(panel.owners for panel in shown)]).astype(np.uint16),
    }
    return Component("panels", header, arrays)


def flow(model: Model, display: Display) -> Component:
    """The flows: the points of every loss at every step, and the curves."""
    points, plane, found = model.points, model.embeddings.plane, model.flows
    n, dim = points.places.shape
    proxies = [np.zeros(0) if own.proxies is None else drawn(own.proxies, plane).ravel() for own in found.values()]
    header = {
        "dragged": not display.of_run,
        "view": model.settings.view,
        "step": model.settings.step,
        "waits": False,
        "steps": len(next(iter(found.values())).value) - 1,
        "theme": display.theme,
        "palette": palette(),
        "names": list(display.classes),
        "n": n,
        "dim": dim,
        "circle": points.circle,
        "panels": [_of_flow(model, name, own) for name, own in found.items()],
    }
    curves = {
        which: np.stack([getattr(own, which) for own in found.values()]).astype(np.float32)
        for which in ("value", "map", "within", "between")
    }
    arrays = {
        "y": points.y.astype(np.uint16),
        "points": _whole(np.stack([drawn(own.points, plane) for own in found.values()])),
        "proxies": _whole(np.concatenate(proxies)),
        **curves,
    }
    return Component("flow", header, arrays)


COMPONENTS = {"panels": panels, "flow": flow}


def followed(losses: Mapping[str, Loss], part: str, shown: str) -> dict[str, Any]:
    """The settings of the overlay "gradients": every loss as the browser computes it, and which losses' arrows are ``shown``."""
    return {"shown": shown, "part": part, "losses": {name: _followed(loss) for name, loss in losses.items()}}


def _followed(loss: Loss) -> dict[str, Any]:
    proxies = "proxies" in loss.learns and loss.per_class == 1
    learnt = {}
    for dim in DIMENSIONS:
        drawn = fresh_learnt(loss, MOST_CLASSES, dim)
        learnt[str(dim)] = {
            other: tensor.flatten().tolist() for other, tensor in drawn.items() if not (proxies and other == "proxies")
        }
    return {
        "loss": name_of(loss),
        "title": loss.name,
        "knobs": loss.in_browser,
        "learnt": learnt,
        "rows": loss.per_class,
        "proxies": proxies,
        "unit": loss.unit,
    }


def _of_panel(panel: Panel) -> dict[str, Any]:
    found = panel.response
    return {
        "name": panel.name,
        "title": found.loss.name,
        "note": found.inputs.note,
        "value": found.value,
        "norm": found.norm,
        "points": list(found.active_points),
        "pairs": list(found.active_pairs),
        "ms": 1000 * found.seconds,
        "radial": found.radial,
        "shown": 1.0 if math.isnan(panel.shown) else panel.shown,
        "proxies": len(panel.owners),
        "oneSided": found.loss.one_sided,
    }


def _stacked(arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    return np.stack(arrays).astype(np.float32) if arrays else np.zeros((0, *shape), np.float32)


def _wide(arrays: Sequence[np.ndarray], shape: tuple[int, int], rest: float) -> np.ndarray:
    """Tables (N, K) of different widths as one (L, N, largest K), filled up with ``rest``."""
    table = np.full((len(arrays), *shape), rest, dtype=float)
    for own, array in zip(table, arrays, strict=True):
        own[:, : array.shape[1]] = array
    return table


def _of_flow(model: Model, name: str, own: Flow) -> dict[str, Any]:
    loss = model.losses[name]
    many = 0 if own.proxies is None else own.proxies.shape[1]
    return {
        "name": name,
        "title": model.titles[name],
        "stalled": own.stalled,
        "end": own.end,
        "toAndFro": own.to_and_fro,
        "rises": len(own.rises),
        "why": own.why,
        "owners": (np.arange(many) // loss.per_class).tolist(),
    }


def _whole(coordinates: np.ndarray) -> np.ndarray:
    return np.round((np.clip(coordinates, -1, 1) + 1) * (WHOLE / 2)).astype(np.uint16)
