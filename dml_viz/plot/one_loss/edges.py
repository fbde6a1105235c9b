"""The pairs with a gradient as edges between the points, as wide as their weight, with an arrow at each point."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, canvas, footnote, key, tint
from dml_viz.plot.disc import factor_for
from dml_viz.plot.projection import Flat, flatten
from dml_viz.plot.style import INK, NEGATIVE, PAPER, POSITIVE
from dml_viz.plot.traces import TEXT, Trace, line, marks

if TYPE_CHECKING:
    from dml_viz.analysis.around_triplet import Model

ROLES = ("anchor", "positive", "negative")
MOST_PAIRS = 300  # edges, those with the largest weights
WIDEST, WIDTHS = 7.0, 10  # px; the number of widths
FEW = 80  # edges; if there are more, all are narrower and fainter, so that the points stay visible
FAINTEST = 0.35  # least factor of their width and opacity
REACH = 1.22  # radii from the centre of the drawing to its side
HEIGHT = 540
LINE = 18  # px of a line of words
KINDS = ((True, "positive", POSITIVE), (False, "negative", NEGATIVE))


def edges(model: "Model", display: Display) -> go.Figure:
    """A figure of the points and their weighted pairs as edges, as wide as their share of the largest weight, in tenths.

    Edges that push positives or pull negatives are dashed. ``layout.meta`` has the "ends" and "weight" of the pairs drawn, and
    the "scale" of the arrows.
    """
    response, settings, who, theme = model.response, model.settings, display.who, display.theme
    whose, counted = "", np.ones(len(response.pair_indices), bool)
    if settings.edges == "anchor":
        whose, counted = "the anchor's ", (response.pair_indices == settings.anchor).any(1)
    ends, weight = response.pair_indices[counted], response.pair_weights[counted]
    positive, active = response.is_positive[counted], response.is_active[counted]
    flat = flatten(model.z, model.descent, settings.anchor, model.embeddings.plane)
    order = np.argsort(-np.abs(weight), kind="stable")
    heaviest = order[active[order]][:MOST_PAIRS]
    largest = float(np.abs(weight).max(initial=0))
    scale = factor_for(flat.lengths)
    pairs = ends[heaviest], weight[heaviest]
    traces = [
        *_lines(flat, *pairs, positive[heaviest], largest),
        _middles(flat, *pairs, who),
        *disc.points_by_class(flat, model.y, display.classes, who, sizes=(11, 7), edge=(0.7, PAPER[theme])),
        disc.arrows(flat, scale, INK[theme]),
        *_rings(flat, (settings.anchor, settings.positive, settings.negative), theme),
    ]
    of_kind = {kind: positive == same for same, kind, _ in KINDS}
    counts = {kind: f"{int((active & members).sum()):,} of {int(members.sum()):,}" for kind, members in of_kind.items()}
    words = [("▬", colour, f"{whose}{kind} pairs with a gradient: {counts[kind]}") for _, kind, colour in KINDS]
    against = int((active & ((weight > 0) == positive)).sum())
    alt = (
        f"{len(model.y)} points on {flat.view}. With a gradient of {type(settings.loss).title}: {whose}positive pairs "
        f"{counts['positive']}, negative pairs {counts['negative']}, the largest |dL/ds| {largest:.3g}. Positives pushed apart "
        f"or negatives pulled together: {against}."
    )
    below = [f"widest edge: {largest:.3g}; longest arrow: {flat.longest_before_projection:.3g}"]
    if len(heaviest) < (every := int(active.sum())):
        below.append(f"the {len(heaviest)} heaviest of {every:,} edges are drawn")
    below += disc.share_shown(flat)
    margin, notes = {"l": 8, "r": 8, "t": 52, "b": 12 + LINE * len(below)}, [key(*words), footnote("<br>".join(below))]
    meta = {"ends": ends[heaviest].tolist(), "weight": weight[heaviest].tolist(), "scale": scale}
    layout = disc.layout(HEIGHT, margin, REACH, theme, annotations=notes, uirevision="edges", meta=meta)
    return canvas(traces, layout, theme=theme, alt=alt)


def _lines(flat: Flat, ends: np.ndarray, weight: np.ndarray, positive: np.ndarray, largest: float) -> list[Trace]:
    shares = np.ceil(WIDTHS * np.abs(weight) / (largest or 1) - 1e-9).astype(int)
    against = (weight > 0) == positive
    thin = float(np.clip(np.sqrt(FEW / max(len(ends), 1)), FAINTEST, 1))
    traces = []
    for (other, opposed, share), x, y in disc.bundles(flat.places[ends], ~positive, against, shares):
        _, kind, colour = KINDS[other]
        way = "against its kind" if opposed else "as its kind"
        name, dash = f"{kind} pairs {way}, {share} tenths", "dash" if opposed else "solid"
        shade, width = tint(colour, thin * (0.3 + 0.5 * share / WIDTHS)), thin * WIDEST * share / WIDTHS
        traces.append(line(name, x, y, colour=shade, width=width, dash=dash))
    return traces


def _middles(flat: Flat, ends: np.ndarray, weight: np.ndarray, who: Sequence[str]) -> Trace:
    """Invisible marks at the middles of the edges, with the text for the pointer."""
    text = [
        f"{who[i]} – {who[j]}<br>dL/ds = {w:.3g}: {'pushed apart' if w > 0 else 'pulled together'}"
        for (i, j), w in zip(ends.tolist(), weight.tolist(), strict=True)
    ]
    x, y = flat.places[ends].mean(1).T
    ids = ends[:, 0]
    return marks("edges", x, y, colour=None, symbol=None, size=12, opacity=0, text=text, hover=TEXT, customdata=ids)


def _rings(flat: Flat, roles: Sequence[int], theme: str) -> list[Trace]:
    """Rings with their names, which point away from each other; below each a wider ring in the page's colour."""
    colours = {"positive": POSITIVE, "negative": NEGATIVE}
    places = {role: flat.places[[at]] for role, at in zip(ROLES, roles, strict=True) if at >= 0}
    middle = np.mean(list(places.values()), axis=0) if places else np.zeros((1, 2))
    halo = ", ".join(f"{x}px {y}px 2px {PAPER[theme]}" for x in (-1, 1) for y in (-1, 1))
    traces = []
    for role, point in places.items():
        colour = colours.get(role, INK[theme])
        font = {"color": colour, "weight": 700, "shadow": halo}
        name = {"text": [role], "textfont": font, "textposition": _towards((point - middle)[0])}
        traces.append(disc.rings(f"around the {role}", point, 20, PAPER[theme], 6))
        traces.append(disc.rings(role, point, 20, colour, 2.5, mode="markers+text", **name))
    return traces


def _towards(way: np.ndarray) -> str:
    """The side of its place on which a name stands, as Plotly's textposition."""
    along, up = way.tolist()
    if abs(along) > 2 * abs(up):
        return "middle right" if along > 0 else "middle left"
    side = "" if abs(up) > 2 * abs(along) else "right" if along > 0 else "left"
    return f"{'top' if up >= 0 else 'bottom'} {side or 'center'}"
