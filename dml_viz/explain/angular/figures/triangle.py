"""One triangle in its own plane, to scale: the construction of the angle n', and the pushes of each loss."""

import math

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures import _plane as plane
from dml_viz.explain.angular.figures._labels import labels
from dml_viz.explain.angular.model import Model
from dml_viz.plot.canvas import Display, canvas, key, tint
from dml_viz.plot.disc import WHOLE
from dml_viz.plot.style import EXACT, INK, NEGATIVE
from dml_viz.plot.traces import contour, marks

TRIANGLE_HIGH = 460
ROWS = 4  # in the legend
SMALLEST = 1e-9  # a distance below this has no direction, an angle below it is rounding
ARC = 0.16  # radius of the angle's arc over the half side of the square
SMALL_SQUARE = 0.045
DOTS = 3.5  # pixels, the width of a dotted line
WIDE, NARROW = 5.0, 2.5  # pixels, of the first and of the second loss's arrow
PUSH_HIGH, ELSEWHERE = 430, "with x<sub>n</sub> here: %{z:.3f}<extra></extra>"
GRID = 61  # places of the negative along each side of the plane that is shown


def triangle(model: Model, display: Display) -> go.Figure:
    """The triangle, the circle around x_c, x_m, the angle n' at x_n beside the bound alpha, both in degrees.

    From x_n a dotted ray leaves the line to x_c at alpha; the bound holds where x_n is outside the dotted circle, which at 45
    degrees is that around x_c. Arrows at x_n are the losses' own, on one scale. The
    triangle is drawn with x_n above x_a x_p, each unit as long in every direction.
    """
    theme, shape, alpha = display.theme, model.triangle, model.settings.angular.alpha
    pushes, angle, radius, bound, touch = plane.drawn_pushes(model), shape.angle, shape.radius, model.bound_radius, shape.x_m
    ink, tangent = INK[theme], model.settings.arrows == "tangent"
    a, p, n = shape.corners
    factor = plane.factor_for(model, np.stack([push.arrows[2] for push in pushes]))
    tips = [n + factor * push.arrows[2] for push in pushes if factor]
    view = plane.view_of(model, [np.array(tips)] if tips else [])
    reach, c = float(np.linalg.norm(n)), np.zeros(2)
    holds, one_circle = shape.is_within_bound(alpha), abs(bound - radius) < SMALLEST
    angle_colour = ink if holds else NEGATIVE
    construction = np.array((n, c, touch, n))
    traces = [
        plane.path("circle", plane.ring_points(c, radius), ink, 1.2),
        # The dots are wider than the line below them, so that both are visible when the two circles coincide.
        plane.path(
            "n′ above α", plane.ring_points(c, bound), NEGATIVE, DOTS, dash="dot", fill="toself", fillcolor=tint(NEGATIVE, 0.1)
        ),
        *plane.triangle_and_sphere_traces(model, theme),
        plane.path("to x_c and x_m", construction, ink, 2),
    ]
    if reach > SMALLEST and radius > SMALLEST:
        across = touch / radius
        ray = np.array((n, reach * math.tan(math.radians(alpha)) * across))
        square = min(SMALL_SQUARE * view.half, reach / 3) * np.array((n / reach, n / reach + across, across))
        traces += [
            plane.path("ray at α", ray, NEGATIVE, 2, dash="dot"),
            plane.path("n′", _arc(n, touch, ARC * view.half), angle_colour, 3),
            plane.path("right angle", square, ink, 1),
        ]
    traces += [
        marks(name, at[:1], at[1:], colour=ink, symbol=symbol, hover=f"{name}<extra></extra>")
        for name, at, symbol in (("x<sub>c</sub>", c, "circle"), ("x<sub>m</sub>", touch, "diamond"))
    ]
    for push, width in zip(pushes, (WIDE, NARROW), strict=True) if factor else ():
        if not tangent and np.linalg.norm(push.arrows[2]) > plane.ROUNDING:
            traces.append(plane.path(f"{push.name} comes from", np.array((push.along, n)), push.colour, dash="dot"))
        traces.append(plane.arrows(push.name, n[None], factor * push.arrows[2:], push.colour, width=width))
    traces += plane.corner_marks(shape.corners, model, display)
    own_circle = (plane.SAMPLE["solid"], ink, "circle on x<sub>a</sub>x<sub>p</sub>")
    sphere = (plane.SAMPLE["thin dash"], EXACT, "the sphere")
    if shape.is_one_point:
        text, legend = f"{plane.angle_words(angle)}: the three are one point", [sphere]
    else:
        text = f"{plane.angle_words(angle)} {'≤' if holds else '>'} α = {alpha:g}°: the bound {'holds' if holds else 'is broken'}"
        outside = (plane.SAMPLE["dot"], NEGATIVE, f"n′ = α, here also the {own_circle[2]}" if one_circle else "n′ = α")
        legend = [outside, *([] if one_circle else [own_circle]), sphere]
    words = (
        ("∢", angle_colour, f"<b>{text}</b>"),
        ("", ink, key(*legend, apart="   ")["text"]),
        *(("➤", push.colour, f"{push.name} on x<sub>n</sub>: {_way(push, tangent)}") for push in pushes),
    )
    layout = view.layout(TRIANGLE_HIGH, ROWS)
    named = [*plane.named_corners(shape.corners), ("x<sub>c</sub>", c, ink), ("x<sub>m</sub>", touch, ink)]
    lines = [np.array((a, n, p, a)), construction, *(np.array((n, tip)) for tip in tips)]
    rings = [plane.ring_points(c, radius), plane.ring_points(c, bound), plane.ring_points(*shape.sphere_section_circle)]
    layout["annotations"] = [*labels(named, lines, view, layout, rings, theme=theme), key(*words)]
    who = [display.who[point] for point in model.settings.roles]
    alt = (
        f"The triangle of anchor {who[0]}, positive {who[1]} and negative {who[2]} in its own plane. {text}. Half of the pair is "
        f"{radius:.3f}; the negative is {reach:.3f} from the pair's middle. Gradients at the negative: "
        + ", ".join(f"{push.lengths[2]:.3g} ({push.name.lower()})" for push in pushes)
        + "."
    )
    return canvas(traces, layout | {"meta": {"scale": factor}}, theme=theme, alt=alt)


def _way(push: plane.DrawnPush, tangent: bool) -> str:
    if not push.lengths[2]:
        return "no push"
    return "along the sphere" if tangent else push.way


def _arc(at: np.ndarray, touch: np.ndarray, radius: float) -> np.ndarray:
    """An arc around ``at`` (2,) from the direction of the origin to that of ``touch`` (2,)."""
    start, end = (math.atan2(*(to - at)[::-1]) for to in (np.zeros(2), touch))
    turned = start + math.remainder(end - start, 2 * math.pi) * np.linspace(0, 1, 24)
    return np.asarray(at + min(radius, 0.6 * float(np.linalg.norm(at))) * np.stack((np.cos(turned), np.sin(turned)), 1))


def angular(model: Model, display: Display) -> go.Figure:
    """The triangle with the angular loss's arrows, over the loss with x_n elsewhere and a line where the loss ends."""
    return _pushes(model, display, 0)


def triplet(model: Model, display: Display) -> go.Figure:
    """The triangle with the triplet loss's arrows, over that loss with x_n elsewhere, to the scale of the figure `angular`."""
    return _pushes(model, display, 1)


def _pushes(model: Model, display: Display, k: int) -> go.Figure:
    theme, triangle, pushes = display.theme, model.triangle, plane.drawn_pushes(model)
    factor = plane.factor_for(model, np.stack([loss_push.arrows for loss_push in pushes]))
    view = plane.view_of(model, [triangle.corners + factor * loss_push.arrows for loss_push in pushes])
    pushed, (x, y), half = pushes[k], *view
    # A little beyond the square, as the drawing is wider than high.
    across, up = np.linspace(x - 1.8 * half, x + 1.8 * half, int(1.8 * GRID)), np.linspace(y - half, y + half, GRID)
    values = model.loss_at(("angular", "triplet")[k], np.stack(np.meshgrid(across, up), -1))
    # A hinge is 0 farther than ``reach`` from all of ``around``; the logistic form is only small there.
    around, reach, hinge = np.zeros((1, 2)), model.bound_radius, model.single_triplet_form.form == "hinge"
    if k:
        around, reach, hinge = triangle.corners[: 2 if model.settings.both else 1], model.triplet_zero_distance, True
    a, p, n = triangle.corners
    largest, middle = float(values.max()), np.zeros(1)
    push = np.array((pushed.along, n, n + (n - pushed.along)))
    bounds = [plane.ring_points(centre, reach) for centre in around]
    of_code = [] if k else [plane.ring_points(np.zeros(2), model.unsquared_bound_radius)]
    shades, levels = (tint(NEGATIVE, 0.0), tint(NEGATIVE, 0.24)), {"ncontours": 9, "zmin": 0, "zmax": largest or 1.0}
    traces = [
        contour("loss", across, up, values.astype(np.float32), shades, (0.6, tint(NEGATIVE, 0.4)), hover=ELSEWHERE, **levels),
        *(plane.path("bound", bound, NEGATIVE, 2, dash="dot") for bound in bounds),
        *(plane.path("the code's bound", bound, EXACT, 2, dash="dash") for bound in of_code),
        *plane.triangle_and_sphere_traces(model, theme),
        plane.path("line of the push", push, INK[theme], 1, dash="dot"),
        plane.arrows("arrows", triangle.corners, factor * pushed.arrows, pushed.colour, width=4),
        *plane.corner_marks(triangle.corners, model, display),
        marks("x<sub>c</sub>", middle, middle, colour=INK[theme], size=8, hover="x<sub>c</sub><extra></extra>"),
    ]
    still, whole = not pushed.lengths.any(), float((pushed.lengths**2).sum())
    length = "every gradient is 0" if still else f"|∇| at x<sub>n</sub> = {pushed.lengths[2]:.3g}"
    sphere = f"<span style='color:{EXACT}'>{plane.SAMPLE['thin dash']}</span> the sphere"
    words = [
        ("➤", pushed.colour, f"<b>{pushed.name} = {pushed.value:.3f}</b>, {length}"),
        (plane.SAMPLE["thin dot"], INK[theme], f"{pushed.along_name}   {sphere}"),
        (plane.SAMPLE["dot"], NEGATIVE, "beyond it the loss is 0" if hinge else "where the hinge would end"),
    ]
    if of_code:
        acts = math.degrees(math.atan(2 * model.t))
        words.append((plane.SAMPLE["dash"], EXACT, f"where code of unsquared distances ends: n′ = {acts:.1f}°"))
    if model.settings.arrows == "tangent" and not still:
        share = float((pushed.arrows**2).sum()) / whole
        part = f"; the plane shows {share:.0%}" if share < WHOLE else ""
        words.insert(1, ("", INK[theme], f"arrows: tangent to the sphere{part}"))
    layout = view.layout(PUSH_HIGH, len(words) + k)  # both drawings are equally high
    named = [*plane.named_corners(triangle.corners), ("x<sub>c</sub>", np.zeros(2), INK[theme])]
    tips = [np.array((at, at + factor * arrow)) for at, arrow in zip(triangle.corners, pushed.arrows, strict=True)]
    lines, rings = [np.array((a, n, p, a)), push, *tips], [*bounds, *of_code, plane.ring_points(*triangle.sphere_section_circle)]
    layout["annotations"] = [*labels(named, lines, view, layout, rings, theme=theme, backed=True), key(*words)]
    alt = (
        f"{pushed.name}, {pushed.value:.3f} on this triangle. Gradients at anchor, positive and negative: "
        f"{', '.join(f'{length:.3g}' for length in pushed.lengths)}. With the negative elsewhere in the plane, "
        f"the loss is at most {largest:.3g}{f', and 0 beyond {reach:.3g}' if hinge else ''}."
    )
    return canvas(traces, layout | {"meta": {"scale": factor}}, theme=theme, alt=alt)
