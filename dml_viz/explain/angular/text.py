"""The sentences and formulas of the Angular page that depend on its settings and its triangle."""

import math

import numpy as np

from dml_viz.explain.angular.controls import KEY, ROLES
from dml_viz.explain.angular.figures._plane import angle_words
from dml_viz.explain.angular.model import Model, worst_triangle_of_anchor
from dml_viz.explain.angular.model_triangle import TIE
from dml_viz.plot.canvas import Display
from dml_viz.room.room import Preset
from dml_viz.room.words import FirstFigure, Formulas

NO_PUSH = 1e-12  # length of a gradient that is 0 but for rounding
SAME = 1e-9  # a smaller difference of the pair's half length from 1, that of opposite points, is a rounding error
LONGER = 2.0  # the factor in the comparison of scales
TRIPLET_PUSHES = {
    "middle": "from the middle too, as the mean of its two orders",
    "bisector": "along the bisector",
    "anchor": "from the anchor",
    "positive": "from the positive",
    None: "not at all",
}


def roles_in_words(model: Model, display: Display) -> str:
    """The names of the anchor, the positive and the negative, in a sentence."""
    anchor, positive, negative = (display.who[k] for k in model.settings.roles)
    return f"anchor {anchor}, positive {positive}, negative {negative}."


def worst_triangle_preset(model: Model) -> tuple[Preset, str]:
    """The preset, a button, that chooses the anchor's worst triangle, and the icon of the button."""
    settings = {f"{KEY}.{role}": point for role, point in zip(ROLES, worst_triangle_of_anchor(model), strict=True)}
    return Preset("The anchor's worst triangle", settings), ":material/target:"


def claim_on_directions(model: Model) -> str:
    """The claim on the points away from which the two losses push."""
    way, pushes = model.triplet_pushes_from, float(np.linalg.norm(model.of_angular.chords[2])) > NO_PUSH
    if not pushes:
        return (
            "Neither loss pushes the negative"
            if way is None
            else f"Only the triplet loss pushes the negative, {TRIPLET_PUSHES[way]}"
        )
    return f"The angular loss pushes the negative from the pair's middle, the triplet loss {TRIPLET_PUSHES[way]}"


def largest_round_the_sphere(model: Model) -> str:
    """The claim on where on the circle through the three points each loss is largest."""
    both, squared, opposite = model.settings.both, model.settings.triplet.squared, model.triangle.radius > 1 - SAME
    angular = "the same everywhere" if opposite else "largest at the pair's middle"
    if both and squared:
        triplet = "too" if opposite else "there too"
    else:
        triplet = f"{'largest ' if opposite else ''}at the anchor{' and at the positive' if both else ''}"
    return f"Round the sphere, the angular loss is {angular}, the triplet loss {triplet}"


def look_for_arrows_at_negative(model: Model) -> str:
    """What to look for in the arrows of both losses at the negative, among all points."""
    wide, narrow = (float(np.linalg.norm(push.tangent[2])) for push in (model.of_angular, model.of_triplet))
    return (
        f"the two arrows at $x_n$: wide for the angular loss ({wide:.2f}), narrow for the triplet loss ({narrow:.2f}). Both are "
        f"drawn along the sphere, where points can go: {_ways_of_arrows(model, wide, narrow)}."
    )


def _ways_of_arrows(model: Model, wide: float, narrow: float) -> str:
    """The directions of the arrows at the negative, whose lengths are ``wide`` and ``narrow``, in words."""
    if min(wide, narrow) < NO_PUSH:
        return "there neither loss pushes $x_n$" if max(wide, narrow) < NO_PUSH else "there only one loss pushes $x_n$"
    cosine = float(model.of_angular.tangent[2] @ model.of_triplet.tangent[2]) / (wide * narrow)
    if model.dim == 2:
        return f"round a circle, here {'the same way' if cosine > 0 else 'opposite ways'}"
    return f"here {math.degrees(math.acos(min(max(cosine, -1.0), 1.0))):.0f}° apart"


def look_for_angle_and_bound(model: Model) -> str:
    """What to look for in the drawing of the angle and its bound."""
    return (
        "the angle n′ at $x_n$, between the lines to the pair's middle $x_c$ and to $x_m$ on the circle around it. "
        f"Here {angle_words(model.triangle.angle)}, and the dotted ray shows α = {model.settings.angular.alpha:g}°. "
        "The bound holds where $x_n$ is outside the dotted circle. The solid circle has the diameter $x_a x_p$."
    )


def look_for_bends(model: Model) -> str:
    """What to look for in the three forms of the loss."""
    moved = f"{2 - 6 * model.t:.2f}".replace("-", "−")
    return (
        "where the triangles are, in row 3, and what slope each form has there, in row 2. Dropping the constant "
        f"2 − 6 tan²α = {moved} moves the bend of the curve by as much."
    )


def latex_block(*lines: str) -> str:
    """The lines as one aligned block of LaTeX."""
    return r"\begin{gathered}" + r" \\[4pt] ".join(lines) + r"\end{gathered}"


def formulas_in_numbers(model: Model) -> str:
    """The formulas of tan n', tan alpha and the triangle's loss, with their numbers."""
    triangle, t, alpha = model.triangle, model.t, model.settings.angular.alpha
    radius, distance = triangle.radius, triangle.distance_to_negative
    bound = rf"\tan n'=\frac{{\|x_a-x_p\|}}{{2\|x_n-x_c\|}}=\frac{{{2 * radius:.3f}}}{{2\cdot{distance:.3f}}}"
    if triangle.is_one_point:
        compared = (
            r"\;\text{is undefined;} \\[4pt] \|x_a-x_p\|\le2\tan\alpha\,\|x_n-x_c\|\text{ holds as }0\le0"
            r"\text{, and no gradient is left}"
        )
    else:
        tangent = f"{radius / distance:.3f}" if distance else r"\infty"
        relation = r"\le" if triangle.is_within_bound(alpha) else ">"
        compared = rf"={tangent}\;{relation}\;\tan\alpha={math.tan(math.radians(alpha)):.3f}"
    violated = round(model.violation, 3) + 0.0  # which is never minus 0
    violation = (
        rf"\|x_a-x_p\|^2-4\tan^2\!\alpha\,\|x_n-x_c\|^2={4 * radius**2:.3f}-4\cdot{t:.3f}\cdot{distance**2:.3f}"
        rf"={violated:.3f}"
    )
    value = f"{abs(model.of_angular.value):.3f}"
    if model.single_triplet_form.form == "hinge":
        return latex_block(bound + compared, rf"{violation},\qquad L_{{\text{{hinge}}}}=\big[{violated:.3f}\big]_+={value}")
    a, p, n = triangle.rows
    f = 4 * t * float((a + p) @ n) - 2 * (1 + t) * float(a @ p)
    constant = rf"+({2 - 6 * t:.3f})" if model.settings.angular.constant_kept else ""
    logistic = (
        rf"f_{{apn}}=4\cdot{t:.3f}\cdot({float((a + p) @ n):.3f})-2\cdot{1 + t:.3f}\cdot({float(a @ p):.3f})={f:.3f},\qquad "
        rf"L=\log\big(1+e^{{{f:.3f}{constant}}}\big)={value}"
    )
    return latex_block(bound + compared, violation, logistic)


def pitfall_sentences(model: Model) -> dict[str, str]:
    """Sentences on the page's triangle, by the names of the pitfalls."""
    triangle, t, alpha = model.triangle, model.t, model.settings.angular.alpha
    angle = "undefined" if triangle.is_one_point else f"{triangle.angle:.1f}°"
    code = 2 * triangle.radius - 4 * t * triangle.distance_to_negative
    formula_acts, code_acts = ("active" if violation > TIE else "satisfied" for violation in (model.violation, code))
    hinge, whole, dropped = model.push_share_by_form
    negative, chords = triangle.corners[2], model.of_angular.chords
    (before, after), (small, large) = (
        [float(at(negative, scale=k)) for k in (1.0, LONGER)] for at in (model.slack_at, model.violation_at)
    )
    return {
        "angular.constant": f"the constant is {2 - 6 * t:.2f} at {alpha:g}°; the share of the full push is {whole:.1%} with it, "
        f"{dropped:.1%} without, and {hinge:.1%} for the hinge",
        "angular.unsquared": f"α = {alpha:g}° would act at {math.degrees(math.atan(2 * t)):.1f}°; n′ is {angle}, the formula "
        f"{formula_acts}, the code {code_acts}",
        "angular.printed_gradients": f"the chords add up to {np.abs(chords.sum(0)).max():.1g} and the longest is "
        f"{np.linalg.norm(chords, axis=1).max():.3g}",
        "angular.rotation_and_scale": f"at {LONGER:g} times the size n′ stays {angle}; the triplet's violation goes from "
        f"{before:.3f} to {after:.3f}, the angular one from {small:.3f} to {large:.3f}, {LONGER**2:g} times as much",
    }


FIRST = FirstFigure(
    "How two losses push the same negative",
    look_for_arrows_at_negative,
    "on a circle a point can only go one way or the other; on a sphere lengths are seen from one side. The drawing beside is to "
    "scale.",
    (
        Formulas(
            lambda model, _: [model.settings.angular.variant_formula, formulas_in_numbers(model)],
            lambda model: (
                "A single triangle has one negative, so the N-pair form is the logistic one here. "
                + model.settings.angular.variant_text
            ),
        ),
    ),
    roles_in_words,
)
