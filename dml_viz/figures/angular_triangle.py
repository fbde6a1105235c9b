"""The construction of the angle n' in the plane of a triangle, to scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dml_viz.figures.angular_plane import CORNERS, Plane, arrows, labels, line, marks, ring, sides
from dml_viz.figures.angular_pushes import LONGEST, ROUNDING, Asked
from dml_viz.figures.canvas import canvas, key, tint
from dml_viz.figures.style import EXACT, INK, NEGATIVE

HEIGHT = 460
MARGIN = {"l": 8, "r": 8, "t": 76, "b": 8}
SMALLEST = 1e-9  # a distance below this has no direction, an angle below it is rounding
ARC = 0.16  # of the half side of what is shown: the radius of the angle's arc
SMALL_SQUARE = 0.045


def triangle_figure(
    plane: Plane, asked: Sequence[Asked], *, angle: float, alpha: float, tangent: bool, theme: str = "light"
) -> go.Figure:
    """The triangle, the circle around x_c, x_m, the angle n' (``angle``) at x_n beside the bound ``alpha``, both in degrees.

    From x_n a dotted ray leaves the line to x_c at alpha: the bound holds where x_m lies before it. Arrows at x_n are the
    losses' own (along the sphere where ``tangent``), on one scale. The triangle is drawn with x_n above x_a x_p, each unit as
    long in every direction.
    """
    a, p, n = plane.corners
    longest = max(float(np.linalg.norm(one.arrows[2])) for one in asked)
    factor = LONGEST * plane.frame().half / longest if longest > ROUNDING else 0.0
    tips = {one.name: n + factor * one.arrows[2] for one in asked if factor}
    frame = plane.frame([np.array(list(tips.values()))] if tips else [])
    reach, c = float(np.linalg.norm(n)), np.zeros(2)
    holds = angle <= alpha + SMALLEST
    traces = [
        line("n′ above α", ring(c, plane.bound), tint(NEGATIVE, 0.8), dash="dot", width=2, fill="toself",
             fillcolor=tint(NEGATIVE, 0.1)),
        *sides(plane, theme),
        line("circle", ring(c, plane.radius), INK[theme]),
        line("to x_c and x_m", np.array((n, c, plane.touch, n)), INK[theme], width=2),
    ]  # fmt: skip
    if reach > SMALLEST and plane.radius > SMALLEST:
        across = plane.touch / plane.radius
        traces += [
            line(
                "ray at α", np.array((n, reach * math.tan(math.radians(alpha)) * across)), NEGATIVE, dash="dot", width=2
            ),
            line("n′", _arc(n, plane.touch, ARC * frame.half), NEGATIVE if not holds else INK[theme], width=3),
            line(
                "right angle",
                _square(n / reach, across, min(SMALL_SQUARE * frame.half, reach / 3)),
                INK[theme],
                width=1,
            ),
        ]
    traces += [
        {"type": "scatter", "mode": "markers", "name": name, "x": at[:1], "y": at[1:], "hovertemplate": f"{name}<extra></extra>",
         "marker": {"color": INK[theme], "symbol": symbol, "size": 9}}
        for name, at, symbol in (("x<sub>c</sub>", c, "circle"), ("x<sub>m</sub>", plane.touch, "diamond"))
    ]  # fmt: skip
    for one in asked if factor else ():
        if not tangent and np.linalg.norm(one.arrows[2]) > ROUNDING:
            traces.append(line(f"{one.name} comes from", np.array((one.along, n)), one.colour, dash="dot", width=1.5))
        traces.append(arrows(one.name, n[None], factor * one.arrows[2:], one.colour, width=4))
    traces += marks(plane)
    named = [(name, at, colour) for at, (name, colour, _) in zip(plane.corners, CORNERS, strict=True)]
    named += [("x<sub>c</sub>", c, INK[theme]), ("x<sub>m</sub>", plane.touch, INK[theme])]
    pixels = frame.pixels(HEIGHT - MARGIN["t"] - MARGIN["b"])
    rings = [ring(c, plane.radius), ring(c, plane.bound)]
    notes = labels(named, [np.array((a, n, p, a)), np.array((n, c, plane.touch, n)),
                             *(np.array((n, tip)) for tip in tips.values())], pixels, rings)  # fmt: skip
    said = f"n′ = {angle:.1f}° {'≤' if holds else '>'} α = {alpha:g}°: {'the bound holds' if holds else 'x<sub>n</sub> is to go'}"
    way = "along the sphere" if tangent else "from {}"
    arrows_at_n = "   ".join(
        f"<span style='color:{one.colour}'>➤</span> {one.name.lower()}, "
        + ("none" if not one.lengths[2] > ROUNDING else way.format(one.along_name.removesuffix("x<sub>n</sub>")))
        for one in asked
    )
    words = (
        ("∢", NEGATIVE if not holds else INK[theme], f"<b>{said}</b>"),
        (
            "┈",
            NEGATIVE,
            f"n′ = α, at {plane.bound:.3g} from x<sub>c</sub>   <span style='color:{EXACT}'>╌</span> the sphere",
        ),
        ("", INK[theme], f"pushes on x<sub>n</sub>: {arrows_at_n}"),
    )
    layout = {"height": HEIGHT, "margin": MARGIN, "showlegend": False, "annotations": [*notes, key(*words)],
              **frame.axes}  # fmt: skip
    alt = (
        f"The triangle of anchor {plane.who[0]}, positive {plane.who[1]} and negative {plane.who[2]} in its own plane: half of "
        f"its pair is {plane.radius:.3f}, the negative is {reach:.3f} from the pair's middle, the angle n′ there is "
        f"{angle:.1f}° and the bound alpha {alpha:g}°, which {'holds' if holds else 'is broken'}. "
        "The gradients at the negative are "
        + " and ".join(f"{one.lengths[2]:.3g} ({one.name.lower()})" for one in asked)
        + " long."
    )
    layout["meta"] = {"alt": alt, "scale": factor}
    return canvas(traces, layout, theme=theme, alt=alt)


def _arc(at: np.ndarray, touch: np.ndarray, radius: float) -> np.ndarray:
    """From the direction of the middle to that of ``touch`` (2,), around ``at`` (2,)."""
    start, end = (math.atan2(*(to - at)[::-1]) for to in (np.zeros(2), touch))
    turned = start + math.remainder(end - start, 2 * math.pi) * np.linspace(0, 1, 24)
    return np.asarray(at + min(radius, 0.6 * float(np.linalg.norm(at))) * np.stack((np.cos(turned), np.sin(turned)), 1))


def _square(up: np.ndarray, across: np.ndarray, side: float) -> np.ndarray:
    return np.array((side * up, side * (up + across), side * across))
