"""Presets of the page of pairs, each with a sentence on what it shows."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from dml_viz.analysis import response_to
from dml_viz.analysis.around_triplet import ROLES, Model
from dml_viz.analysis.triplets import compared_distances
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import Scene
from dml_viz.explain.pairs.controls import KEY, NONE
from dml_viz.explain.pairs.model import PAIRWISE
from dml_viz.losses.triplet import Triplet
from dml_viz.params import defaults
from dml_viz.plot.canvas import number
from dml_viz.room.room import Preset

SCENES = {
    "one triplet": Scene(2, ((90.0,), (100.0,), (60.0,)), (0, 0, 1)),
    "a far negative": Scene(3, ((135.0, 0.0), (176.41, 0.0), (335.705, 77.65)), (0, 0, 1)),  # equally far from both
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
    knob_settings = {f"loss.{loss}.{name}": value for name, value in {**defaults(PAIRWISE[loss]), **knobs}.items()}
    settings = {"dim": dim, **dict(zip(ROLES, picked, strict=True)), "loss": loss, "second": NONE}
    return Preset.of_scene(KEY, label, lambda losses: says(losses.first), scene, knob_settings, **settings)


def _angle(cosine: float) -> float:
    return math.degrees(math.acos(min(max(cosine, -1.0), 1.0)))


def _triplet(model: Model) -> Triplet:
    """The triplet loss that a preset has set."""
    assert isinstance(model.settings.loss, Triplet)
    return model.settings.loss


def _no_gradient(model: Model) -> str:
    loss, d = _triplet(model), compared_distances(_triplet(model), model.embeddings)
    pull, push = d[model.settings.anchor, model.settings.positive], d[model.settings.anchor, model.settings.negative]
    ends = model.s_p - loss.margin / 2
    return (
        f"The negative is at d² = {push:.3f}, the positive at {pull:.3f}: farther by {push - pull:.3f}, more than m = "
        f"{loss.margin:g}. So the hinge is {model.response.value:.3g} and both weights are {number(model.weight_of_negative)}. "
        f"The gradient ends at sₙ = sₚ − m/2 = {ends:.3f}, {_angle(ends):.1f}° from the anchor; this negative is "
        f"{_angle(model.s_n):.1f}° away. Drag it nearer, and all three points move."
    )


def _semi_hard(model: Model) -> str:
    semi, hard = model.tallies_by_mining["semi-hard"], model.tallies_by_mining["batch-hard"]
    return (
        f"In {semi.wrong} of {semi.all} triplets the negative is nearer than the positive. Semi-hard mining leaves all of them "
        f"out and keeps {semi.left}, with a negative farther by less than m. This triplet is left out: sₙ = {model.s_n:.3f} > sₚ "
        f"= {model.s_p:.3f}. Batch-hard keeps {hard.left}, one for each anchor; {hard.with_gradient} have a gradient."
    )


def _collapse(model: Model) -> str:
    longest = np.linalg.norm(model.descent, axis=1).max()
    return (
        f"All {len(model.y)} points are one point. Every hinge is m = {_triplet(model).margin:g}, so the loss is "
        f"{model.response.value:.3f}, and the longest arrow is {longest:.2g}: no direction separates the points. With the "
        "hardest triplets a run can end here: near here the gradient of squared distances fades."
    )


def _groove(model: Model) -> str:
    a, p = model.z[model.settings.anchor], model.z[model.settings.positive]
    aside = np.cross(a, p)
    rows = torch.from_numpy(np.stack((a, p, aside / np.linalg.norm(aside))))
    centre = response_to(Embeddings(rows, torch.tensor((0, 0, 1)), ""), model.settings.loss)
    return (
        f"The negative has similarity sₙ = {model.s_n:.2f} to both others, and the printed loss is {model.response.value:.3f}. "
        f"At sₙ = 0 it would be less: {centre.value:.4f}. Yet both negative pairs have a weight of "
        f"{model.weight_of_negative:+.3f}, which pushes: the loss holds its α constant. "
        f"The curve below has both pairs together, {2 * model.weight_of_negative:+.2f}."
    )


def _survivors(model: Model) -> str:
    tally, value = model.tallies_by_mining["all"], model.response.value
    every = Model(model.embeddings, replace(model.settings, loss=replace(_triplet(model), reduction="all"))).response.value
    return (
        f"{tally.active} of {tally.all} triplets are above 0. The mean over all is {every:.4f}, over those above 0 {value:.4f}, "
        f"{value / every:.1f} times as much. It does not fall when another easy triplet drops out."
    )


def _left_out(model: Model) -> str:
    response, n = model.response, len(model.y)
    used = len(np.unique(response.pair_indices[response.is_active]))
    return (
        f"N-pair loss takes one pair of each class: {used} of {n} points are in a pair with a weight, and "
        f"{response.is_active.sum()} of {len(response.pair_indices)} pairs have one. The other {n - used} points change nothing, "
        "and no error says so."
    )


def _never_done(model: Model) -> str:
    response = model.response
    farthest = response.pair_similarities[response.is_positive].min()
    nearest = response.pair_similarities[~response.is_positive].max()
    return (
        f"Every positive pair has a similarity of at least {farthest:.3f}, every negative pair at most {nearest:.3f}. Still the "
        f"loss is {response.value:.2f}, and {response.is_active.sum()} of {len(response.pair_indices)} pairs have a weight: the "
        "logarithm of a sum over many negatives stays above 0."
    )


def _one_number(model: Model) -> str:
    h = model.z - model.z.mean(1, keepdims=True)
    a, n = h[model.settings.anchor], h[model.settings.negative]
    d = float(((n - a) ** 2).sum() / (a**2).sum())
    return (
        f"Anchor and negative are {_angle(model.s_n):.0f}° apart, and their SNR distance is {abs(d):.3f}. It takes the variance "
        "over coordinates, and of two coordinates only their difference counts. So points mirrored on the diagonal are equal. "
        "On the sphere it has two numbers."
    )


def _alone(model: Model) -> str:
    weights = np.abs(model.weights[model.settings.anchor])
    active = int((weights > model.response.least_weight).sum())
    return (
        "The anchor is alone in its class: it has no positive and no triplet. It is still a negative of all others: "
        f"{active} of its {len(weights) - 1} pairs have a weight, the largest {weights.max():.3g}."
    )


NO_GRADIENT = _preset("Where a triplet stops giving gradient", _no_gradient, "triplet", "one triplet", mining="all")
PRESETS = (
    NO_GRADIENT,
    _preset("Semi-hard skips the worst", _semi_hard, "triplet", "one hard negative", (1, 0, 4), mining="semi-hard"),
    _preset("Collapse", _collapse, "triplet", "collapsed", (0, 1, 4), mining="batch-hard", squared=False),
    _preset("Mean of survivors", _survivors, "triplet", "one hard negative", (1, 0, 4), mining="all", reduction="nonzero"),
    _preset("Downhill the value rises", _groove, "circle", "a far negative", dim=3, margin=0.25),
    _preset("Points left out", _left_out, "n_pair", "overlapping", (0, 1, 5)),
    _preset("Never done", _never_done, "lifted", "separated", (0, 1, 4)),
    _preset("One number", _one_number, "snr", "two mirror images", (0, 2, 1)),
    _preset("A class of one", _alone, "lifted", "a class of one", (8, -1, 0)),
)
