"""The pairs that a loss touches as edges between the points, as wide as they weigh, with an arrow at each point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.disc import LONGEST
from dml_viz.plot.projection import Flat
from dml_viz.plot.style import CROWD, FAINT, INK, NEGATIVE, PAPER, POSITIVE, class_style

MOST = 300  # edges, the heaviest ones
WIDEST, WIDTHS = 7.0, 10  # px, and how many widths there are
FEW = 80  # edges; of more the widest is narrower, and all are fainter, so that points are seen among them
FAINTEST = 0.35  # of their opacity, of the most edges
REACH = 1.22  # of the drawing from its centre, in radii
BEHIND = 0.3  # opacity of what faces away
HEIGHT = 540
LINE = 18  # px of a line of words
FOOT = {"x": 0, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "showarrow": False,
        "align": "left"}  # fmt: skip
KINDS = ((True, "positive", POSITIVE), (False, "negative", NEGATIVE))
NO_TICKS = {"range": [-REACH, REACH], "showgrid": False, "showticklabels": False, "ticks": ""}


@dataclass(frozen=True, eq=False)
class Edges:
    """Of K pairs the ends (K, 2), the weight dL/ds and whether they are positive and touched (K,); ``whose`` they all are."""

    ends: np.ndarray
    weight: np.ndarray
    positive: np.ndarray
    felt: np.ndarray
    whose: str = ""


def edges_figure(
    flat: Flat,
    edges: Edges,
    y: np.ndarray,
    roles: Mapping[str, int],
    *,
    who: Sequence[str],
    names: Sequence[str],
    title: str,
    theme: str = "light",
) -> go.Figure:
    """The touched edges among points of classes y (N,); a width is a weight's share of the largest, in tenths, rounded up.

    ``roles`` says which points are ringed and named, ``who`` (N,) names points, ``names`` (C,) classes and ``title`` the loss.
    Edges that ask the opposite of their kind are dashed. ``layout.meta`` has the pairs drawn as "ends" and their "weight", and by
    what the arrows are multiplied as "scale".
    """  # fmt: skip
    order = np.argsort(-np.abs(edges.weight), kind="stable")
    drawn = order[edges.felt[order]][:MOST]
    largest = float(np.abs(edges.weight).max(initial=0))
    scale = LONGEST / flat.longest if flat.longest else 0.0
    traces = [
        *_lines(flat, edges, drawn, largest),
        _middles(flat, edges, drawn, who),
        *_points(flat, y, who, names, theme),
    ]
    traces += [_arrows(flat, scale, theme), *_rings(flat, roles, theme)]
    counted = {kind: (edges.felt & (edges.positive == kind), edges.positive == kind) for kind in (True, False)}
    said = [f"{int(felt.sum()):,} of {int(of.sum()):,}" for felt, of in counted.values()]
    words = [
        ("▬", POSITIVE, f"{edges.whose}positive pairs touched: {said[0]}"),
        ("▬", NEGATIVE, f"{edges.whose}negative pairs touched: {said[1]}"),
    ]
    alt = _alt(flat, edges, title, said, largest)
    foot = _foot(flat, len(drawn), int(edges.felt.sum()), largest)
    layout = {
        "height": HEIGHT,
        "margin": {"l": 8, "r": 8, "t": 52, "b": 12 + LINE * len(foot)},
        "xaxis": NO_TICKS,
        "yaxis": {**NO_TICKS, "scaleanchor": "x"},
        "showlegend": False,
        "shapes": [{"type": "circle", "x0": -1, "x1": 1, "y0": -1, "y1": 1, "layer": "below",
                    "line": {"color": FAINT[theme], "width": 1.5}}],
        "annotations": [key(*words), {**FOOT, "text": "<br>".join(foot)}],
        "meta": {"ends": edges.ends[drawn].tolist(), "weight": edges.weight[drawn].tolist(), "scale": scale,
                 "alt": alt},
        "uirevision": "edges",
    }  # fmt: skip
    return canvas(traces, layout, theme=theme, alt=alt)


def _lines(flat: Flat, edges: Edges, drawn: np.ndarray, largest: float) -> list[dict[str, Any]]:
    shares = np.ceil(WIDTHS * np.abs(edges.weight[drawn]) / (largest or 1) - 1e-9).astype(int)
    pushed = edges.weight[drawn] > 0
    thin = float(np.clip(np.sqrt(FEW / max(len(drawn), 1)), FAINTEST, 1))
    traces = []
    for positive, name, colour in KINDS:
        for against in (False, True):
            for share in range(1, WIDTHS + 1):
                of = drawn[(shares == share) & (edges.positive[drawn] == positive) & ((pushed == positive) == against)]
                if not len(of):
                    continue
                x, y = flat.places[edges.ends[of]].transpose(2, 0, 1)
                line = {"color": tint(colour, thin * (0.3 + 0.5 * share / WIDTHS)), "width": thin * WIDEST * share / WIDTHS,
                        "dash": "dash" if against else "solid"}  # fmt: skip
                way = "against its kind" if against else "as its kind"
                traces.append(
                    {"type": "scatter", "mode": "lines", "name": f"{name} pairs {way}, {share} tenths", "x": _broken(x),
                     "y": _broken(y), "line": line, "hoverinfo": "skip"}
                )  # fmt: skip
    return traces


def _broken(ends: np.ndarray) -> np.ndarray:
    """Lines (K, 2) one after the other, with a gap behind each."""
    return np.column_stack((ends, np.full(len(ends), np.nan))).ravel()


def _middles(flat: Flat, edges: Edges, drawn: np.ndarray, who: Sequence[str]) -> dict[str, Any]:
    """Where a hand on an edge finds its words."""
    ends = edges.ends[drawn]
    x, y = flat.places[ends].mean(1).T
    told = zip(ends.tolist(), edges.weight[drawn].tolist(), strict=True)
    text = [
        f"{who[i]} – {who[j]}<br>dL/ds = {w:.3g}: {'pushed apart' if w > 0 else 'pulled together'}"
        for (i, j), w in told
    ]
    return {"type": "scatter", "mode": "markers", "name": "edges", "x": x, "y": y, "text": text, "customdata": ends[:, 0],
            "marker": {"size": 12, "opacity": 0}, "hovertemplate": "%{text}<extra></extra>"}  # fmt: skip


def _points(flat: Flat, y: np.ndarray, who: Sequence[str], names: Sequence[str], theme: str) -> list[dict[str, Any]]:
    traces = []
    for label in sorted(set(y.tolist())):
        of = np.flatnonzero(y == label)
        colour, symbol = class_style(label)
        x, y_ = flat.places[of].T
        marker = {"color": colour, "symbol": symbol, "size": 11 if len(y) <= CROWD else 7,
                  "opacity": np.where(flat.behind[of], BEHIND, 0.95), "line": {"width": 0.7, "color": PAPER[theme]}}  # fmt: skip
        traces.append(
            {"type": "scatter", "mode": "markers", "name": names[label], "x": x, "y": y_, "marker": marker,
             "customdata": of, "text": [who[k] for k in of.tolist()], "hovertemplate": "%{text}<extra></extra>"}
        )  # fmt: skip
    return traces


def _arrows(flat: Flat, scale: float, theme: str) -> dict[str, Any]:
    drawn = np.flatnonzero(flat.lengths > 0)
    (x, y), (u, v) = flat.places[drawn].T, (scale * flat.arrows[drawn]).T
    return {"type": "quiver", "name": "arrows", "x": x, "y": y, "u": u, "v": v, "lengthmode": "raw", "anchor": "tail",
            "marker": {"color": INK[theme], "line": {"width": 2 if len(flat.places) <= CROWD else 1}, "arrowsize": 0.8},
            "customdata": drawn, "hoverinfo": "skip"}  # fmt: skip


def _rings(flat: Flat, roles: Mapping[str, int], theme: str) -> list[dict[str, Any]]:
    """Rings with their names, which stand away from each other; beneath each a wider one of the page's colour."""
    colours = {"positive": POSITIVE, "negative": NEGATIVE}
    held = {role: flat.places[at] for role, at in roles.items() if at >= 0}
    middle = np.mean(list(held.values()), axis=0) if held else np.zeros(2)
    common = {"type": "scatter", "hoverinfo": "skip"}
    traces = []
    for role, place in held.items():
        colour, at = colours.get(role, INK[theme]), {"x": place[:1], "y": place[1:]}
        ring = {"symbol": "circle-open", "size": 20}
        traces += [
            {**common, **at, "mode": "markers", "name": f"around the {role}",
             "marker": {**ring, "color": PAPER[theme], "line": {"width": 6}}},
            {**common, **at, "mode": "markers+text", "name": role, "text": [role], "textposition": _towards(place - middle),
             "textfont": {"color": colour, "weight": 700, "shadow": _halo(PAPER[theme])},
             "marker": {**ring, "color": colour, "line": {"width": 2.5}}},
        ]  # fmt: skip
    return traces


def _towards(way: np.ndarray) -> str:
    """On which side of its place a name stands, in Plotly's words."""
    along, up = way.tolist()
    if abs(along) > 2 * abs(up):
        return "middle right" if along > 0 else "middle left"
    side = "" if abs(up) > 2 * abs(along) else "right" if along > 0 else "left"
    return f"{'top' if up >= 0 else 'bottom'} {side or 'center'}"


def _halo(colour: str) -> str:
    return ", ".join(f"{x}px {y}px 2px {colour}" for x in (-1, 1) for y in (-1, 1))


def _foot(flat: Flat, drawn: int, felt: int, largest: float) -> list[str]:
    said = [
        f"widest edge: {largest:.3g}; longest arrow: {flat.longest:.3g}"
        if largest
        else "no pair has a weight: no arrow"
    ]
    if drawn < felt:
        said.append(f"the {drawn} heaviest of {felt:,} edges are drawn")
    if flat.shown_in_all < 0.9995:
        said.append(f"{flat.view} shows {flat.shown_in_all:.0%} of the gradient")
    return said


def _alt(flat: Flat, edges: Edges, title: str, said: Sequence[str], largest: float) -> str:
    against = int((edges.felt & ((edges.weight > 0) == edges.positive)).sum())
    return (
        f"{len(flat.places)} points on {flat.view} and the {edges.whose}pairs that {title} touches: {said[0]} positive and "
        f"{said[1]} negative ones, the heaviest with |dL/ds| = {largest:.3g}"
        + (f"; {against} are asked the opposite of their kind." if against else ".")
    )
