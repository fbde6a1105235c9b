"""Presets that break FastAP, each with a sentence on the outcome and the number that shows it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dml_viz.embedding.scene import NO_POSITIVES
from dml_viz.explain.fastap.controls import KEY
from dml_viz.explain.fastap.model import Model, QueryRanking
from dml_viz.explain.fastap.model_bins import is_outside_bins
from dml_viz.explain.fastap.model_ranking import against_bins
from dml_viz.room.room import Preset

ROUNDING = 1e-12  # a smaller loss is a rounding error
MOST_BINS = 1000  # bins tried at most


def _preset(label: str, says: Callable[[Model], str], scene: str, **settings: Any) -> Preset:
    return Preset.of_scene(KEY, label, says, scene, **{"query": 0, "bins": 10, "kind": "soft", **settings})


def _collapse(model: Model) -> str:
    positives, others = model.ranking.positives, len(model.y) - 1
    longest = np.linalg.norm(model.arrows_of_batch, axis=1).max()
    return (
        f"All {others + 1} points are one point, so every ranking is one tie: the loss is {model.batch_histograms.loss:.3f} = "
        f"1 − N⁺/(N − 1) = 1 − {positives}/{others}. The longest arrow is {longest:.2g}: points at one place have no "
        "direction to move apart."
    )


def _too_few_bins(model: Model) -> str:
    ranking, binning = model.ranking, model.settings.binning
    wider = np.arange(binning.bins, MOST_BINS + 1)
    first = wider[against_bins(ranking.d2, ranking.relevant, wider) > 1 - ROUNDING][0]
    return (
        f"This ranking is perfect, exact AP = {ranking.average_precision:.3f}, and yet FastAP = {ranking.fastap:.3f}. The "
        f"nearest negative is {ranking.gap_between_classes:.2f} past the last positive, "
        f"and {binning.bins} bins need up to 2Δ = {2 * binning.width:.3g}. "
        f"{first} bins score 1, since none holds both; from {ranking.bins_for_perfect_fastap} bins on, any do for certain."
    )


def _dead_gradient(model: Model) -> str:
    width, n = model.settings.binning.width, len(model.y)
    rankings = [QueryRanking(model.d2[query], model.y, query, model.settings.binning) for query in range(n)]
    gap = min(ranking.gap_between_classes for ranking in rankings) / width
    loss = model.batch_histograms.loss
    return (
        f"In every query the nearest negative is at least {gap:.1f} bins past the last positive, and two are enough. The batch's "
        f"loss is {0 if abs(loss) < ROUNDING else loss:.3g} and {int((~model.arrows_of_batch.any(1)).sum())} of {n} points have "
        f"a gradient of exactly 0. Two bins are 2Δ = {2 * width:.3g} of squared distance: the number of bins sets the margin."
    )


def _wrong_way(model: Model) -> str:
    ranking = model.ranking
    return (
        f"{int((ranking.slope[ranking.relevant] > 0).sum())} of {ranking.positives} positives are pushed away from the query. "
        f"Precision rises with distance here, from {ranking.precision[np.flatnonzero(ranking.plus)[0]]:.3f} in the first bin "
        f"with a positive to {ranking.precision[-1]:.3f} in the last. So a positive gains by being counted later; exact AP never "
        "rises when a positive moves out."
    )


def _many_bins(model: Model) -> str:
    ranking, binning = model.ranking, model.settings.binning
    return (
        f"With {binning.bins} bins FastAP = {ranking.fastap:.3f}, close to exact AP = {ranking.average_precision:.3f}. The "
        f"price: {int((ranking.slope == 0).sum())} of {len(ranking.d2)} points have no slope. A negative has one only where its "
        f"own bin holds a positive, and a bin is now {binning.width:.2g} wide."
    )


def _half_the_range(model: Model) -> str:
    lost = is_outside_bins(model.positive_d2, model.settings.binning).mean()
    return (
        f"Squared distances run to 4, but these centres end at 2: {lost:.0%} of the positive pairs lie outside every bin, where "
        "nothing pulls them together. Squared distance goes with [0, 4] and distance with [0, 2]; mixing them raises no error."
    )


PRESETS = (
    _preset("Collapse", _collapse, "collapsed"),
    _preset("Too few bins", _too_few_bins, "an outlier", query=7, bins=4),
    _preset("Dead gradient", _dead_gradient, "separated"),
    _preset("Wrong way", _wrong_way, "an outlier", query=3),
    _preset(
        "A class of one",
        lambda model: (
            f"This query is alone in its class: N⁺ = {model.ranking.positives}, so it has no FastAP and moves nothing. The "
            f"batch's loss, {model.batch_histograms.loss:.3f}, is the mean over the M = {model.batch_histograms.queries} of "
            f"{len(model.y)} queries that have a positive. For them the lone point is a negative like any other."
        ),
        "a class of one",
        query=8,
    ),
    _preset(
        "No positives",
        lambda model: (
            f"M = {model.batch_histograms.queries} of {len(model.y)} queries have a positive. A mean over none would be 0/0, "
            "which is NaN in code that divides. Here the loss is defined as "
            f"{model.batch_histograms.loss:.0f}, with zero gradient."
        ),
        NO_POSITIVES,
    ),
    _preset("Many bins", _many_bins, "overlapping", bins=100),
    _preset("Half the range", _half_the_range, "two modes in one class", kind="half"),
)
