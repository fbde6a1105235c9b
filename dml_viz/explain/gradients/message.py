"""What the browser gets of the small multiples: the points once, and of each loss its arrows, heaviest pairs and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dml_viz.engine.wire import pack
from dml_viz.explain.gradients.figures._panel import Panel, Points


def message(points: Points, panels: Sequence[Panel], names: Sequence[str], settings: Mapping[str, Any]) -> bytes:
    """One message of panels on the same points of classes called ``names``, with ``settings`` (JSON values) in its header."""
    n, dim = points.places.shape
    many = max((panel.partners.shape[1] for panel in panels), default=0)
    header = {
        **settings, "dim": dim, "n": n, "circle": points.circle, "zoom": points.zoom, "middle": points.middle,
        "names": list(names), "panels": [_header(panel) for panel in panels],
    }  # fmt: skip
    stars = [np.zeros((0, dim)) if panel.stars is None else panel.stars for panel in panels]
    return pack(
        header,
        {
            "places": points.places.astype(np.float32),
            "y": points.y.astype(np.uint16),
            "arrows": _stacked([panel.arrows for panel in panels], (n, dim)),
            "lengths": _stacked([panel.lengths for panel in panels], (n,)),
            "partners": _wide([panel.partners for panel in panels], (n, many), -1).astype(np.int32),
            "weights": _wide([panel.weights for panel in panels], (n, many), 0).astype(np.float32),
            "stars": np.concatenate([np.zeros((0, dim)), *stars]).astype(np.float32),
            "owners": np.concatenate([np.zeros(0), *(panel.owners for panel in panels)]).astype(np.uint16),
        },
    )


def _header(panel: Panel) -> dict[str, Any]:
    return {
        "name": panel.name, "title": panel.title, "note": panel.note, "value": panel.value, "norm": panel.norm,
        "points": list(panel.points), "pairs": list(panel.pairs), "ms": 1000 * panel.seconds, "radial": panel.radial,
        "shown": 1.0 if math.isnan(panel.shown) else panel.shown, "stars": len(panel.owners), "oneSided": panel.one_sided,
    }  # fmt: skip


def _stacked(arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    return np.stack(arrays).astype(np.float32) if arrays else np.zeros((0, *shape), np.float32)


def _wide(arrays: Sequence[np.ndarray], shape: tuple[int, int], rest: float) -> np.ndarray:
    """Tables (N, K) of any width as one (L, N, most), what is missing being ``rest``."""
    table = np.full((len(arrays), *shape), rest, dtype=float)
    for own, array in zip(table, arrays, strict=True):
        own[:, : array.shape[1]] = array
    return table
