"""The plane of a triplet's two similarities: the loss as contours, its gradient as arrows, its boundaries as lines."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import Display, axis, chart, number, tint
from dml_viz.plot.one_loss._field import arrows
from dml_viz.plot.style import EXACT, FAINT, INK, PAPER, QUERY
from dml_viz.plot.traces import Trace, arrow_lines, contour, joined, line, marks

if TYPE_CHECKING:
    from dml_viz.analysis.around_triplet import Model
    from dml_viz.analysis.triplet_plane import Plane

MOST_PAIRS, SEED = 1500, 0  # triplets that are drawn as marks; the seed that chooses them from more
HEIGHT = 480
JOINED = 0.005  # similarity by which the ends of a boundary's segments may differ
EDGE = 1.05  # similarity at which the axes end
MANY = 300  # triplets from which marks shrink
LEVELS = 12  # contours
HEAD = 6  # px, of an arrow
AT = "sₚ = %{x:.3f}, sₙ = %{y:.3f}<extra></extra>"
STEEP = 200  # ratio of the largest to the median value above which contours are those of the logarithm


def plane(model: "Model", display: Display) -> go.Figure:
    """A figure of the plane with the anchor's triplets in it and the chosen triplet marked.

    An arrow is (-dL/ds_p, -dL/ds_n) times ``layout.meta["scale"]``, but no longer than ``layout.meta["longest"]``. Its middle
    is at its place, and it lies wholly where there is a gradient: arrows that would cross a boundary are left out.
    """
    field, theme, now = model.plane, display.theme, (model.s_p, model.s_n)
    vectors, scale, longest = arrows(field)
    here: Trace = {"colour": QUERY, "symbol": "diamond", "edge": (1.5, PAPER[theme]), "hover": f"this triplet<br>{AT}"}
    traces: list[Trace] = [
        _value(field, theme),
        *_blank(field.edge, theme),
        *_boundaries(field, theme),
        _descent(vectors, theme),
        *_triplets(model, display),
        marks("this triplet", np.array(now[:1]), np.array(now[1:]), size=13, **here),
    ]
    words, alt = _words(model, now)
    ends = {"range": [-EDGE, EDGE], "dtick": 0.5, "constrain": "domain"}
    x, y = axis("s<sub>p</sub>, anchor and positive", **ends), axis("s<sub>n</sub>, anchor and negative", **ends, scaleanchor="x")
    more = {"meta": {"scale": scale, "longest": longest}, "uirevision": "plane"}
    return chart(traces, words, x, y, height=HEIGHT, theme=theme, alt=alt, left=54, top=84, **more)


def _descent(vectors: np.ndarray, theme: str) -> Trace:
    """Arrows x, y, u and v (4, K), each with its middle at its place."""
    places, ways = vectors.reshape(2, 2, -1).transpose(0, 2, 1)
    return arrow_lines("descent", places - ways / 2, places + ways / 2, colour=INK[theme], width=1.3, head=HEAD)


def _value(plane: "Plane", theme: str) -> Trace:
    value, largest = plane.value, float(np.nanmax(plane.value, initial=0))
    text = np.where(np.isnan(value), "no unit vectors have these similarities", np.char.mod("L = %.3g", value))
    z, count = (_carried_on(log_where_steep(value)), {"ncontours": LEVELS}) if largest > 0 else (value, {})
    hover = "sₚ = %{x:.2f}, sₙ = %{y:.2f}<br>%{text}<extra></extra>"
    return loss_contour("loss", plane.s, z, value, theme, hover=hover, text=text, **count)


def loss_contour(name: str, s: np.ndarray, z: np.ndarray, value: np.ndarray, theme: str, *, hover: str, **more: Any) -> Trace:
    """Contours of a loss at ``z`` (G, G) over two similarities or angles s (G,), the greyer, the larger.

    Its ``value`` (G, G), which is written to a table where it is another than what is drawn, may be NaN.
    """
    shades = tint(EXACT, 0.03), tint(EXACT, 0.45)
    if not np.array_equal(z, value):
        known = [[number if np.isfinite(number) else None for number in row] for row in value.tolist()]
        more |= {"meta": {"values": known}}
    return contour(name, s, s, z, shades, (1, FAINT[theme]), hover=hover, hoverongaps=False, **more)


def log_where_steep(value: np.ndarray) -> np.ndarray:
    """The value (G, G), or its base-10 logarithm if the value is steep."""
    return np.log10(np.maximum(value, 1e-6 * float(np.nanmax(value, initial=0)))) if _is_steep(value) else value


def _is_steep(value: np.ndarray) -> bool:
    """Whether the value is so steep that contours are those of its logarithm."""
    above = value[value > 0]
    return len(above) > 0 and float(above.max()) > STEEP * float(np.median(above))


def _carried_on(value: np.ndarray) -> np.ndarray:
    """The values (G, G), with NaN replaced by an extension with each column's last slope, for contours below the blank."""
    carried, rows = value.copy(), np.arange(len(value))
    for column in carried.T:
        known = np.flatnonzero(~np.isnan(column))
        if not len(known):
            continue
        low, high = known[0], known[-1]
        slopes = np.diff(column[known])[[0, -1]] if len(known) > 1 else np.zeros(2)
        beyond = slopes[0] * np.minimum(rows - low, 0) + slopes[1] * np.maximum(rows - high, 0)
        column[:] = np.interp(rows, known, column[known]) + beyond
    return carried


def _blank(edge: np.ndarray, theme: str) -> list[Trace]:
    """Areas in the page's colour where no unit vectors have the similarities, with a smooth edge; cells would end in steps."""
    if not len(edge):
        return []
    s_p, s_n = edge.T
    x, y = np.append(s_p, (EDGE, EDGE, -EDGE, -EDGE)), np.append(s_n, (s_n[-1], EDGE, EDGE, s_n[0]))
    look = {"type": "scatter", "mode": "none", "fill": "toself", "fillcolor": PAPER[theme], "hoverinfo": "skip"}
    sides = (("above", 1.0), ("below", -1.0))
    return [
        *({**look, "name": f"blank {name}", "x": x, "y": sign * y} for name, sign in sides),
        *(line(f"edge {name}", s_p, sign * s_n, colour=FAINT[theme], width=1.5) for name, sign in sides),
    ]


def _boundaries(plane: "Plane", theme: str) -> list[Trace]:
    styles = (("still", plane.still, "solid"), ("even", plane.even, "dash"), ("half", plane.half, "dot"))
    boundaries = []
    for name, segments, dash in styles:
        if len(segments):
            gap = np.full((1, 2), np.nan)
            points = np.concatenate([part for points in joined(segments, JOINED) for part in (points, gap)])
            boundaries.append(line(name, *points.T, colour=INK[theme], dash=dash))
    return boundaries


def _triplets(model: "Model", display: Display) -> list[Trace]:
    around, who, ink = model.triplets, display.who, INK[display.theme]
    p, n = (index.ravel() for index in np.meshgrid(around.positives, around.negatives, indexing="ij"))
    sample = np.arange(len(p))
    if len(sample) > MOST_PAIRS:
        sample = np.sort(np.random.default_rng(SEED).permutation(len(p))[:MOST_PAIRS])
    s, active, few = model.cosine_similarities[model.settings.anchor], around.with_gradient.ravel(), len(sample) <= MANY
    styles = (
        ("without a gradient", sample[~active[sample]], "circle-open", tint(ink, 0.55)),
        ("with a gradient", sample[active[sample]], "circle", ink),
    )
    look: Trace = {"size": 7 if few else 4, "opacity": 1 if few else 0.6, "edge": (1, None), "hover": f"%{{text}}<br>{AT}"}
    traces = []
    for name, members, symbol, colour in styles:
        ends = p[members], n[members]
        text = [f"{who[i]}, not {who[j]}" for i, j in np.transpose(ends).tolist()]
        traces.append(marks(f"triplets {name}", *(s[end] for end in ends), colour=colour, symbol=symbol, text=text, **look))
    return traces


def _words(model: "Model", now: tuple[float, float]) -> tuple[list[tuple[str, str, str]], str]:
    plane, active = model.plane, model.triplets.with_gradient
    signs = (
        ("━", plane.still, "here the gradient ends"),
        ("╌", plane.even, "pull = push"),
        ("┈", plane.half, "half the largest push"),
    )
    bounds = " &nbsp; ".join(f"{sign} {name}" for sign, segments, name in signs if len(segments))
    least, most = (number(end) for end in (np.nanmin(plane.value), np.nanmax(plane.value)))
    steps = ", in steps of its logarithm" if _is_steep(plane.value) else ""
    s_p, s_n = (number(s, ".3f") for s in now)
    at = "no triplet" if math.isnan(sum(now)) else f"this triplet: s<sub>p</sub> = {s_p}, s<sub>n</sub> = {s_n}"
    counted = f"triplets of the anchor {model.triplets_called}: {active.sum():,} of {active.size:,}"
    words = [
        ("◆", QUERY, at),
        ("●", "inherit", counted),
        ("░▓", EXACT, f"the greyer, the larger the loss{steps}"),
        ("", "inherit", bounds or "no boundary"),
    ]
    strength = np.hypot(plane.of_positive, plane.of_negative)
    still = float((strength == 0).sum() / max((~np.isnan(strength)).sum(), 1))
    alt = (
        f"{type(model.settings.loss).title} over the similarities of one triplet: values from {least} to {most}, no gradient "
        f"in {still:.0%} of the plane, the longest {float(np.nanmax(strength, initial=0)):.3g}. "
        f"{counted[:1].upper()}{counted[1:]}."
    )
    return words, alt
