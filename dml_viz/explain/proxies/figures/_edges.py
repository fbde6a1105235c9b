"""Edges between samples and proxies, as wide as their weights, and the names of samples and proxies."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_response import ProxyResponse
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, tint
from dml_viz.plot.style import CROWD, FAINT, NEGATIVE, POSITIVE
from dml_viz.plot.traces import TEXT, Trace, line, marks

WIDEST = 7.0  # pixels, the width of an edge with the loss's largest possible weight
LEVELS = 14  # widths of edges
MOST_EDGES = 300  # edges drawn at most, the heaviest ones
THINNED, PALE, CLEAR = 1 / 3, 0.25, 0.6  # width and opacity of crowded edges, and opacity of few
BEND = 0.62  # of an edge towards the middle, so that edges between neighbours on the circle are visible
CURVE = np.linspace(0, 1, 9)[:, None]
BETWEEN = 0.5  # an edge is no point of other figures, but a click on it chooses its sample


def picked_proxy(model: Model, response: ProxyResponse) -> int:
    """The chosen proxy; -1 if classes have several."""
    return -1 if response.loss.per_class > 1 else model.proxy


def chosen_edges(model: Model, response: ProxyResponse) -> np.ndarray:
    """The edges (E, 3) that are drawn, the lightest first: sample, proxy and weight."""
    weights, proxy = response.weights, picked_proxy(model, response)
    edges = response.softmax_per if model.settings.edges == "picked" else model.settings.edges
    visible = response.heavy.copy()
    if edges == "sample" or (edges == "proxy" and proxy < 0):
        visible &= np.arange(len(weights))[:, None] == model.settings.sample
    elif edges == "proxy":
        visible &= np.arange(weights.shape[1]) == proxy
    samples, proxies = np.nonzero(visible)
    rows = np.column_stack((samples, proxies, weights[visible]))
    return rows[np.argsort(np.abs(rows[:, 2]), kind="stable")][-MOST_EDGES:]


def edge_counts(edges: np.ndarray, response: ProxyResponse) -> str:
    """The number of edges and the range of their weights, in words."""
    of_all, most, spans = int(response.heavy.sum()), response.pull_and_push_bounds[0], []
    for kind, sign in (("pulls", -1), ("pushes", 1)):
        shares = edges[edges[:, 2] * sign > 0, 2] * sign / most
        spans.append(f"{kind}: {len(shares)}" + (f", {_span(shares)} of the maximum" if len(shares) else ""))
    count = f"{len(edges)} of {of_all} edges" if len(edges) < of_all else f"{len(edges)} edges"
    if len(edges) > CROWD:
        spans.append(f"{count}, at a third of the width")
    elif len(edges) < of_all:
        spans.append(f"{count} drawn")
    return "; ".join(spans)


def edge_traces(
    edges: np.ndarray, places: np.ndarray, n: int, most: float, who: Sequence[str], classes_of: Sequence[str]
) -> list[Trace]:
    """Curves in few traces, one for each width and sign, with a mark for hover and clicks in the middle of each edge."""
    samples, proxies = edges[:, :2].astype(int).T
    start, end = places[samples, None], places[n + proxies, None]
    curves = (1 - CURVE) ** 2 * start + CURVE * (1 - CURVE) * BEND * (start + end) + CURVE**2 * end
    level = np.clip(np.ceil(np.abs(edges[:, 2]) / most * LEVELS), 1, 2 * LEVELS).astype(int)
    slim, opacity = (THINNED, PALE) if len(edges) > CROWD else (1.0, CLEAR)
    kinds = ("push", NEGATIVE), ("pull", POSITIVE)
    traces = []
    for (width, pulled), x, y in disc.bundles(curves, level, edges[:, 2] < 0):
        kind, colour = kinds[pulled]
        traces.append(line(kind, x, y, colour=tint(colour, opacity), width=slim * WIDEST * width / LEVELS))
    ends = zip(samples, proxies, edges[:, 2], strict=True)
    text = [f"{who[i]} and proxy of {classes_of[p]}<br>dL/ds = {w:.3g}" for i, p, w in ends]
    x, y = curves[:, len(CURVE) // 2].T
    mark = marks("edges", x, y, colour=FAINT["light"], opacity=0, hover=TEXT, text=text, customdata=samples + BETWEEN)
    return [*traces, mark]


def _span(shares: np.ndarray) -> str:
    low, high = (f"{share:.0%}" if share > 0.0095 else f"{share:.1%}" for share in (shares.min(), shares.max()))
    return low if low == high else f"{low} to {high}"


def class_names(display: Display, classes: Iterable[int]) -> list[str]:
    """The short names of classes."""
    return [display.classes[label].removeprefix("class ") for label in classes]


def class_ticks(y: np.ndarray, display: Display) -> dict[str, Any]:
    """Ticks with the names of classes in the middle of their rows, sorted by labels y (N,)."""
    classes = sorted(set(y.tolist()))
    return {"tickvals": [float(np.flatnonzero(y == c).mean()) for c in classes], "ticktext": class_names(display, classes)}


def sample_names(display: Display) -> list[str]:
    """Number and class of each sample (N,)."""
    return [f"#{k} {name}" for k, name in enumerate(class_names(display, display.labels))]
