"""Presets that show the angular loss at its clearest or break it, each with a sentence on the outcome."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dml_viz.analysis import response_to
from dml_viz.embedding.scene import Scene
from dml_viz.explain.angular.controls import KEY, ROLES
from dml_viz.explain.angular.model import FIRST, Model, Roles
from dml_viz.losses.angular import Angular
from dml_viz.params import defaults
from dml_viz.room.room import Preset

SCENE = "overlapping"
ROUNDING = 1e-12
SCENES = {"unequal spreads": Scene.read("a80_86_92_98b150_190_230_270c300_310_320")}


def _preset(label: str, says: Callable[[Model], str] | None, scene: str, roles: Roles, at: str = "", **knobs: Any) -> Preset:
    plain = {**defaults(Angular), "margin": 0.2, "squared": True, "orders": "one", "form": "hinge"}
    settings = {**dict(zip(ROLES, roles, strict=True)), **plain, **knobs}
    return Preset.of_scene(KEY, label, says, scene, at=at, **settings)


def _apart(model: Model) -> str:
    a, p, n = model.triangle.rows
    angular, triplet = (-push.chords[2] / np.linalg.norm(push.chords[2]) for push in (model.of_angular, model.of_triplet))
    along, aside = ((n - start) / np.linalg.norm(n - start) for start in (model.triangle.centre, a))
    step = 0.05
    return (
        f"The angular loss pushes $x_n$ along $x_c x_n$ (cosine {angular @ along:.3f}), away from the middle of the pair. The "
        f"triplet loss pushes it along $x_a x_n$ (cosine {triplet @ aside:.3f}), "
        f"{math.degrees(math.acos(np.clip(angular @ triplet, -1, 1))):.0f}° aside. It ignores $x_p$: a step of {step:g} brings "
        f"$x_n$ {_length(n - p) - _length(n + step * triplet - p):.3f} nearer to it. Where both orders are active, "
        "their mean goes along $x_c x_n$ too."
    )


def _straight_above(model: Model) -> str:
    chords, along = model.of_angular.chords, model.of_angular.tangent
    return (
        f"$x_n$ is exactly above $x_c$, where n′ = {model.triangle.angle:.1f}° is largest. Its chord gradient, "
        f"{_length(chords[2]):.2f}, points straight out of the sphere: along the sphere it is {_length(along[2]):.2g}, and $x_n$ "
        f"does not move. Only $x_a$ and $x_p$ move, by {_length(along[0]):.2f} each. Move $x_n$ by one degree and it leaves."
    )


def _hinge_off(model: Model) -> str:
    value = abs(response_to(model.embeddings, model.settings.angular).value)
    return (
        f"{model.batch.active} of {model.batch.triangles} triangles have n′ above α = {model.settings.angular.alpha:g}°: the "
        f"hinge is {value:.0f}, with a gradient of exactly 0. The logistic form still gives {model.push_share_by_form[2]:.1%} of "
        "its full push. In many dimensions nearly every batch looks like this one."
    )


def _constant(model: Model) -> str:
    _, whole, dropped = model.push_share_by_form
    return (
        f"The constant 2 − 6 tan²α = {2 - 6 * model.t:.2g} is kept: the logistic form now gives {whole:.0%} of its full push "
        f"over the batch, {dropped:.0%} without it. It is inside the logarithm, so it is no factor: it moves the bend of the "
        f"curve from a violation of {2 - 6 * model.t:.2g} to 0."
    )


def _triplet_done(model: Model) -> str:
    a, p, n = model.triangle.rows
    return (
        f"The triplet (a, p, n) costs {model.of_triplet.value:.3g}: $x_n$ is {_length(n - a):.3f} from $x_a$, far enough. But it "
        f"is {_length(n - p):.3f} from $x_p$, which this triplet ignores. n′ = {model.triangle.angle:.1f}° is above α = "
        f"{model.settings.angular.alpha:g}°, and the angular loss, {model.of_angular.value:.3f}, pushes $x_n$ on."
    )


def _strict_but_weak(model: Model) -> str:
    usual = 8 * math.tan(math.radians(45)) ** 2
    return (
        f"At α = {model.settings.angular.alpha:g}° {model.batch.share:.0%} of the triangles are active, but tan²α also "
        f"multiplies the push. $x_n$ is pushed with 8 tan²α = {8 * model.t:.2f} times $|x_n-x_c|$, where 45° has {usual:.0f}. "
        "A smaller α is a stricter bound and a weaker push."
    )


def _length(vector: np.ndarray) -> float:
    """The length of ``vector`` (d,), 0 if it is only a rounding error."""
    length = float(np.linalg.norm(vector))
    return length if length > ROUNDING else 0.0


LESSON = _preset("Angular pushes $x_n$ along $x_c x_n$, the triplet does not", _apart, SCENE, (4, 0, 5), arrows="chords")
PRESETS = (
    LESSON,
    _preset("Straight above", _straight_above, SCENE, (0, 1, 2), at="a60_120b90"),
    _preset("Opposite pair", lambda model: (
        f"$x_a$ and $x_p$ are opposite, so $x_c$ is the centre of the sphere, and n′ = {model.triangle.angle:.1f}° wherever "
        f"$x_n$ is. It breaks α = {model.settings.angular.alpha:g}°: the loss is {model.of_angular.value:.3f}, and yet the "
        f"gradient at $x_n$ along the sphere is {_length(model.of_angular.tangent[2]):.2g}. At α = 45° the hinge is at its edge."
    ), "antipodal", (0, 1, 4), alpha=36.0),
    _preset("Hinge off", _hinge_off, "separated", (0, 3, 4)),
    _preset("Collapse", lambda model: (
        f"All {len(model.y)} points are one point: $\\tan n'$ would be 0/0, so n′ is undefined. Multiplied out, the bound says "
        f"that 0 is at most 0, and the angular hinge is {abs(model.of_angular.value):.0f}. The triplet loss still costs its "
        f"margin, {model.of_triplet.value:.3g}. The logistic form would cost $\\log(1+e^{{{6 * model.t - 2:.2g}}})$ = "
        f"{math.log1p(math.exp(6 * model.t - 2)):.2f} on one triplet. All gradients are 0: points at one place have no direction "
        "to move apart."
    ), "collapsed", (0, 1, 4)),
    _preset("Constant kept", _constant, SCENE, FIRST, form="logistic", constant_kept=True),
    _preset("Triplet done, angular not", _triplet_done, SCENE, (0, 4, 7), alpha=36.0),
    _preset("Strict but weak", _strict_but_weak, SCENE, FIRST, alpha=25.0),
    _preset("A class of one", None, "a class of one", (8, -1, 0)),
)  # fmt: skip
