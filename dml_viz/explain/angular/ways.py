"""What the Angular page says of the ways in which two losses push a negative, after the settings and the triangle."""

from __future__ import annotations

import numpy as np

from dml_viz.explain.angular.model import Model
from dml_viz.explain.angular.model_triangle import Source

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


def angle_and_bound(model: Model, arrows: str) -> str:
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
        f"α. The bound holds as soon as $x_n$ is outside {circle}. {_pushes(model, arrows)}"
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
        told = "it comes from $x_c$ for both losses"
    elif source is None and model.settings.both:
        told = "it comes from $x_c$ for the angular loss; the triplet loss, beside it, has no arrow"
    else:
        told = f"it comes from $x_c$ for the angular loss and {_along(source or 'anchor')} for the triplet loss"
    ends = "the dotted circles are" if model.settings.both else "the dotted circle is"
    return (
        f"the thin line through $x_n$: {told}. Shaded is what the loss would be with $x_n$ there; {ends} where it ends."
    )


def _along(source: Source) -> str:
    return "halves the angle there" if source == "bisector" else FROM[source]


def _pushes(model: Model, arrows: str) -> str:
    angular, triplet = (
        bool(np.linalg.norm(one.of(arrows)[2]) > NOTHING) for one in (model.of_angular, model.of_triplet)
    )
    if not (angular or triplet):
        return "There is no arrow at $x_n$: neither loss pushes it."
    if arrows == "tangent":
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
