"""The construction of the angle n' in the plane of a triangle, to scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._labels import labels
from dml_viz.explain.angular.figures._plane import (
    ROUNDING,
    SAMPLE,
    Asked,
    angle_words,
    arrows,
    asked_of,
    corners,
    factor_for,
    frame_of,
    named_corners,
    path,
    ring,
    sides,
)  # fmt: skip
from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, INK, NEGATIVE
from dml_viz.plot.traces import marks

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 460
ROWS = 4  # of the legend
SMALLEST = 1e-9  # a distance below this has no direction, an angle below it is rounding
ARC = 0.16  # of the half side of what is shown: the radius of the angle's arc
SMALL_SQUARE = 0.045
DOTS = 3.5  # pixels
WIDE, NARROW = 5.0, 2.5  # pixels, of the first and of the second loss's arrow


def triangle(model: Model, display: Display) -> go.Figure:
    """The triangle, the circle around x_c, x_m, the angle n' at x_n beside the bound alpha, both in degrees.

    From x_n a dotted ray leaves the line to x_c at alpha; the bound holds where x_n is outside the dotted circle, which at 45
    degrees is that around x_c. Arrows at x_n are the losses' own, on one scale. The
    triangle is drawn with x_n above x_a x_p, each unit as long in every direction.
    """
    theme, found, alpha = display.theme, model.triangle, model.settings.angular.alpha
    asked, angle, radius, bound, touch = asked_of(model), found.angle, found.radius, model.bound, found.touch
    ink, tangent = INK[theme], model.settings.arrows == "tangent"
    a, p, n = found.corners
    factor = factor_for(model, np.stack([one.arrows[2] for one in asked]))
    tips = [n + factor * one.arrows[2] for one in asked if factor]
    frame = frame_of(model, [np.array(tips)] if tips else [])
    reach, c = float(np.linalg.norm(n)), np.zeros(2)
    holds, one_circle = found.within(alpha), abs(bound - radius) < SMALLEST
    shown = ink if holds else NEGATIVE
    construction = np.array((n, c, touch, n))
    traces = [
        path("circle", ring(c, radius), ink, 1.2),
        # Dots wider than the line below them, so that both are seen where the two circles are one.
        path("n′ above α", ring(c, bound), NEGATIVE, DOTS, dash="dot", fill="toself", fillcolor=tint(NEGATIVE, 0.1)),
        *sides(model, theme),
        path("to x_c and x_m", construction, ink, 2),
    ]
    if reach > SMALLEST and radius > SMALLEST:
        across = touch / radius
        ray = np.array((n, reach * math.tan(math.radians(alpha)) * across))
        square = min(SMALL_SQUARE * frame.half, reach / 3) * np.array((n / reach, n / reach + across, across))
        traces += [
            path("ray at α", ray, NEGATIVE, 2, dash="dot"),
            path("n′", _arc(n, touch, ARC * frame.half), shown, 3),
            path("right angle", square, ink, 1),
        ]
    traces += [
        marks(name, at[:1], at[1:], colour=ink, symbol=symbol, hover=f"{name}<extra></extra>")
        for name, at, symbol in (("x<sub>c</sub>", c, "circle"), ("x<sub>m</sub>", touch, "diamond"))
    ]
    for one, width in zip(asked, (WIDE, NARROW), strict=True) if factor else ():
        if not tangent and np.linalg.norm(one.arrows[2]) > ROUNDING:
            traces.append(path(f"{one.name} comes from", np.array((one.along, n)), one.colour, dash="dot"))
        traces.append(arrows(one.name, n[None], factor * one.arrows[2:], one.colour, width=width))
    traces += corners(found.corners, model, display)
    own = (SAMPLE["solid"], ink, "circle on x<sub>a</sub>x<sub>p</sub>")
    sphere = (SAMPLE["thin dash"], EXACT, "the sphere")
    if found.point:
        text, drawn = f"{angle_words(angle)}: the three are one point", [sphere]
    else:
        text = f"{angle_words(angle)} {'≤' if holds else '>'} α = {alpha:g}°: the bound {'holds' if holds else 'is broken'}"
        outside = (SAMPLE["dot"], NEGATIVE, f"n′ = α, here also the {own[2]}" if one_circle else "n′ = α")
        drawn = [outside, *([] if one_circle else [own]), sphere]
    words = (
        ("∢", shown, f"<b>{text}</b>"),
        ("", ink, key(*drawn, apart="   ")["text"]),
        *(("➤", one.colour, f"{one.name} on x<sub>n</sub>: {_way(one, tangent)}") for one in asked),
    )
    layout = frame.layout(HEIGHT, ROWS)
    named = [*named_corners(found.corners), ("x<sub>c</sub>", c, ink), ("x<sub>m</sub>", touch, ink)]
    lines = [np.array((a, n, p, a)), construction, *(np.array((n, tip)) for tip in tips)]
    rings = [ring(c, radius), ring(c, bound), ring(*found.cut)]
    high = HEIGHT - layout["margin"]["t"] - layout["margin"]["b"]
    layout["annotations"] = [*labels(named, lines, frame, high, rings, theme=theme), key(*words)]
    who = [display.who[point] for point in model.settings.roles]
    alt = (
        f"The triangle of anchor {who[0]}, positive {who[1]} and negative {who[2]} in its own plane. {text}. Half of the pair is "
        f"{radius:.3f}; the negative is {reach:.3f} from the pair's middle. Gradients at the negative: "
        + ", ".join(f"{one.lengths[2]:.3g} ({one.name.lower()})" for one in asked)
        + "."
    )
    return canvas(traces, layout | {"meta": {"alt": alt, "scale": factor}}, theme=theme, alt=alt)


def _way(asked: Asked, tangent: bool) -> str:
    if not asked.lengths[2] > ROUNDING:
        return "no push"
    return "along the sphere" if tangent else asked.way


def _arc(at: np.ndarray, touch: np.ndarray, radius: float) -> np.ndarray:
    """From the direction of the middle to that of ``touch`` (2,), around ``at`` (2,)."""
    start, end = (math.atan2(*(to - at)[::-1]) for to in (np.zeros(2), touch))
    turned = start + math.remainder(end - start, 2 * math.pi) * np.linspace(0, 1, 24)
    return np.asarray(at + min(radius, 0.6 * float(np.linalg.norm(at))) * np.stack((np.cos(turned), np.sin(turned)), 1))
