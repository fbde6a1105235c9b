"""All panels of losses in one figure for print, with the content of the small multiples in the browser."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.gradients.figures._panel import assign_lanes, camera, lane_radius, number, share
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.model_panels import LONGEST_ARROW, Panel, Points
from dml_viz.plot import disc
from dml_viz.plot.canvas import TO_SCALE, Display, canvas, counted, note, tint
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, class_style
from dml_viz.plot.traces import Trace, circle_shape, curves, line, marks, quiver

WIDTH = 662  # pixels: 6.9 inches, two columns of a paper, at 96 to the inch
COLUMNS = 4
LETTERS = "ABCDEFGH"
ACROSS, DOWN = 2.4, 3.0  # radii from a panel to the next
TITLE, NUMBERS, TOP = 1.3, 1.28, 1.5  # radii from a panel's middle to its title, to its numbers, and to the panel above
WIDEST, BINS = 4.0, 4  # of edges: the widest in pixels, and the number of widths
HEAVIEST = 400  # edges of a panel, at most
GRAVE = 0.01  # of the heaviest weight: a lighter pair is not drawn
FEW, SOME = 24, 70  # numbers of points up to which marks are large, and medium
BEHIND, LIMB = 0.32, -0.02
SHORTEST = 0.015  # radii: a shorter arrow would be invisible


def paper(model: Model, display: Display) -> go.Figure:
    """All panels in one figure of print width, `WIDTH`. Links and files name the figure as this function is named."""
    settings = model.settings
    return panels_figure(
        model.points,
        model.panels,
        model.arrow_factors,
        names=display.classes,
        longest=LONGEST_ARROW,
        edges=settings.draw == "per pair",
        point=min(settings.query, len(model.y) - 1) if settings.draw == "one point" else None,
        lanes_wanted=settings.part != "ambient",
        view=settings.view,
        theme=display.theme,
    )


def panels_figure(
    points: Points,
    panels: Sequence[Panel],
    factors: Sequence[float],
    *,
    names: Sequence[str] = LETTERS,
    longest: float = math.inf,
    edges: bool = False,
    lanes_wanted: bool = True,
    view: str = "235_24",
    columns: int = COLUMNS,
    theme: str = "light",
    point: int | None = None,
) -> go.Figure:
    """The panels in rows of ``columns``, each arrow minus the gradient times its loss's factor, in radii, cut at ``longest``.

    ``edges`` draws the heaviest pairs instead, ``point`` the arrow and heaviest pairs of one point. ``lanes_wanted`` puts arrows
    along the circle in lanes; zoomed points have no circle. In the trace of arrows ``customdata`` (K, 2) has the place of the
    loss and of the point.
    """
    onto, eye = _seen_from(points.places.shape[1], view)
    at, front = points.places @ onto, np.ones(len(points.y), bool) if eye is None else points.places @ eye >= LIMB
    rows = -(-len(panels) // columns)
    offsets = [np.array((ACROSS * (k % columns), -DOWN * (k // columns))) for k in range(len(panels))]
    arrows = [_downhill(panel, factor, longest) @ onto for panel, factor in zip(panels, factors, strict=True)]
    traces: list[Trace] = []
    if edges or point is not None:
        traces += _edges(at, panels, offsets, onto, point)
    if point is not None:
        arrows = [np.where(np.arange(len(at))[:, None] == point, arrow, 0) for arrow in arrows]
    if not edges:
        traces += _arrows(at, front, arrows, offsets, INK[theme], points.circle and lanes_wanted)
    traces += _points(at, front, points, offsets, names)
    traces += _proxies(panels, offsets, onto, INK[theme])
    shapes = [circle_shape(offset, 1, EXACT, 1) for offset in offsets if points.zoom == 1]
    wide = (min(len(panels), columns) - 1) * ACROSS
    axis = {**TO_SCALE, "zeroline": False}
    x_range, y_range = [-1.2, wide + 1.2], [-DOWN * (rows - 1) - 1.75, 1.6]
    alt = _alt(points, panels, edges, point)
    layout = {
        "width": WIDTH,
        "height": round(WIDTH * (y_range[1] - y_range[0]) / (x_range[1] - x_range[0])) + 24,
        "margin": {"l": 2, "r": 2, "t": 2, "b": 22},
        "showlegend": True,
        "shapes": shapes,
        "legend": {"x": 0.5, "xanchor": "center", "y": 0, "yanchor": "top", "orientation": "h", "font": {"size": 11}},
        "xaxis": {**axis, "range": x_range},
        "yaxis": {**axis, "range": y_range, "scaleanchor": "x"},
        "annotations": [words for panel, offset in zip(panels, offsets, strict=True) for words in _words(panel, offset)],
        "meta": {
            "tiles": {"across": ACROSS, "down": DOWN, "top": TOP, "columns": columns, "many": len(panels)},
            "offsets": [offset.tolist() for offset in offsets],
            "factors": list(factors),
        },
    }
    return canvas(traces, layout, theme=theme, alt=alt)


def _seen_from(dim: int, view: str) -> tuple[np.ndarray, np.ndarray | None]:
    if dim == 2:
        return np.eye(2), None
    right, up, eye = camera(view)
    return np.stack((right, up), 1), eye


def _downhill(panel: Panel, factor: float, longest: float) -> np.ndarray:
    long = factor * panel.lengths
    cut = np.divide(longest, long, out=np.ones_like(long), where=long > longest)
    return np.asarray(-factor * cut[:, None] * panel.arrows)


def _arrows(
    at: np.ndarray,
    front: np.ndarray,
    arrows_of_panels: Sequence[np.ndarray],
    offsets: Sequence[np.ndarray],
    ink: str,
    in_lanes: bool,
) -> list[Trace]:
    starts, arrows, stems, who = [], [], [], []
    for k, (arrow, offset) in enumerate(zip(arrows_of_panels, offsets, strict=True)):
        start = at.copy()
        if in_lanes:
            lane = assign_lanes(at, arrow)
            inside = lane >= 0
            start[inside] *= lane_radius(lane[inside])[:, None]
            stems.append(np.stack((at[inside], start[inside]), 1) + offset)
        long = np.linalg.norm(arrow, axis=1) > SHORTEST
        starts.append(start[long] + offset)
        arrows.append(arrow[long])
        who.append(np.stack((np.full(int(long.sum()), k), np.flatnonzero(long)), 1))
    width = 1.6 if len(at) <= FEW else 1.2 if len(at) <= SOME else 0.8
    traces: list[Trace] = []
    if sum(map(len, stems)):
        traces.append(curves("stems", np.concatenate(stems), colour=EXACT, width=0.7, showlegend=False))
    places, vectors, of = (np.concatenate(rows) for rows in (starts, arrows, who))
    for name, where, opacity in (("arrows, far side", ~front[of[:, 1]], BEHIND), ("arrows", front[of[:, 1]], 1.0)):
        if where.any() or name == "arrows":
            colour = tint(ink, opacity)
            traces.append(quiver(name, places[where], vectors[where], colour, width, of[where]) | {"showlegend": False})
    return traces


def _edges(
    at: np.ndarray, panels: Sequence[Panel], offsets: Sequence[np.ndarray], onto: np.ndarray, point: int | None = None
) -> list[Trace]:
    """Lines of edges in few traces, one for each width and sign, over all panels."""
    lines: list[np.ndarray] = []
    levels: list[int] = []
    pulled: list[bool] = []
    for panel, offset in zip(panels, offsets, strict=True):
        ends = at if panel.proxies is None else np.concatenate((at, panel.proxies @ onto))
        weights = heaviest(panel, point)
        most = max((abs(w) for w in weights.values()), default=1.0)
        lines += [ends[list(pair)] + offset for pair in weights]
        levels += [int(np.ceil(BINS * abs(w) / most)) for w in weights.values()]
        pulled += [w < 0 for w in weights.values()]
    traces = []
    named: set[bool] = set()
    order = np.array(levels), np.array(pulled)
    for (width, pull), x, y in reversed(list(disc.bundles(np.reshape(lines, (-1, 2, 2)), *order))):
        name, colour, dash = ("pull", POSITIVE, "solid") if pull else ("push", NEGATIVE, "dash")
        look: Trace = {"colour": tint(colour, 0.75), "width": WIDEST * width / BINS, "dash": dash}
        traces.append(line(name, x, y, **look, showlegend=pull not in named))
        named.add(pull)
    return traces[::-1]


def heaviest(panel: Panel, point: int | None = None) -> dict[tuple[int, int], float]:
    """The heaviest pairs of a panel, or of one ``point``, and their weights.

    A pair with different weights at its ends counts with the larger one; of a ``point``, with that point's.
    """
    weight_of: dict[tuple[int, int], float] = {}
    n = len(panel.lengths)
    for i, (partners, weights) in enumerate(zip(panel.partners.tolist(), panel.weights.tolist(), strict=True)):
        for j, w in zip(partners, weights, strict=True) if point in (None, i) else ():
            pair = (min(i, j), max(i, j)) if j < n else (i, j)
            if j >= 0 and abs(w) > abs(weight_of.get(pair, 0.0)):
                weight_of[pair] = w
    order = sorted(weight_of, key=lambda pair: -abs(weight_of[pair]))[:HEAVIEST]
    return {pair: weight_of[pair] for pair in order if abs(weight_of[pair]) >= GRAVE * abs(weight_of[order[0]])}


def _points(
    at: np.ndarray, front: np.ndarray, points: Points, offsets: Sequence[np.ndarray], names: Sequence[str]
) -> list[Trace]:
    look: Trace = {"size": 7 if len(at) <= FEW else 5.5 if len(at) <= SOME else 4, "edge": (0, None)}
    traces = []
    for group in disc.by_class(points.y, names):
        x, y = np.concatenate([at[group.members] + offset for offset in offsets]).T
        opacity = np.tile(np.where(front[group.members], 1, BEHIND), len(offsets))
        traces.append(marks(group.name, x, y, colour=group.colour, symbol=group.symbol, opacity=opacity, **look))
    return traces


def _proxies(panels: Sequence[Panel], offsets: Sequence[np.ndarray], onto: np.ndarray, ink: str) -> list[Trace]:
    with_proxies = [(panel, offset) for panel, offset in zip(panels, offsets, strict=True) if panel.proxies is not None]
    if not with_proxies:
        return []
    x, y = np.concatenate([panel.proxies @ onto + offset for panel, offset in with_proxies]).T
    owners = [panel.owners for panel, _ in with_proxies]
    sizes = np.concatenate([np.full(len(classes), 11 if len(classes) <= 16 else 6) for classes in owners])
    colours = [class_style(c)[0] for c in np.concatenate(owners).tolist()]
    return [marks("proxy", x, y, colour=colours, symbol="star", size=sizes, opacity=1, edge=(0.8, ink))]


def _words(panel: Panel, offset: np.ndarray) -> list[dict[str, Any]]:
    (x, y), middle = offset.tolist(), {"xanchor": "center", "yanchor": "middle"}
    visible = "" if not panel.share_drawn < 0.9995 else f" · shown {panel.share_drawn:.0%}"
    numbers = f"|g| {number(panel.response.gradient_norm)} · pairs {share(*panel.response.active_pairs)}{visible}"
    return [
        note(f"<b>{panel.response.loss.name}</b>", x, y + TITLE, **middle, font={"size": 12}),
        note(numbers, x, y - NUMBERS, **middle, font={"size": 10}),
    ]


def _alt(points: Points, panels: Sequence[Panel], edges: bool, point: int | None) -> str:
    responses = (panel.response for panel in panels)
    values = "; ".join(f"{each.loss.name}: value {number(each.value)}, |g| {number(each.gradient_norm)}" for each in responses)
    what = "pairs, as wide as they weigh" if edges else "arrows along minus the gradient"
    what = what if point is None else f"the arrow of point #{point} and its pairs, as wide as they weigh"
    return f"{len(points.y)} points under {counted(len(panels), 'loss', 'losses')}, with {what}. {values}."
