"""The plane of a triplet's two similarities: the loss as contours, its gradient as arrows, its boundaries as lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.figures.canvas import canvas, key, tint
from dml_viz.figures.style import EXACT, FAINT, INK, PAPER, QUERY

HEIGHT = 480
EDGE = 1.05  # of the largest similarity, where the axes end
CELLS = 10  # arrows along an axis, about; all of the grid's where few have a length
FEW = 150  # arrows
MANY = 300  # triplets from which marks shrink
LEVELS = 12  # contours
STEEP = 200  # from this ratio of the largest to the median value, contours are of the logarithm
USUAL = 0.9  # of the arrows are not longer than the one that is drawn as long as its place allows


@dataclass(frozen=True, eq=False)
class Surface:
    """Over similarities ``s`` (G,), rows s_n and columns s_p: the value, dL/ds_p and dL/ds_n (G, G), NaN where none is."""

    s: np.ndarray
    value: np.ndarray
    of_positive: np.ndarray
    of_negative: np.ndarray


@dataclass(frozen=True, eq=False)
class Lines:
    """Boundaries as segments (K, 2, 2) from one (s_p, s_n) to another.

    ``still``: where the gradient ends. ``even``: where pull and push are equal. ``half``, for a loss with neither: where the
    push is half its largest.
    """

    still: np.ndarray
    even: np.ndarray
    half: np.ndarray


@dataclass(frozen=True, eq=False)
class Dots:
    """Triplets of the anchor: s_p, s_n, whether one is left by the mining and has a gradient (T,), and what it is called.

    ``counted`` says of all of its triplets, of which these may be some, how many have a gradient, and how many there are.
    """

    s_p: np.ndarray
    s_n: np.ndarray
    active: np.ndarray
    who: Sequence[str]
    counted: tuple[int, int]


def plane_figure(
    surface: Surface, lines: Lines, dots: Dots, now: tuple[float, float], *, title: str, theme: str = "light"
) -> go.Figure:
    """The plane with the anchor's triplets on it; ``now`` (s_p, s_n) is the one looked at, NaN for none.

    An arrow is (-dL/ds_p, -dL/ds_n) times ``layout.meta["scale"]``, but no longer than ``layout.meta["longest"]``.
    """
    step, arrows = _arrows(surface)
    length = np.hypot(*arrows[2:])
    usual = float(np.quantile(length, USUAL)) if len(length) else 0.0
    longest = 0.85 * step * float(surface.s[1] - surface.s[0])
    scale = longest / usual if usual else 0.0
    factor = np.minimum(scale, np.divide(longest, length, out=np.zeros_like(length), where=length > 0))
    x, y, u, v = arrows
    traces: list[dict[str, Any]] = [
        *_value(surface, theme),
        *_boundaries(lines, theme),
        {"type": "quiver", "name": "descent", "x": x, "y": y, "u": factor * u, "v": factor * v, "lengthmode": "raw",
         "anchor": "tail", "marker": {"color": INK[theme], "line": {"width": 1.3}, "arrowsize": 0.7},
         "hoverinfo": "skip"},
        *_triplets(dots, theme),
        {"type": "scatter", "mode": "markers", "name": "this triplet", "x": np.array(now[:1]), "y": np.array(now[1:]),
         "marker": {"color": QUERY, "symbol": "diamond", "size": 13, "line": {"color": PAPER[theme], "width": 1.5}},
         "hovertemplate": "this triplet<br>s_p = %{x:.3f}, s_n = %{y:.3f}<extra></extra>"},
    ]  # fmt: skip
    words, alt = _words(surface, lines, dots, now, title)
    axis = {"range": [-EDGE, EDGE], "dtick": 0.5, "constrain": "domain"}
    layout = {
        "height": HEIGHT,
        "margin": {"l": 54, "r": 12, "t": 66, "b": 46},
        "xaxis": {**axis, "title": {"text": "s<sub>p</sub>, anchor and positive"}},
        "yaxis": {**axis, "title": {"text": "s<sub>n</sub>, anchor and negative"}, "scaleanchor": "x"},
        "showlegend": False,
        "annotations": [key(*words)],
        "meta": {"alt": alt, "scale": scale, "longest": longest},
        "uirevision": "plane",
    }
    return canvas(traces, layout, theme=theme, alt=alt)


def _arrows(surface: Surface) -> tuple[int, np.ndarray]:
    """How many of the grid's steps lie between arrows, and those that have a length: x, y, u and v (4, K)."""
    u, v = -surface.of_positive, -surface.of_negative
    has = np.nan_to_num(np.hypot(u, v)) > 0
    step = 1 if has.sum() <= FEW else math.ceil((len(surface.s) - 1) / CELLS)
    kept = np.zeros_like(has)
    kept[step // 2 :: step, step // 2 :: step] = True
    rows, columns = np.nonzero(has & kept)
    return max(step, 2), np.stack((surface.s[columns], surface.s[rows], u[rows, columns], v[rows, columns]))


def _value(surface: Surface, theme: str) -> list[dict[str, Any]]:
    value, largest = surface.value, float(np.nanmax(surface.value, initial=0))
    common: dict[str, Any] = {
        "type": "contour", "name": "loss", "x": surface.s, "y": surface.s, "showscale": False, "hoverongaps": False,
        "colorscale": [[0, tint(EXACT, 0.03)], [1, tint(EXACT, 0.45)]], "text": value,
        "hovertemplate": "s_p = %{x:.2f}, s_n = %{y:.2f}<br>L = %{text:.3g}<extra></extra>",
        "line": {"color": FAINT[theme], "width": 1},
    }  # fmt: skip
    if largest <= 0:
        return [{**common, "z": value}]
    middle = float(np.nanmedian(value[value > 0]))
    if largest > STEEP * middle:
        logs = np.log10(np.maximum(value, 1e-6 * largest))
        return [{**common, "z": logs, "ncontours": LEVELS}]
    return [{**common, "z": value, "ncontours": LEVELS}]


def _boundaries(lines: Lines, theme: str) -> list[dict[str, Any]]:
    styles = (("still", lines.still, "solid", 3), ("even", lines.even, "dash", 2), ("half", lines.half, "dot", 2))
    return [
        {"type": "scatter", "mode": "lines", "name": name, "x": _broken(segments[:, :, 0]), "y": _broken(segments[:, :, 1]),
         "line": {"color": INK[theme], "width": width, "dash": dash}, "hoverinfo": "skip"}
        for name, segments, dash, width in styles if len(segments)
    ]  # fmt: skip


def _broken(ends: np.ndarray) -> np.ndarray:
    """Segments one behind the other; those that meet are joined, so that dashes run on."""
    return np.column_stack((ends, np.full(len(ends), np.nan))).ravel()


def _triplets(dots: Dots, theme: str) -> list[dict[str, Any]]:
    few = len(dots.s_p) <= MANY
    styles = (("without a gradient", ~dots.active, "circle-open", tint(INK[theme], 0.55)),
              ("with a gradient", dots.active, "circle", INK[theme]))  # fmt: skip
    return [
        {"type": "scatter", "mode": "markers", "name": f"triplets {name}", "x": dots.s_p[of], "y": dots.s_n[of],
         "text": [dots.who[k] for k in np.flatnonzero(of).tolist()],
         "marker": {"symbol": symbol, "size": 7 if few else 4, "color": colour, "line": {"width": 1},
                    "opacity": 1 if few else 0.6},
         "hovertemplate": "%{text}<br>s_p = %{x:.3f}, s_n = %{y:.3f}<extra></extra>"}
        for name, of, symbol, colour in styles
    ]  # fmt: skip


def _words(
    surface: Surface, lines: Lines, dots: Dots, now: tuple[float, float], title: str
) -> tuple[list[tuple[str, str, str]], str]:
    signs = (("━", lines.still, "here the gradient ends"), ("╌", lines.even, "pull = push"),
             ("┈", lines.half, "half the largest push"))  # fmt: skip
    drawn = [(sign, said) for sign, segments, said in signs if len(segments)]
    bounds = " &nbsp; ".join(f"{sign} {said}" for sign, said in drawn)
    active, many = dots.counted
    s_p, s_n = (f"{s:.3f}".replace("-", "−") for s in now)
    at = "no triplet" if math.isnan(sum(now)) else f"this triplet: s<sub>p</sub> = {s_p}, s<sub>n</sub> = {s_n}"
    words = [
        ("◆", QUERY, at),
        ("●", "inherit", f"with a gradient: {active:,} of the anchor's {many:,} triplets"),
        ("", "inherit", bounds or "no boundary: the gradient is alike everywhere"),
    ]
    largest = float(np.nanmax(np.hypot(surface.of_positive, surface.of_negative), initial=0))
    alt = (
        f"{title} over the similarities of one triplet: values from {np.nanmin(surface.value):.3g} to "
        f"{np.nanmax(surface.value):.3g}, the longest gradient {largest:.3g}, none in "
        f"{float(((surface.of_positive == 0) & (surface.of_negative == 0)).mean()):.0%} of the plane; "
        f"of the anchor's {many:,} triplets {active:,} have a gradient."
    )
    return words, alt
