"""Presets that show Ranked List at its clearest or break it, each with a sentence on the outcome."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dml_viz.explain.ranked_list.controls import KEY
from dml_viz.explain.ranked_list.model import Model
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import defaults
from dml_viz.room.room import Preset

BLUE = 3  # a query of the class whose points have the colour of positive pairs


def _preset(label: str, says: Callable[[Model], str], scene: str, query: int = 0, **knobs: Any) -> Preset:
    return Preset.of_scene(KEY, label, says, scene, query=query, **{**defaults(RankedList), **knobs})


def _hardest(model: Model) -> str:
    ranking, temperature = model.ranking, model.settings.loss.temperature
    first, second = np.flatnonzero(ranking.too_near)[:2]
    nearer, many = ranking.d[second] - ranking.d[first], ranking.too_near.sum()
    return (
        f"{many} negatives are nearer than α. At T = 0 each has 1/{many} = {1 / many:.3f} of the push. At T = "
        f"{temperature:g} the nearest, at d = {ranking.d[first]:.3f}, has **{ranking.share[first]:.3f}** of it. It is only "
        f"{nearer:.3f} nearer than the next, but that counts e^(T · {nearer:.3f}) = {np.exp(temperature * nearer):.0f} times. "
        "Move T back to 0 and the edges become equally wide."
    )


def _collapse(model: Model) -> str:
    longest = np.linalg.norm(model.arrows_of_loss[model.settings.loss.differentiated], axis=1).max()
    return (
        f"All {len(model.y)} points are one point: every negative is mined, the loss is {model.value:.3f} = λα, and the longest "
        f"arrow is {longest:.2g}. Points at distance 0 have no direction to move apart, so training stays here."
    )


def _dead_gradient(model: Model) -> str:
    loss, mined = model.settings.loss, int(model.too_far.sum() + model.too_near.sum())
    positive, negative = model.d[model.positive], model.d[model.y[:, None] != model.y]
    return (
        f"No pair is mined. The farthest positives are {positive.max():.3f} apart, less than α − m = "
        f"{loss.alpha - loss.margin:.3g}, and the nearest negatives {negative.min():.3f}, more than α = {loss.alpha:g}. The "
        f"loss is {model.value:.3g} and {mined} pairs have a gradient."
    )


def _no_room(model: Model) -> str:
    bound = model.settings.loss.margin - model.settings.loss.alpha
    return (
        f"m is larger than α, so positives would have to be within α − m = −{bound:.3g} of each other, which is impossible. "
        f"Every positive is mined, {int(model.too_far.sum())} of {int(model.positive.sum())} pairs. Even a class in one point "
        f"would cost {bound:.3g}: the loss, {model.value:.3f} here, cannot reach 0."
    )


def _wrong_way(model: Model) -> str:
    ranking = model.ranking
    slopes = ranking.slope[ranking.too_near]
    return (
        f"With the weights differentiated too, {(slopes > 0).sum()} of {len(slopes)} mined negatives are pulled towards "
        f"the query, with slopes up to {slopes.max():+.3f}. As they come nearer they take weight from the "
        "nearest negative, which costs more. The authors hold the weights constant; code that leaves all to autograd does not."
    )


HARDEST = _preset("A bigger T picks the hardest negative", _hardest, "overlapping", query=BLUE, temperature=40.0)
PRESETS = (
    HARDEST,
    _preset("Collapse", _collapse, "collapsed"),
    _preset("Dead gradient", _dead_gradient, "separated"),
    _preset("No room", _no_room, "separated", alpha=0.8, margin=1.2),
    _preset("Wrong way", _wrong_way, "overlapping", query=BLUE, temperature=23.0, differentiated="both ends and weights"),
    _preset("A class of one", lambda model: (
        f"This query is alone in its class: it has {int(model.ranking.relevant.sum())} positives to pull, and only pushes, for "
        f"{model.query_terms[model.settings.query]:.3f}. It counts in the mean over all N = {len(model.y)} "
        "queries like any other, as do those that mine no pair."
    ), "a class of one", query=8, alpha=1.6),
    _preset("No push", lambda model: (
        f"At λ = 0 the {int(model.too_near.sum())} mined pairs of negatives have slope "
        f"{np.abs(model.slopes[model.too_near]).max():.0f}: nothing pushes. The loss, {model.value:.3f}, is the pull alone, and "
        "collapse makes it 0."
    ), "overlapping", lam=0.0),
)  # fmt: skip
