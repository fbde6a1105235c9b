"""Presets that show losses of pairs at their clearest or break them, each with the sentence that says what happened."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dml_viz.analysis import ACTIVE
from dml_viz.app.room import Preset
from dml_viz.embedding.scene import Scene
from dml_viz.explain.pairs.controls import KEY, NONE
from dml_viz.explain.pairs.model import PAIRWISE, ROLES, Model
from dml_viz.explain.pairs.model_triplets import distances
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params

SCENES = {
    "one triplet": Scene(2, ((90.0,), (100.0,), (60.0,)), (0, 0, 1)),
    "a far negative": Scene(3, ((135.0, 0.0), (176.41, 0.0), (335.705, 77.65)), (0, 0, 1)),  # as far from both
    "two mirror images": Scene(2, ((20.0,), (250.0,), (100.0,), (155.0,)), (0, 1, 0, 1)),
}


def _preset(
    label: str,
    says: Callable[[Model], str],
    loss: str,
    scene: str,
    picked: tuple[int, int, int] = (0, 1, 2),
    dim: int = 2,
    **knobs: Any,
) -> Preset:
    plain = {f"loss.{loss}.{knob.name}": knob.default for knob in params(PAIRWISE[loss])}
    chosen = {f"loss.{loss}.{name}": value for name, value in knobs.items()}
    roles = dict(zip((f"{KEY}.{role}" for role in ROLES), picked, strict=True))
    subject = {"subject": "scene", f"{KEY}.scene": scene, f"{KEY}.at": "", f"{KEY}.dim": dim, **roles}
    settings = {**subject, f"{KEY}.loss": loss, f"{KEY}.second": NONE, **plain, **chosen}
    return Preset(label, settings, lambda losses: says(losses.first))


def _angle(cosine: float) -> float:
    return math.degrees(math.acos(min(max(cosine, -1.0), 1.0)))


def _triplet(model: Model) -> Triplet:
    """The triplet loss that a preset has set."""
    assert isinstance(model.settings.loss, Triplet)
    return model.settings.loss


def _no_gradient(model: Model) -> str:
    loss, d = _triplet(model), distances(_triplet(model), model.embeddings)
    pull, push = d[model.settings.anchor, model.settings.positive], d[model.settings.anchor, model.settings.negative]
    ends = model.s_p - loss.margin / 2
    return (
        f"The negative is d² = {push:.3f} away, the positive {pull:.3f}: {push - pull:.3f} less, and m = {loss.margin:g} is all "
        f"that is asked. The hinge is {model.response.value:.3g}, both weights are {model.w_n:.3g}, and no arrow is left. That "
        f"begins at the dashed line, and at the thick one in the plane: at sₙ = sₚ − m/2 = {ends:.3f}, {_angle(ends):.1f}° "
        f"from the anchor; this negative is {_angle(model.s_n):.1f}° away. Drag it nearer, and all three points move again."
    )


def _semi_hard(model: Model) -> str:
    semi, hard = model.tallies["semi-hard"], model.tallies["batch-hard"]
    return (
        f"In {semi.wrong} of {semi.all} triplets the negative is nearer than the positive, and semi-hard mining leaves none of "
        f"them: it keeps {semi.left}, where the negative is farther by less than m. This triplet is one of the {semi.wrong}, at "
        f"sₙ = {model.s_n:.3f} > sₚ = {model.s_p:.3f}. Batch-hard keeps {hard.left}, one for each anchor, "
        f"{hard.with_gradient} of them with a gradient."
    )


def _collapse(model: Model) -> str:
    longest = np.linalg.norm(model.arrows, axis=1).max()
    return (
        f"All {len(model.y)} points are one point: every hinge is m = {_triplet(model).margin:g}, so the loss is "
        f"{model.response.value:.3f}, and the longest arrow is {longest:.2g}. No direction leads apart. With hard triplets on "
        "unsquared distances a run can end here, and the loss stands still at exactly m."
    )


def _groove(model: Model) -> str:
    centre = model.plane.batch.gradients(model.cut.s_p, 0)
    return (
        f"The negative is sₙ = {model.s_n:.2f} alike to both others, and the printed loss is {model.response.value:.3f}. At sₙ = "
        f"0 it would be less, {centre.value:.4f}. Still each of the two negative pairs has weight {model.w_n:+.3f}, above 0, as "
        f"the loss holds its α constant: descent pushes the negative on, up the printed loss. The curve below has both pairs "
        f"together, {2 * model.w_n:+.2f}."
    )


def _survivors(model: Model) -> str:
    loss, found = _triplet(model), model.tallies["all"]
    mean_of_all = replace(model.settings, loss=replace(loss, reduction="all"))
    every = Model(model.embeddings, mean_of_all).response.value
    return (
        f"{found.active} of {found.all} triplets are above 0. The mean over all of them is {every:.4f}; over the survivors it is "
        f"{model.response.value:.4f}, {model.response.value / every:.1f} times as much, and it does not fall when another easy "
        "triplet drops out."
    )


def _left_out(model: Model) -> str:
    ends = model.response.ends[model.response.active]
    used = len(np.unique(ends))
    return (
        f"One pair per class, says the paper: {used} of {len(model.y)} points are in a pair with a weight, and {len(ends)} of "
        f"{len(model.response.ends)} pairs have one. The other {len(model.y) - used} points came for nothing; no error says so."
    )


def _never_done(model: Model) -> str:
    touched, every = (sum(counts) for counts in zip(*map(model.response.active_of, (True, False)), strict=True))
    farthest = model.response.similarities[model.response.positive].min()
    nearest = model.response.similarities[~model.response.positive].max()
    return (
        f"Every positive pair is more alike (from {farthest:.3f}) than any negative one (to {nearest:.3f}), and still the loss "
        f"is {model.response.value:.2f} and {touched} of {every} pairs have a weight: the logarithm of many negatives stays "
        "above 0 however far they are."
    )


def _one_number(model: Model) -> str:
    h = model.z - model.z.mean(1, keepdims=True)
    a, n = h[model.settings.anchor], h[model.settings.negative]
    d = float(((n - a) ** 2).sum() / (a**2).sum())
    return (
        f"Anchor and negative are {_angle(model.s_n):.0f}° apart, and their SNR distance is {abs(d):.3f}: it takes the variance "
        "over coordinates, and of two coordinates only their difference counts. Points mirrored on the diagonal are one point to "
        "it. Switch the scene to the sphere, where it sees two numbers."
    )


def _alone(model: Model) -> str:
    own = np.abs(model.weights[model.settings.anchor])
    active = int((own > model.response.largest * ACTIVE).sum())
    return (
        "The anchor is alone in its class, so it has no positive, no triplet and no term of its own. To the others it is still a "
        f"negative, and is pushed: {active} of its {len(own) - 1} pairs have a weight, the heaviest {own.max():.3g}."
    )


NO_GRADIENT = _preset("Where a triplet stops giving gradient", _no_gradient, "triplet", "one triplet", mining="all")
PRESETS = (
    NO_GRADIENT,
    _preset("Semi-hard skips the worst", _semi_hard, "triplet", "one hard negative", (1, 0, 4)),
    _preset("Collapse", _collapse, "triplet", "collapsed", (0, 1, 4), mining="batch-hard", squared=False),
    _preset(
        "Mean of survivors", _survivors, "triplet", "one hard negative", (1, 0, 4), mining="all", reduction="nonzero"
    ),
    _preset("Downhill the value rises", _groove, "circle", "a far negative", dim=3, margin=0.25),
    _preset("Points left out", _left_out, "n_pair", "overlapping", (0, 1, 5)),
    _preset("Never done", _never_done, "lifted", "separated", (0, 1, 4)),
    _preset("One number", _one_number, "snr", "two mirror images", (0, 2, 1)),
    _preset("A class of one", _alone, "lifted", "a class of one", (8, -1, 0)),
)
