"""Presets that show the angular loss at its clearest or break it, each with the sentence that says what happened."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dml_viz.app.room import Preset
from dml_viz.explain.angular.controls import KEY, ROLES
from dml_viz.explain.angular.model import FIRST, Model, Roles
from dml_viz.losses.angular import Angular
from dml_viz.params import params

SCENE = "overlapping"
ROUNDING = 1e-12


def _preset(
    label: str, says: Callable[[Model], str] | None, scene: str, roles: Roles, at: str = "", **chosen: Any
) -> Preset:
    plain = {knob.name: knob.default for knob in params(Angular)} | {"margin": 0.2, "squared": True, "orders": "one"}
    picked = dict(zip(ROLES, roles, strict=True))
    settings = {"scene": scene, "at": at, "dim": 2, **picked, **plain, "form": "hinge", **chosen}
    found = {f"{KEY}.{name}": value for name, value in settings.items()}
    return Preset(label, {"subject": "scene", **found}, says)


def _apart(model: Model) -> str:
    triangle, (angular, triplet) = model.triangle, (-model.of_angular.chords[2], -model.of_triplet.chords[2])
    a, p, n = triangle.rows
    step = 0.05
    nearer = float(np.linalg.norm(n - p) - np.linalg.norm(n + step * triplet / np.linalg.norm(triplet) - p))
    return (
        f"The angular loss pushes $x_n$ along $x_c x_n$ (cosine {_cosine(angular, n - triangle.centre):.3f}), out of the "
        f"pair from its middle. The triplet loss pushes it along $x_a x_n$ (cosine {_cosine(triplet, n - a):.3f}), "
        f"{_between(angular, triplet):.0f}° aside: it does not see $x_p$, and a step of {step:g} brings $x_n$ "
        f"{nearer:.3f} nearer to it. Switch “Triplets” to both orders: while (a, p, n) and (p, a, n) are both active, "
        "their mean goes along $x_c x_n$ too."
    )


def _straight_above(model: Model) -> str:
    chord, along = (float(np.linalg.norm(g[2])) for g in (model.of_angular.chords, model.of_angular.tangent))
    return (
        f"$x_n$ stands exactly over $x_c$, where n′ = {model.triangle.angle:.1f}° is worst. Its chord gradient is "
        f"{chord:.2f}, but it points straight out of the sphere: along the sphere it is {_length(along):.2g}, and $x_n$ "
        f"stays. Only $x_a$ and $x_p$ move, by {np.linalg.norm(model.of_angular.tangent[0]):.2f} each. Move $x_n$ by a "
        "degree and it leaves."
    )


def _opposite(model: Model) -> str:
    return (
        "$x_a$ and $x_p$ are opposite, so $x_c$ is the centre of the sphere, and every negative on the sphere is 1 from "
        f"it: n′ = {model.triangle.angle:.1f}° wherever $x_n$ is. It breaks α = {model.settings.angular.alpha:g}°, the loss is "
        f"{model.of_angular.value:.3f}, and the gradient at $x_n$ along the sphere is "
        f"{_length(float(np.linalg.norm(model.of_angular.tangent[2]))):.2g}. At α = 45° the hinge is at its edge."
    )


def _hinge_off(model: Model) -> str:
    hinge, _, logistic = model.pushed
    return (
        f"{model.batch.active} of {model.batch.triangles} triangles have n′ above α = {model.settings.angular.alpha:g}°: the "
        f"hinge is {abs(float(model.settings.angular.value(model.embeddings.z, model.embeddings.y))):.0f} with a gradient of "
        f"exactly 0, a share of {abs(hinge):.0%} of the full push. The logistic form still has {logistic:.1%} of it. In many "
        "dimensions nearly every batch looks like this one."
    )


def _collapse(model: Model) -> str:
    triplet = model.of_triplet.value
    return (
        f"All {len(model.y)} points are one point: $\\tan n'$ would be 0/0, so n′ is undefined. The loss multiplies out "
        f"and asks that 0 be at most 0: the angular hinge is {abs(model.of_angular.value):.0f}, as good as it gets. The "
        f"triplet loss still costs its margin, {triplet:.3g}. The logistic form would cost "
        f"$\\log(1+e^{{{6 * model.t - 2:.2g}}})$ = {math.log1p(math.exp(6 * model.t - 2)):.2f} on one triplet. All gradients "
        "are 0: points at one place have no direction to part in."
    )


def _constant(model: Model) -> str:
    _, with_constant, dropped = model.pushed
    return (
        f"The constant 2 − 6 tan²α = {2 - 6 * model.t:.2g} is kept: the logistic form now gives {with_constant:.0%} of its full "
        f"push over the batch, {dropped:.0%} without it. It stands inside the logarithm, so it is no factor: it moves "
        f"the bend of the curve from a violation of {2 - 6 * model.t:.2g} to 0."
    )


def _triplet_done(model: Model) -> str:
    a, p, n = model.triangle.rows
    return (
        f"The triplet (a, p, n) costs {model.of_triplet.value:.3g}: $x_n$ is {np.linalg.norm(n - a):.3f} from $x_a$, far "
        f"enough. But it is {np.linalg.norm(n - p):.3f} from $x_p$, which this triplet does not ask; n′ = "
        f"{model.triangle.angle:.1f}° is above α = {model.settings.angular.alpha:g}°, and the angular loss, "
        f"{model.of_angular.value:.3f}, pushes $x_n$ on."
    )


def _strict_but_weak(model: Model) -> str:
    usual = 8 * math.tan(math.radians(45)) ** 2
    return (
        f"α = {model.settings.angular.alpha:g}° finds {model.batch.share:.0%} of the triangles active, but tan²α also multiplies "
        f"the push: $x_n$ is pushed with 8 tan²α = {8 * model.t:.2f} times $|x_n-x_c|$, where 45° has {usual:.0f}. A "
        "smaller α is a stricter bound and a weaker hand."
    )


LESSON = _preset(
    "Angular pushes $x_n$ along $x_c x_n$, the triplet does not", _apart, SCENE, (4, 0, 5), arrows="chords"
)
PRESETS = (
    LESSON,
    _preset("Straight above", _straight_above, SCENE, (0, 1, 2), at="a60_120b90"),
    _preset("Opposite pair", _opposite, "antipodal", (0, 1, 4), alpha=36.0),
    _preset("Hinge off", _hinge_off, "separated", (0, 3, 4)),
    _preset("Collapse", _collapse, "collapsed", (0, 1, 4)),
    _preset("Constant kept", _constant, SCENE, FIRST, form="logistic", constant_kept=True),
    _preset("Triplet done, angular not", _triplet_done, SCENE, (0, 4, 7), alpha=36.0),
    _preset("Strict but weak", _strict_but_weak, SCENE, FIRST, alpha=25.0),
    _preset("A class of one", None, "a class of one", (8, -1, 0)),
)


def _length(found: float) -> float:
    """A length, 0 where it is but rounding."""
    return found if found > ROUNDING else 0.0


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def _between(a: np.ndarray, b: np.ndarray) -> float:
    return math.degrees(math.acos(max(-1.0, min(1.0, _cosine(a, b)))))
