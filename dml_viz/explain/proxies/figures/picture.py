"""Samples, and proxies as stars, under one loss: edges as wide as their weight, arrows down the gradient, paths of the stars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, foot, key, tint
from dml_viz.plot.numbers import number
from dml_viz.plot.projection import Flat
from dml_viz.plot.style import CROWD, FAINT, INK, NEGATIVE, POSITIVE, QUERY, class_style
from dml_viz.plot.traces import TEXT, Trace, line, marks

MARGIN = {"l": 6, "r": 6, "t": 46, "b": 62}
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
    called = (*words.who, *(f"star of {name}" for name in stars))
    hover = [f"{name}<br>arrow {length:.2g}" for name, length in zip(called, flat.lengths.tolist(), strict=True)]
    counts = _counts(edges, weights, scale.edge)
    samples, proxies = np.arange(n), np.arange(n, n + len(owners))
    factors = ARROW / scale.sample, ARROW / scale.star
    faint = tint(INK[theme], 0.5 if n > CROWD else 1)
    here = flat.head(n)
    traces = [
        *_paths(paths, owners),
        *_edges(edges, flat.places, n, scale.edge, words.who, stars),
        _rings(flat.places, n, pick),
        *(disc.points(here, group, hover, behind=BEHIND) for group in disc.by_class(y, words.names)),
        _stars(flat, owners, hover, theme),
        _names(flat.places[n:], stars, theme),
        disc.arrows(here, factors[0], faint, samples, name="arrows of samples"),
        disc.arrows(flat, factors[1], INK[theme], proxies, name="arrows of stars", widths=(2, 2)),
    ]
    value = number(words.value, ".3f")
    alt = (
        f"{words.title}: {n} samples and {len(owners)} stars on {flat.view}, loss {value}. {counts}. "
        f"The longest gradient is {flat.lengths[:n].max(initial=0):.3g} at a sample, "
        f"{flat.lengths[n:].max(initial=0):.3g} at a star."
    )
    pull_and_push = f'pull &nbsp; <span style="color:{NEGATIVE}">━</span> push'
    lines = (("", INK[theme], f"<b>{words.title}</b>, loss {value}"), ("━", POSITIVE, pull_and_push))
    layout = disc.layout(
        words.height, MARGIN, REACH, theme, uirevision=words.title,
        annotations=[key(*lines), foot(counts.replace("; ", "<br>"))],
        meta={"alt": alt, "edges": edges.tolist(), "scale": list(factors)},
    )  # fmt: skip
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


def _counts(edges: np.ndarray, weights: np.ndarray, most: float) -> str:
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


def _span(shares: np.ndarray) -> str:
    low, high = (f"{share:.0%}" if share > 0.0095 else f"{share:.1%}" for share in (shares.min(), shares.max()))
    return low if low == high else f"{low} to {high}"


def _edges(
    edges: np.ndarray, places: np.ndarray, n: int, most: float, who: Sequence[str], stars: Sequence[str]
) -> list[Trace]:
    """Curves in few traces, one for each width and sign, and in the middle of each a place to point at."""
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
    text = [f"{who[i]} and star of {stars[p]}<br>dL/ds = {w:.3g}" for i, p, w in ends]
    traces.append(
        marks("edges", *curves[:, len(CURVE) // 2].T, colour=FAINT["light"], opacity=0, hover=TEXT, text=text,
              customdata=samples + BETWEEN)
    )  # fmt: skip
    return traces


def _paths(paths: np.ndarray, owners: np.ndarray) -> list[Trace]:
    return [
        line("path", *paths[:, p].T, colour=tint(class_style(c)[0], 0.7), width=2.5, dash="dot")
        for p, c in enumerate(owners.tolist())
        if len(paths) > 1
    ]


def _rings(places: np.ndarray, n: int, pick: Pick) -> Trace:
    ringed = [(pick.sample, 20), *([(n + pick.proxy, 30)] if pick.proxy >= 0 else [])]
    ringed = [(place, size) for place, size in ringed if 0 <= place < len(places)]
    return disc.rings("picked", places[[place for place, _ in ringed]], [size for _, size in ringed], QUERY)


def _stars(flat: Flat, owners: np.ndarray, hover: Sequence[str], theme: str) -> Trace:
    n = len(flat.places) - len(owners)
    return marks(
        "stars", *flat.places[n:].T, colour=[class_style(c)[0] for c in owners.tolist()], symbol="star",
        size=19 if len(owners) <= NAMED else 13, opacity=np.where(flat.behind[n:], BEHIND, 1), edge=(1.5, INK[theme]),
        hover=TEXT, text=list(hover[n:]), customdata=np.arange(n, len(flat.places)),
    )  # fmt: skip


def _names(places: np.ndarray, stars: Sequence[str], theme: str) -> Trace:
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
