"""Both losses as the negative goes round the circle in which its plane cuts the sphere, and as the triangle grows."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import ANGULAR, CORNERS, SAMPLE, TRIPLET, View, angle_words, colour_of_words, path
from dml_viz.explain.angular.model import Model
from dml_viz.plot.canvas import Display, Row, axis, canvas, chart, key, note, stacked, with_minus_signs, words_of
from dml_viz.plot.style import EXACT, FAINT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, horizontal_line_shape, line, marks, vertical_line_shape

CIRCLE_HIGH = 330
NEAR = 14  # degrees: nearer names are on different levels
LOOKS = (("angular", ANGULAR, "solid", "circle"), ("triplet", TRIPLET, "dash", "diamond"))
SCALE_HIGH = 400
ASIDE = 0.04  # decades beyond the smallest and the largest scale


def circle(model: Model, display: Display) -> go.Figure:
    """Both losses against the angle of the negative on its circle, in degrees from the middle of anchor and positive."""
    triangle, degrees = model.triangle, np.linspace(-180, 180, 361)
    places, around, negative = triangle.degrees_on_section_circle, triangle.points_on_section_circle(degrees), triangle.corners[2]
    curves, now_marks, words, top = [], [], [], 1e-3
    for name, colour, dash, symbol in LOOKS:
        values, now = model.loss_at(name, around), float(model.loss_at(name, negative))
        hover = f"{name} %{{y:.3f}} at %{{x:.0f}}°<extra></extra>"
        curves.append(line(name, degrees, values, colour=colour, width=2.5, dash=dash, hover=hover))
        now_marks.append(marks(f"{name} now", places[2:], np.array([now]), colour=colour, symbol=symbol, size=11))
        still = f"0 on {float((values <= 0).mean()):.0%} of the circle"
        words.append((SAMPLE[dash], colour, f"{name}: {now:.3f} now, {still}"))
        top = max(top, float(values.max()))
    names, lines, above = [], [], 15 * max(_levels(places))
    for corner_at, level, (name, colour, _) in zip(places.tolist(), _levels(places), CORNERS, strict=True):
        look = {"yref": "y domain", "yanchor": "bottom", "font": {"color": colour_of_words(colour, display.theme), "size": 14}}
        names.append(note(name, corner_at, 1, yshift=15 * level, **look))
        lines.append(vertical_line_shape(corner_at, colour, 1.5, layer="below"))
    where = "where x<sub>n</sub> is, in degrees from the middle of x<sub>a</sub> and x<sub>p</sub>"
    x = axis(where, -180, 180, tickvals=list(range(-180, 181, 60)), gridcolor=FAINT[display.theme])
    y = axis("loss", -0.04 * top, 1.06 * top)
    a, p, n = places
    alt = (
        f"Both losses with the negative anywhere on the circle. {words_of(words)}. The negative is at "
        f"{n:.0f}°, the anchor at {a:.0f}°, the positive at {p:.0f}°."
    )
    layout: dict[str, Any] = {"shapes": lines, "annotations": [*names, {**key(*words), "yshift": 22 + above}]}
    traces = [*curves, *now_marks]
    return chart(traces, (), x, y, height=CIRCLE_HIGH, theme=display.theme, alt=alt, top=86 + above, **layout)


def _levels(places: np.ndarray) -> list[int]:
    """The level above the panel of each name; names near each other are on different levels."""
    levels: list[int] = []
    for k, degrees in enumerate(places):
        near = {levels[j] for j in range(k) if abs(places[j] - degrees) < NEAR}
        levels.append(next(level for level in range(3) if level not in near))
    return levels


def scaled(model: Model, display: Display) -> go.Figure:
    """The triangle and its copy, larger or smaller and turned, with x_c in the middle of both."""
    scale, turn, ink = model.settings.scale, model.settings.turn, INK[display.theme]
    corners, moved = model.triangle.corners, model.triangle.scaled_corners(scale, turn)
    traces = []
    for name, (a, p, n), side, pair, dash in (("before", corners, EXACT, EXACT, "dot"), ("after", moved, ink, POSITIVE, "solid")):
        traces += [
            path(f"{name}, sides", np.array((a, n, p)), side, dash=dash),
            path(f"{name}, pair", np.array((a, p)), pair, 2.5, dash=dash),
            path(f"{name}, to the middle", np.array((n, (a + p) / 2)), side, dash=dash),
        ]
    traces += [
        marks(name, at[:1], at[1:], colour=colour, symbol=symbol, size=13 if symbol == "star" else 11)
        for at, (name, colour, symbol) in zip(moved, CORNERS, strict=True)
    ]
    pairs = zip("★●✖", CORNERS, strict=True)
    signs = " ".join(f'<span style="color:{colour}">{sign}</span> {name}' for sign, (name, colour, _) in pairs)
    angle = angle_words(float(model.angle_and_violations_by_scale[1, -1]))
    before = with_minus_signs(f"before; solid: {scale:g} times as large, turned by {turn:g}°")
    words = key(("∢", ink, f"<b>{angle}</b>, before and after"), (SAMPLE["thin dot"], EXACT, before), ("", ink, signs))
    half = 1.12 * max(float(np.abs((corners, moved)).max()), 1e-3)
    layout = View(np.zeros(2), half).layout(SCALE_HIGH, 3) | {"annotations": [words]}
    alt = f"The triangle and its copy, {scale:g} times as large and turned by {turn:g}°: in both {angle}."
    return canvas(traces, layout, theme=display.theme, alt=alt)


def against_scale(model: Model, display: Display) -> go.Figure:
    """The angle n' in degrees and both violations against the scale, with marks for the triangle's copy."""
    alpha = model.settings.angular.alpha
    scales, angles, violations, slacks = model.angle_and_violations_by_scale[:, :-1]
    scale, angle, violation, slack = model.angle_and_violations_by_scale[:, -1].tolist()

    def curve(name: str, y: np.ndarray, now: float, colour: str, dash: str = "solid") -> list[Trace]:
        hover = f"{name}: %{{y:.3f}}<extra></extra>"
        mark = marks(f"{name} now", np.array([scale]), np.array([now]), colour=QUERY, symbol="diamond", size=11)
        return [line(name, scales, y, colour=colour, width=2.5, dash=dash, hover=hover), mark]

    both = np.append(violations, slacks)
    reach = 1.05 * max(abs(violation), abs(slack), 0.5, float(np.percentile(np.abs(both), 75)))
    # Below 0 there is room only if a curve goes there.
    low = -reach if float(both.min()) < 0 else -0.12 * reach
    first, last = float(np.log10(scales[0])), float(np.log10(scales[-1]))
    degrees = {"range": [0, 95], "tickvals": [0, 30, 60, 90], "ticksuffix": "°"}
    both_curves = [*curve("angular", violations, violation, ANGULAR), *curve("triplet", slacks, slack, TRIPLET, "dash")]
    active = f"<b>Active > 0</b>: angular {SAMPLE['solid']} {violation:.2f}, triplet {SAMPLE['dash']} {slack:.2f}"
    every_scale = f"<b>{angle_words(angle)}</b> at every scale; dotted: α = {alpha:g}°"
    rows = (
        Row(every_scale, curve("n′", angles, angle, ANGULAR), 92, degrees),
        Row(active, both_curves, SCALE_HIGH - 92 - 30 - 62 - 30, {"range": [low, reach]}),
    )
    x = axis("scale", first - ASIDE, last + ASIDE, type="log", tickvals=[0.25, 0.5, 1, 2, 4])
    traces, layout = stacked(rows, x)
    levels = ((alpha, "y", 1.5), (0, "y2", 1))
    layout["shapes"] += [horizontal_line_shape(y, NEGATIVE, width, yref=panel, layer="below") for y, panel, width in levels]
    alt = (
        f"Against the scale from {scales[0]:g} to {scales[-1]:g}: {angle_words(angle)} throughout, with the bound at "
        f"{alpha:g}°. The angular violation goes from {violations[0]:.3g} to {violations[-1]:.3g}, the triplet's from "
        f"{slacks[0]:.3g} to {slacks[-1]:.3g}."
    )
    return canvas(traces, layout, theme=display.theme, alt=alt)
