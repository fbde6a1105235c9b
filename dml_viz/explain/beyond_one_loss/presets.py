"""Scenes on which a method shows what it does, or does nothing."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dml_viz.explain.beyond_one_loss.controls import KEY
from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_training import STEPS
from dml_viz.plot.canvas import number
from dml_viz.room.ask import NOTHING
from dml_viz.room.room import Preset


def _tree_preset(model: Model) -> str:
    moved = [float(np.linalg.norm(side.arrows, axis=1).max()) for side in (model.under_plain_loss, model.under_method)]
    return (
        f"{model.under_method.marks[0].name}. The longest arrow is {number(moved[0])} under the plain loss, {number(moved[1])} "
        "with the method: points of one class that are far apart no longer pull each other."
    )


def _outlier(model: Model) -> str:
    means, dense = (mark.at for mark in model.under_method.marks)
    shift = float(((means - dense) ** 2).sum(1).max() ** 0.5)
    return f"One point has left its class. It moves the mean of its class by {number(shift)}; the dense centre stays."


def _pulled(model: Model) -> str:
    ends = model.under_method.marks[0].at
    moved = float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean())
    return (
        f"Every real triplet is satisfied, and the loss is {number(model.under_plain_loss.value)}. Synthetic negatives are "
        f"{number(moved)} away from the real ones on average, so near their anchors that they teach again."
    )


def _shared(model: Model) -> str:
    ends = model.under_method.marks[0].at[:, 1].round(9)
    used = len({tuple(end) for end in ends.tolist()})
    return (
        f"{len(model.class_table.sizes)} classes share {used} proxies; the scene has {model.under_method.marks[1].name} in all."
    )


def _coded(model: Model) -> str:
    lost = float(((model.under_method.marks[0].at[:, 0] - model.under_method.marks[0].at[:, 1]) ** 2).sum(1).mean())
    words = len(model.under_method.marks[1].at)
    return f"Each point is replaced by one of {words} codewords; that moves it by {number(lost)} squared, on average."


def _without(model: Model) -> str:
    same = "as the plain loss does" if model.moves_as_plain_loss else "otherwise than the plain loss does"
    return f"Classes of two points have one positive pair each, which is all of its tree: the points are moved {same}."


def _turns(model: Model) -> str:
    trained = [number for number, columns in enumerate(model.slices, 1) if model.under_method.arrows[:, columns].any()]
    return (
        f"The circles are the {len(model.slices)} slices of an embedding. This batch has "
        f"{len(model.under_method.in_batch)} points of one cluster, and trains slice {', '.join(map(str, trained))}. "
        "At the next step it is the other cluster's turn."
    )


def _levels(model: Model) -> str:
    longest = [float(np.linalg.norm(model.under_method.arrows[:, columns], axis=1).max()) for columns in model.slices]
    each = ", ".join(map(number, longest))
    return f"Each of the {len(longest)} slices of an embedding has the whole loss to itself. The longest arrows in them: {each}."


def _near(model: Model) -> str:
    before, with_method = model.mean_losses_over_draws
    return (
        f"A batch has {len(model.class_table.sizes) - 1} of {len(model.class_table.sizes)} classes. Over {STEPS} steps its mean "
        f"loss is {number(with_method)}, with random classes {number(before)}: classes that overlap come together more often."
    )


def _preset(
    label: str, says: Callable[[Model], str], scene: str, method: str, knobs: Mapping[str, Any] = NOTHING, **settings: Any
) -> Preset:
    others = {"method": method, **{f"method.{method}.{name}": value for name, value in knobs.items()}}
    return Preset.of_scene(KEY, label, says, scene, others, **settings)


TWO_MODES = "two modes in one class"
PRESETS = (
    _preset("A class in two places", _tree_preset, TWO_MODES, "tree"),
    _preset("An outlier", _outlier, "an outlier", "density", {"radius": 0.8}),
    _preset("Harder negatives", _pulled, "separated", "hdml", step=60),
    _preset("Shared proxies", _shared, "separated", "few_proxies", {"share": 0.7}, step=100),
    _preset("Codes of two bits", _coded, "overlapping", "codes", {"parts": 1, "words": 4}, step=100),
    _preset("Clusters take turns", _turns, TWO_MODES, "divide", {"clusters": 2}, step=1),
    _preset("Near classes together", _near, "overlapping", "signatures", step=1),
    _preset("A sampler learns", _near, "overlapping", "learnt_sampler", step=61),
    _preset("Three slices, one loss each", _levels, "overlapping", "levels"),
    _preset("Nothing to choose from", _without, "separated", "tree", at="a80_104b200_225c318_342"),
)
