"""The construction of the angle n' in the plane of a triangle, to scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._labels import labels
from dml_viz.explain.angular.figures._plane import (
    arrows,
    bound_of,
    corners,
    frame_of,
    head_room,
    named_corners,
    path,
    ring,
    sides,
)  # fmt: skip
from dml_viz.explain.angular.figures._words import SAMPLE, angle_words
from dml_viz.explain.angular.figures.pushes import LONGEST, ROUNDING, Asked, asked_of
from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, INK, NEGATIVE
from dml_viz.plot.traces import marks

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 460
ROWS = 4  # of the legend
MARGIN = head_room(ROWS)
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
    theme, found, alpha, tangent = (
        display.theme,
        model.triangle,
        model.settings.angular.alpha,
        model.settings.arrows == "tangent",
    )
    asked, angle, radius, bound = asked_of(model), found.angle, found.radius, bound_of(model)
    a, p, n = found.corners
    longest = max(float(np.linalg.norm(one.arrows[2])) for one in asked)
    factor = LONGEST * frame_of(model).half / longest if longest > ROUNDING else 0.0
    tips = {one.name: n + factor * one.arrows[2] for one in asked if factor}
    frame = frame_of(model, [np.array(list(tips.values()))] if tips else [])
    reach, c = float(np.linalg.norm(n)), np.zeros(2)
    holds = not angle > alpha + SMALLEST
    one_circle = abs(bound - radius) < SMALLEST
    traces = [
        path("circle", ring(c, radius), INK[theme], 1.2),
        # Dots wider than the line below them, so that both are seen where the two circles are one.
        path("n′ above α", ring(c, bound), NEGATIVE, DOTS, dash="dot", fill="toself", fillcolor=tint(NEGATIVE, 0.1)),
        *sides(model, theme),
        path("to x_c and x_m", np.array((n, c, found.touch, n)), INK[theme], 2),
    ]
    if reach > SMALLEST and radius > SMALLEST:
        across = found.touch / radius
        ray = np.array((n, reach * math.tan(math.radians(alpha)) * across))
        square = _square(n / reach, across, min(SMALL_SQUARE * frame.half, reach / 3))
        traces += [
            path("ray at α", ray, NEGATIVE, 2, dash="dot"),
            path("n′", _arc(n, found.touch, ARC * frame.half), NEGATIVE if not holds else INK[theme], 3),
            path("right angle", square, INK[theme], 1),
        ]
    traces += [
        marks(name, at[:1], at[1:], colour=INK[theme], symbol=symbol, hover=f"{name}<extra></extra>")
        for name, at, symbol in (("x<sub>c</sub>", c, "circle"), ("x<sub>m</sub>", found.touch, "diamond"))
    ]
    for one, width in zip(asked, (WIDE, NARROW), strict=True) if factor else ():
        if not tangent and np.linalg.norm(one.arrows[2]) > ROUNDING:
            traces.append(path(f"{one.name} comes from", np.array((one.along, n)), one.colour, dash="dot"))
        traces.append(arrows(one.name, n[None], factor * one.arrows[2:], one.colour, width=width))
    traces += corners(found.corners, model, display)
    named = [
        *named_corners(found.corners),
        ("x<sub>c</sub>", c, INK[theme]),
        ("x<sub>m</sub>", found.touch, INK[theme]),
    ]
    high = HEIGHT - MARGIN["t"] - MARGIN["b"]
    rings = [ring(c, radius), ring(c, bound), ring(*found.cut)]
    notes = labels(named, [np.array((a, n, p, a)), np.array((n, c, found.touch, n)),
                             *(np.array((n, tip)) for tip in tips.values())], frame, high, rings, theme=theme)  # fmt: skip
    undefined = math.isnan(angle)
    own = "circle on x<sub>a</sub>x<sub>p</sub>"
    sphere = (SAMPLE["thin dash"], EXACT, "the sphere")
    if undefined:
        text, drawn = f"{angle_words(angle)}: the three are one point", [sphere]
    else:
        text = f"{angle_words(angle)} {'≤' if holds else '>'} α = {alpha:g}°: the bound {'holds' if holds else 'is broken'}"
        outside = (SAMPLE["dot"], NEGATIVE, f"n′ = α, here also the {own}" if one_circle else "n′ = α")
        drawn = [outside, *([] if one_circle else [(SAMPLE["solid"], INK[theme], own)]), sphere]
    words = (
        ("∢", NEGATIVE if not holds else INK[theme], f"<b>{text}</b>"),
        ("", INK[theme], key(*drawn, apart="   ")["text"]),
        *(("➤", one.colour, f"{one.name} on x<sub>n</sub>: {_way(one, tangent)}") for one in asked),
    )
    layout = {"height": HEIGHT, "margin": MARGIN, "showlegend": False, "annotations": [*notes, key(*words)],
              **frame.axes}  # fmt: skip
    who = [display.who[point] for point in model.settings.roles]
    alt = (
        f"The triangle of anchor {who[0]}, positive {who[1]} and negative {who[2]} in its own plane: half of "
        f"its pair is {radius:.3f}, the negative is {reach:.3f} from the pair's middle, "
        + (
            f"the angle n′ there is undefined, as the three are one point, and the bound alpha {alpha:g}° is not broken. "
            if undefined
            else f"the angle n′ there is {angle:.1f}° and the bound alpha {alpha:g}°, which {'holds' if holds else 'is broken'}: "
            f"it holds from {bound:.3f} on. "
        )
        + "The gradients at the negative are "
        + " and ".join(f"{one.lengths[2]:.3g} ({one.name.lower()})" for one in asked)
        + " long."
    )
    layout["meta"] = {"alt": alt, "scale": factor}
    return canvas(traces, layout, theme=theme, alt=alt)


def _way(asked: Asked, tangent: bool) -> str:
    if not asked.lengths[2] > ROUNDING:
        return "no push"
    return "along the sphere" if tangent else asked.way


def _arc(at: np.ndarray, touch: np.ndarray, radius: float) -> np.ndarray:
    """From the direction of the middle to that of ``touch`` (2,), around ``at`` (2,)."""
    start, end = (math.atan2(*(to - at)[::-1]) for to in (np.zeros(2), touch))
    turned = start + math.remainder(end - start, 2 * math.pi) * np.linspace(0, 1, 24)
    return np.asarray(at + min(radius, 0.6 * float(np.linalg.norm(at))) * np.stack((np.cos(turned), np.sin(turned)), 1))


def _square(up: np.ndarray, across: np.ndarray, side: float) -> np.ndarray:
    return np.array((side * up, side * (up + across), side * across))
