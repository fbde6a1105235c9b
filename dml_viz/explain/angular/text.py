"""The sentences of the Angular page that depend on its settings and its triangle."""

from __future__ import annotations

import numpy as np

from dml_viz.app.room import Preset
from dml_viz.explain.angular.controls import KEY, ROLES
from dml_viz.explain.angular.model import Model, worst
from dml_viz.explain.angular.model_triangle import Source
from dml_viz.plot.display import Display

NOTHING = 1e-12  # a push up to this is none but for rounding
RIGHT_BETWEEN = 45.0  # degrees of alpha, where the bound's circle is the one on x_a x_p
ONE_ORDER = "The angular loss pushes the negative from the pair's middle, the triplet loss from the anchor"
BOTH_ORDERS: dict[Source | None, str] = {
    "middle": "In both orders the triplet loss, like the angular loss, pushes the negative from the pair's middle",
    "bisector": "The angular loss pushes the negative from the pair's middle, the triplet loss along the bisector",
    "anchor": "The angular loss pushes the negative from the pair's middle, the triplet loss only from the anchor",
    "positive": "The angular loss pushes the negative from the pair's middle, the triplet loss only from the positive",
    None: "The angular loss pushes the negative from the pair's middle, the triplet loss in neither order",
}
FROM: dict[Source, str] = {
    "middle": "from $x_c$", "anchor": "from $x_a$", "positive": "from $x_p$",
    "bisector": "along the bisector of the angle at $x_n$",
}  # fmt: skip


MISLEADS = {
    2: "on the circle a point can only go one way or the other, so two pushes that part by a right angle look alike or opposite.",
    3: "lengths are as seen from one side, and a triangle that leans away looks flat; the drawing beside is to scale.",
}
FLATTENED = (
    "it is one plane of many dimensions, so neither lengths nor angles are true; the drawing beside is to scale."
)
EXACT = " Its plane is that of the three points themselves: angles and lengths are exact, however many dimensions there are."


def roles(model: Model, display: Display) -> str:
    """Who plays which role."""
    anchor, positive, negative = (display.who[k] for k in model.settings.roles)
    return f"anchor {anchor}, positive {positive}, negative {negative}."


def worst_triangle(model: Model) -> tuple[Preset, str]:
    """The button that chooses the anchor's worst triangle, and its icon."""
    found = worst(model.embeddings, model.settings.roles[0], model.settings.angular.alpha)
    settings = {f"{KEY}.{role}": point for role, point in zip(ROLES, found, strict=True)}
    return Preset("The anchor's worst triangle", settings), ":material/target:"


def points_mislead(model: Model) -> str:
    """How the picture of all points misleads."""
    return MISLEADS.get(model.dim, FLATTENED)


def triangle_misleads(model: Model) -> str:
    """How the drawing of the triangle misleads."""
    return (
        "it is turned so that $x_n$ is above, and every triangle fills the drawing, so the sizes of two do "
        "not compare; the longer arrow always has the same length." + (EXACT if model.dim > 3 else "")
    )


def single_triangle(model: Model) -> str:
    """What the numbers of one triangle leave out of the N-pair form."""
    whole = "A single triangle has one negative, for which the N-pair form is the logistic one."
    return whole if model.settings.angular.form == "N-pair" else ""


def pushes_mislead(model: Model) -> str:
    """How the two losses side by side mislead."""
    return (
        "most of the plane is off the sphere, where $x_n$ cannot go, and the shading says nothing of $x_a$ "
        "and $x_p$. One factor scales the arrows of both losses."
        + (
            ""
            if model.for_one.form == "hinge"
            else " Off the sphere the logistic form is taken as written in distances."
        )
        + (" Switch the arrows to what is left of them along the sphere." if model.settings.arrows == "chords" else "")
    )


def circle_misleads(model: Model) -> str:
    """How the curves around the sphere mislead."""
    where = "on it are all places there are." if model.dim == 2 else f"$x_n$ has {model.dim - 1} dimensions to move in."
    return f"it is one circle, that through the three points: {where}"


def bends(model: Model) -> str:
    """What to look for in the three forms of the loss."""
    moved = f"{2 - 6 * model.t:.2f}".replace("-", "−")
    return (
        f"where the triangles are, in row 3, and what slope each form has there, in row 2. Dropping 2 − 6 tan²α = {moved} "
        "moves the bend of the curve by as much."
    )


def heading(model: Model) -> str:
    """The claim about where the two pushes come from."""
    return BOTH_ORDERS[model.triplet_from] if model.settings.both else ONE_ORDER


def at_the_negative(model: Model) -> str:
    """What to look for in the arrows of both losses at the negative, among all points."""
    if not any(np.linalg.norm(push.tangent[2]) > NOTHING for push in (model.of_angular, model.of_triplet)):
        return "arrows: at $x_n$ there is none, as neither loss pushes it along the sphere."
    if model.settings.both and model.triplet_from == "middle":
        parted = "arrows at $x_n$ that go one way, wide of the angular loss, narrow of the triplet loss in both orders"
    else:
        parted = "arrows that part at $x_n$, wide of the angular loss, narrow of the triplet loss"
    return f"{parted}; both are drawn along the sphere, where points can go."


def angle_and_bound(model: Model) -> str:
    """What to look for in the drawing of the angle, its bound and the two pushes on the negative."""
    if model.triangle.point:
        return (
            "one mark under all names. Where nothing has a length, no angle n′ can be measured: 0/0 is undefined. Nothing "
            "breaks the bound, and neither loss has an arrow."
        )
    circle = (
        "the dotted circle, which at α = 45° is one with the solid circle, that on the diameter $x_a x_p$"
        if model.settings.angular.alpha == RIGHT_BETWEEN
        else "the dotted circle; the solid one has the diameter $x_a x_p$"
    )
    return (
        "the angle n′ at $x_n$, between the line to $x_c$ and the line to $x_m$. The dotted ray shows how wide it may be: "
        f"α. The bound holds as soon as $x_n$ is outside {circle}. {_pushes(model)}"
    )


def lines(model: Model) -> str:
    """What to look for in the two losses side by side."""
    if model.triangle.point:
        return (
            "what the loss would be with $x_n$ elsewhere, which is shaded, up to the dotted circle where it ends. A single "
            "point has no line to be pushed along."
        )
    source = model.triplet_from
    if source == "middle":
        come_from = "it comes from $x_c$ for both losses"
    elif source is None and model.settings.both:
        come_from = "it comes from $x_c$ for the angular loss; the triplet loss, beside it, has no arrow"
    else:
        come_from = f"it comes from $x_c$ for the angular loss and {_along(source or 'anchor')} for the triplet loss"
    ends = "the dotted circles are" if model.settings.both else "the dotted circle is"
    return f"the thin line through $x_n$: {come_from}. Shaded is what the loss would be with $x_n$ there; {ends} where it ends."


def _along(source: Source) -> str:
    return "halves the angle there" if source == "bisector" else FROM[source]


def _pushes(model: Model) -> str:
    angular, triplet = (
        bool(np.linalg.norm(one.of(model.settings.arrows)[2]) > NOTHING) for one in (model.of_angular, model.of_triplet)
    )
    if not (angular or triplet):
        return "There is no arrow at $x_n$: neither loss pushes it."
    if model.settings.arrows == "tangent":
        return "The arrows at $x_n$ are what is left of both pushes along the sphere."
    source = model.triplet_from
    if source is None or not triplet:
        return "The arrow at $x_n$ is the angular loss's push, from $x_c$; the triplet loss has none."
    if not angular:
        return f"The arrow at $x_n$ is the triplet loss's push, {FROM[source]}; the angular loss has none."
    if source == "middle":
        return "The arrows at $x_n$ both come from $x_c$, that of the triplet loss as the mean of its two orders."
    return f"The arrows at $x_n$: that of the angular loss comes from $x_c$, that of the triplet loss {_going(source)}."


def _going(source: Source) -> str:
    return f"goes {FROM[source]}" if source == "bisector" else f"comes {FROM[source]}"
