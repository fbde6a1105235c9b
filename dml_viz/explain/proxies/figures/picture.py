"""Samples, and proxies as stars, under one loss: edges as wide as their weight, arrows down the gradient, paths of the stars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.projection import Flat
from dml_viz.plot.style import CROWD, FAINT, INK, NEGATIVE, POSITIVE, QUERY, class_style

REACH = 1.3  # of the drawing from its centre, in radii; names of stars stand outside the circle
WIDEST = 7.0  # pixels, of an edge with the largest weight that the loss can give
LEVELS = 14  # of width
FELT = 2e-3  # of the largest weight that the loss can give: less is not drawn
CARRIED = 300  # edges drawn at most, the heaviest
THINNED, PALE, CLEAR = 1 / 3, 0.25, 0.6  # width and opacity of crowded edges, and opacity of few
BEND = 0.62  # of an edge towards the middle, so that one between neighbours on the circle is seen
CURVE = np.linspace(0, 1, 9)[:, None]
ARROW = 0.3  # radii, of an arrow for a gradient of the largest weight
BEHIND = 0.35  # opacity of what faces away
ASIDE, NEAR = 0.2, 0.15  # radii, from a star to its name, and between stars that share one
NAMED = 16  # stars at most that have names
BETWEEN = 0.5  # an edge is no point that other figures know, yet a click on it takes its sample


@dataclass(frozen=True)
class Pick:
    """Whose edges are drawn, "all", those of the "sample" or of the "proxy"; both are ringed in any case, -1 for none."""

    edges: str
    sample: int
    proxy: int


@dataclass(frozen=True)
class Scale:
    """The weight whose edge is widest, and the gradients whose arrows are 0.3 radii long, of a sample and of a star."""

    edge: float
    sample: float
    star: float


@dataclass(frozen=True)
class Words:
    """What is written: the loss and its value, names of samples (N,) and of classes; and how high it all is, in pixels."""

    title: str
    value: float
    who: Sequence[str]
    names: Sequence[str]
    height: int


def proxies_figure(
    flat: Flat,
    y: np.ndarray,
    owners: np.ndarray,
    weights: np.ndarray,
    paths: np.ndarray,
    *,
    pick: Pick,
    scale: Scale,
    words: Words,
    theme: str = "light",
) -> go.Figure:
    """Samples of classes y (N,), stars of classes ``owners`` (M,), and their weights dL/ds (N, M) as edges.

    ``flat`` has the samples' places and arrows and behind them the stars', ``paths`` (T, M, 2) is the way the stars came.
    Edges and arrows are drawn to ``scale``, so that a loss that is done has none; ``layout.meta["edges"]`` tells those drawn
    as (sample, proxy, weight).
    """
    n, stars = len(y), [words.names[c] for c in owners.tolist()]
    edges = _chosen(weights, pick, scale.edge)
    hover = [
        f"{name}<br>arrow {length:.2g}"
        for name, length in zip(
            (*words.who, *(f"star of {name}" for name in stars)), flat.lengths.tolist(), strict=True
        )
    ]
    told = _told(edges, weights, scale.edge)
    traces = [
        *_paths(paths, owners),
        *_edges(edges, flat.places, weights, scale.edge, words.who, stars),
        *_rings(flat.places, n, pick),
        *(_samples(flat, y, c, hover, words.names[c]) for c in sorted(set(y.tolist()))),
        _stars(flat, owners, hover, theme),
        _names(flat.places[n:], stars, theme),
        _arrows("samples", flat, np.arange(n), ARROW / scale.sample, theme),
        _arrows("stars", flat, np.arange(n, n + len(owners)), ARROW / scale.star, theme),
    ]
    alt = (
        f"{words.title}: {n} samples and {len(owners)} stars on {flat.view}, loss {_signed(words.value)}. {told}. "
        f"The longest gradient is {flat.lengths[:n].max(initial=0):.3g} at a sample, "
        f"{flat.lengths[n:].max(initial=0):.3g} at a star."
    )
    axis = {"range": [-REACH, REACH], "showgrid": False, "showticklabels": False, "ticks": ""}
    outline = {"type": "circle", "x0": -1, "x1": 1, "y0": -1, "y1": 1, "layer": "below"}
    corner = {
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "top",
        "showarrow": False,
        "align": "left",
    }
    layout: dict[str, Any] = {
        "height": words.height,
        "margin": {"l": 6, "r": 6, "t": 46, "b": 62},
        "xaxis": axis,
        "yaxis": {**axis, "scaleanchor": "x"},
        "showlegend": False,
        "shapes": [{**outline, "line": {"color": FAINT[theme], "width": 1.5}}],
        "annotations": [
            key(
                ("", INK[theme], f"<b>{words.title}</b>, loss {_signed(words.value)}"),
                ("━", POSITIVE, f'pull &nbsp; <span style="color:{NEGATIVE}">━</span> push'),
            ),
            {**corner, "x": 0, "y": 0, "text": told.replace("; ", "<br>")},
        ],
        "meta": {"alt": alt, "edges": edges.tolist(), "scale": [ARROW / scale.sample, ARROW / scale.star]},
        "uirevision": words.title,
    }
    return canvas(traces, layout, theme=theme, alt=alt)


def felt(weights: np.ndarray, most: float) -> np.ndarray:
    """Which weights are more than `FELT` of the largest that the loss can give."""
    return np.asarray(np.abs(weights) > FELT * most)


def _chosen(weights: np.ndarray, pick: Pick, most: float) -> np.ndarray:
    """The edges (E, 3) that are drawn, the lightest first: sample, proxy and weight."""
    drawn = felt(weights, most)
    if pick.edges == "sample":
        drawn &= np.arange(len(weights))[:, None] == pick.sample
    if pick.edges == "proxy":
        drawn &= np.arange(weights.shape[1]) == pick.proxy
    samples, proxies = np.nonzero(drawn)
    found = np.column_stack((samples, proxies, weights[drawn]))
    return found[np.argsort(np.abs(found[:, 2]), kind="stable")][-CARRIED:]


def _told(edges: np.ndarray, weights: np.ndarray, most: float) -> str:
    """How many edges there are, and how heavy they are."""
    pulls, pushes = (edges[edges[:, 2] * sign > 0, 2] for sign in (-1, 1))
    spans = [
        f"{len(some)} {kind}{'es' if kind == 'push' and len(some) != 1 else 's' if len(some) != 1 else ''}"
        + (f", {_span(np.abs(some) / most)}" if len(some) else "")
        for kind, some in (("pull", pulls), ("push", pushes))
    ]
    of_all = int(felt(weights, most).sum())
    felt_spans = [place for place, span in enumerate(spans) if "%" in span]
    if felt_spans:
        spans[felt_spans[-1]] += " of the most there can be"
    count = f"{len(edges)} of {of_all} edges" if len(edges) < of_all else f"{len(edges)} edges"
    if len(edges) > CROWD:
        spans.append(f"{count}, at a third of the width")
    elif len(edges) < of_all:
        spans.append(f"{count} drawn")
    return "; ".join(spans)


def _signed(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _span(shares: np.ndarray) -> str:
    low, high = (f"{share:.0%}" if share > 0.0095 else f"{share:.1%}" for share in (shares.min(), shares.max()))
    return low if low == high else f"{low} to {high}"


def _edges(
    edges: np.ndarray, places: np.ndarray, weights: np.ndarray, most: float, who: Sequence[str], stars: Sequence[str]
) -> list[dict[str, Any]]:
    """Curves in few traces, one for each width and sign, and in the middle of each a place to point at."""
    samples, proxies = edges[:, :2].astype(int).T
    start, end = places[samples], places[len(weights) + proxies]
    bent = BEND * (start + end) / 2
    curves = ((1 - CURVE) ** 2)[:, None] * start + (2 * CURVE * (1 - CURVE))[:, None] * bent + (CURVE**2)[:, None] * end
    level = np.clip(np.ceil(np.abs(edges[:, 2]) / most * LEVELS), 1, 2 * LEVELS).astype(int)
    crowd = len(edges) > CROWD
    slim, opacity = (THINNED, PALE) if crowd else (1.0, CLEAR)
    traces = []
    for width in sorted(set(level.tolist())):
        for kind, sign, colour in (("push", 1, NEGATIVE), ("pull", -1, POSITIVE)):
            of = (level == width) & (edges[:, 2] * sign > 0)
            if of.any():
                x, y = (
                    np.pad(curves[:, of], ((0, 1), (0, 0), (0, 0)), constant_values=np.nan)
                    .transpose(2, 1, 0)
                    .reshape(2, -1)
                )
                look = {"color": tint(colour, opacity), "width": slim * WIDEST * width / LEVELS}
                traces.append(
                    {
                        "type": "scatter",
                        "mode": "lines",
                        "name": kind,
                        "x": x,
                        "y": y,
                        "line": look,
                        "hoverinfo": "skip",
                    }
                )
    middle = curves[len(CURVE) // 2]
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "edges",
            "x": middle[:, 0],
            "y": middle[:, 1],
            "marker": {"size": 9, "opacity": 0, "color": FAINT["light"]},
            "customdata": samples + BETWEEN,
            "text": [
                f"{who[i]} and star of {stars[p]}<br>dL/ds = {w:.3g}"
                for i, p, w in zip(samples, proxies, edges[:, 2], strict=True)
            ],
            "hovertemplate": "%{text}<extra></extra>",
        }
    )
    return traces


def _paths(paths: np.ndarray, owners: np.ndarray) -> list[dict[str, Any]]:
    if len(paths) < 2:
        return []
    return [
        {"type": "scatter", "mode": "lines", "name": "path", "x": paths[:, p, 0], "y": paths[:, p, 1], "hoverinfo": "skip",
         "line": {"color": tint(class_style(c)[0], 0.7), "width": 2.5, "dash": "dot"}}
        for p, c in enumerate(owners.tolist())
    ]  # fmt: skip


def _rings(places: np.ndarray, n: int, pick: Pick) -> list[dict[str, Any]]:
    ringed = [(pick.sample, 20), *([(n + pick.proxy, 30)] if pick.proxy >= 0 else [])]
    ringed = [(place, size) for place, size in ringed if 0 <= place < len(places)]
    at = places[[place for place, _ in ringed]]
    return [
        {"type": "scatter", "mode": "markers", "name": "picked", "x": at[:, 0], "y": at[:, 1], "hoverinfo": "skip",
         "marker": {"symbol": "circle-open", "size": [size for _, size in ringed], "color": QUERY, "line": {"width": 3}}}
    ]  # fmt: skip


def _samples(flat: Flat, y: np.ndarray, label: int, hover: Sequence[str], name: str) -> dict[str, Any]:
    of = np.flatnonzero(y == label)
    colour, symbol = class_style(label)
    opacity = np.where(flat.behind[of], BEHIND, 0.95) if flat.behind.any() else 0.95
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": flat.places[of, 0],
        "y": flat.places[of, 1],
        "customdata": of,
        "marker": {
            "color": colour,
            "symbol": symbol,
            "size": 10 if len(y) <= CROWD else 6,
            "opacity": opacity,
            "line": {"width": 0},
        },
        "text": [hover[k] for k in of.tolist()],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _stars(flat: Flat, owners: np.ndarray, hover: Sequence[str], theme: str) -> dict[str, Any]:
    n = len(flat.places) - len(owners)
    opacity = np.where(flat.behind[n:], BEHIND, 1) if flat.behind.any() else 1
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "stars",
        "x": flat.places[n:, 0],
        "y": flat.places[n:, 1],
        "customdata": np.arange(n, len(flat.places)),
        "text": list(hover[n:]),
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "symbol": "star",
            "size": 19 if len(owners) <= NAMED else 13,
            "opacity": opacity,
            "color": [class_style(c)[0] for c in owners.tolist()],
            "line": {"width": 1.5, "color": INK[theme]},
        },
    }


def _names(places: np.ndarray, stars: Sequence[str], theme: str) -> dict[str, Any]:
    """Names beside the stars; stars that lie together share one."""
    named: list[tuple[np.ndarray, list[str]]] = []
    for place, name in zip(places, stars, strict=True):
        short = name.removeprefix("class ")
        together = next((names for at, names in named if np.linalg.norm(at - place) < NEAR), None)
        if together is None:
            named.append((place, [short]))
        elif short not in together:
            together.append(short)
    shown = named if len(stars) <= NAMED else []
    taken = list(places)
    for at, _ in shown:
        taken.append(_free(at, np.array(taken)))
    x, y = np.reshape(taken[len(places) :], (-1, 2)).T
    text = [f"<b>{' '.join(names)}</b>" for _, names in shown]
    return {"type": "scatter", "mode": "text", "name": "names", "x": x, "y": y, "text": text, "hoverinfo": "skip",
            "textfont": {"color": INK[theme]}}  # fmt: skip


def _free(at: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """A place beside a star that is far from what is ``taken`` (n, 2): away from the middle if there is room."""
    outward = np.arctan2(at[1], at[0]) if np.linalg.norm(at) > NEAR else -np.pi / 2
    turns = outward + np.pi / 4 * np.array((0, 1, -1, 2, -2, 3, -3, 4))
    beside = at + ASIDE * np.stack((np.cos(turns), np.sin(turns)), 1)  # (8, 2)
    room = np.linalg.norm(beside[:, None] - taken, axis=2).min(1)
    return np.asarray(beside[int(np.argmax(room > 0.9 * ASIDE)) if (room > 0.9 * ASIDE).any() else int(room.argmax())])


def _arrows(name: str, flat: Flat, of: np.ndarray, factor: float, theme: str) -> dict[str, Any]:
    (x, y), (u, v) = flat.places[of].T, factor * flat.arrows[of].T
    crowd = name == "samples" and len(of) > CROWD
    look = {"color": tint(INK[theme], 0.5 if crowd else 1), "line": {"width": 1 if crowd else 2}, "arrowsize": 0.8}
    return {"type": "quiver", "name": f"arrows of {name}", "x": x, "y": y, "u": u, "v": v, "lengthmode": "raw", "anchor": "tail",
            "marker": look, "customdata": of, "hoverinfo": "skip"}  # fmt: skip
