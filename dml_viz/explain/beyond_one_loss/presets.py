"""Scenes on which a method shows what it does, or does nothing."""

import numpy as np

from dml_viz.explain.beyond_one_loss.controls import KEY
from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_training import STEPS
from dml_viz.plot.numbers import number
from dml_viz.room.room import Preset


def _tree_preset(model: Model) -> str:
    moved = [float(np.linalg.norm(side.arrows, axis=1).max()) for side in (model.plain, model.side)]
    return (
        f"{model.side.marks[0].name}. The longest arrow is {number(moved[0])} under the plain loss, {number(moved[1])} with the "
        "tree: points of one class that are far apart on the tree no longer pull each other."
    )


def _outlier(model: Model) -> str:
    means, dense = (mark.at for mark in model.side.marks)
    shift = float(((means - dense) ** 2).sum(1).max() ** 0.5)
    return f"One point has left its class. It moves the mean of its class by {number(shift)}; the dense centre stays."


def _pulled(model: Model) -> str:
    ends = model.side.marks[0].at
    moved = float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean())
    return (
        f"Every real triplet is satisfied, and the loss is {number(model.plain.value)}. Synthetic negatives are "
        f"{number(moved)} away from the real ones on average, so near their anchors that they teach again."
    )


def _shared(model: Model) -> str:
    ends = model.side.marks[0].at[:, 1].round(9)
    used = len({tuple(end) for end in ends.tolist()})
    return f"{len(model.table.sizes)} classes share {used} proxies; the scene has {model.side.marks[1].name} in all."


def _coded(model: Model) -> str:
    lost = float(((model.side.marks[0].at[:, 0] - model.side.marks[0].at[:, 1]) ** 2).sum(1).mean())
    words = len(model.side.marks[1].at)
    return f"Each point is replaced by one of {words} codewords; that moves it by {number(lost)} squared, on average."


def _without(model: Model) -> str:
    same = "as the plain loss does" if model.unchanged else "otherwise than the plain loss does"
    return f"Classes of two points have one positive pair each, which is all of its tree: the points are moved {same}."


def _turns(model: Model) -> str:
    trained = [number for number, columns in enumerate(model.slices, 1) if model.side.arrows[:, columns].any()]
    return (
        f"The circles are the {len(model.slices)} slices of an embedding. This batch has {len(model.side.in_batch)} points of "
        f"one cluster, and trains slice {', '.join(map(str, trained))}. At the next step it is the other cluster's turn."
    )


def _levels(model: Model) -> str:
    longest = [float(np.linalg.norm(model.side.arrows[:, columns], axis=1).max()) for columns in model.slices]
    each = ", ".join(map(number, longest))
    return f"Each of the {len(longest)} slices of an embedding has the whole loss to itself. The longest arrows in them: {each}."


def _near(model: Model) -> str:
    before, with_method = model.over_draws
    return (
        f"A batch has {len(model.table.sizes) - 1} of {len(model.table.sizes)} classes. Over {STEPS} steps its mean loss is "
        f"{number(with_method)}, with random classes {number(before)}: classes that overlap come together more often."
    )


PRESETS = (
    Preset.of_scene(KEY, "A class in two places", _tree_preset, "two modes in one class", {"method": "tree"}),
    Preset.of_scene(KEY, "An outlier", _outlier, "an outlier", {"method": "density", "method.density.radius": 0.8}),
    Preset.of_scene(KEY, "Harder negatives", _pulled, "separated", {"method": "hdml"}, step=60),
    Preset.of_scene(
        KEY, "Shared proxies", _shared, "separated", {"method": "few_proxies", "method.few_proxies.share": 0.7}, step=100
    ),
    Preset.of_scene(
        KEY,
        "Codes of two bits",
        _coded,
        "overlapping",
        {"method": "codes", "method.codes.parts": 1, "method.codes.words": 4},
        step=100,
    ),
    Preset.of_scene(
        KEY, "Clusters take turns", _turns, "two modes in one class", {"method": "divide", "method.divide.clusters": 2}, step=1
    ),
    Preset.of_scene(KEY, "Near classes together", _near, "overlapping", {"method": "signatures"}, step=1),
    Preset.of_scene(KEY, "A sampler learns", _near, "overlapping", {"method": "learnt_sampler"}, step=61),
    Preset.of_scene(KEY, "Three slices, one loss each", _levels, "overlapping", {"method": "levels"}),
    Preset(
        "Nothing to choose from",
        {
            "subject": "scene",
            "method": "tree",
            f"{KEY}.scene": "separated",
            f"{KEY}.at": "a80_104b200_225c318_342",
            f"{KEY}.dim": 2,
        },
        _without,
    ),
)
