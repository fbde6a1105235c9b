"""Presets of the page of gradients, each with a sentence on what it shows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dml_viz.analysis import ACTIVE
from dml_viz.embedding.scene import NO_POSITIVES
from dml_viz.explain.gradients.controls import ALL, KEY, Names
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.text import longest_over_shortest
from dml_viz.room.room import Preset

AROUND = "triplet.ranked_list.proxy_nca.proxy_anchor.lifted.n_pair"  # the lecture notes draw one anchor under two of them


def _preset(label: str, says: Callable[[Model], str], scene: str, losses: str = Names().default, **others: Any) -> Preset:
    plain = {"scale": "unit mean", "part": "tangent", "draw": "per point", "paper": False}
    return Preset.of_scene(KEY, label, says, scene, **{"losses": losses, **plain, **others})


def _without(before: str, after: str = "") -> Callable[[Model], str]:
    """Says how many losses have no gradient, between the sentences ``before`` and ``after``."""

    def says(model: Model) -> str:
        still = sum(not response.tangent_lengths.any() for response in model.responses.values())
        return f"{before} Losses without a gradient: {still} of {len(model.responses)}.{after}"

    return says


def _of_one_scale(model: Model) -> str:
    norms = {
        model.titles[name]: response.gradient_norm for name, response in model.responses.items() if response.gradient_norm > 0
    }
    if len(norms) < 2:
        return "There are no two gradients to compare."
    most, least = max(norms, key=norms.__getitem__), min(norms, key=norms.__getitem__)
    return (
        f"One factor scales all arrows. {most}'s gradient is {longest_over_shortest(model)} times as long as {least}'s, "
        "so one learning rate does not fit both."
    )


def _around(model: Model) -> str:
    query, touched = model.settings.query, []
    for name, response in model.responses.items():
        weight, same = np.abs(response.weights[query]), response.pairs.same.numpy()[query]
        active = weight > ACTIVE * weight.max(initial=0)
        note = " (proxies)" if response.has_proxies else ""
        touched.append(f"{model.titles[name]} {(active & same).sum()} and {(active & ~same).sum()}{note}")
    same = model.y == model.y[query]
    return (
        f"Anchor #{query} has {same.sum() - 1} positives and {(~same).sum()} negatives. Losses use of them: "
        f"{'; '.join(touched)}. Edges are as wide as their weights; drag the anchor."
    )


WRITERS = _preset(
    "Eight losses, one hard negative",
    lambda model: f"{len(model.responses)} losses on one scene. The same as a figure for a paper is at the end of the page.",
    "one hard negative",
    paper=True,
)
PRESETS = (
    WRITERS,
    _preset("One anchor, six losses", _around, "overlapping", AROUND, draw="one point", query=0),
    _preset("Collapse", _without("All points are one.", " Only proxies or coordinates give a direction."), "collapsed", ALL),
    _preset("Antipodes", _without("Every class is at two opposite points."), "antipodal", ALL),
    _preset("No two alike", _without("No point has a positive.", " The others push, or pull to a proxy."), NO_POSITIVES, ALL),
    _preset("One scale for all", _of_one_scale, "one hard negative", scale="raw"),
)
