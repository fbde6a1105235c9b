"""Presets of the page of gradients: what a lecturer or a writer wants to show, and what breaks a loss, each with its sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dml_viz.app.room import Preset
from dml_viz.explain.gradients.controls import ALL, KEY, Names
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.text import factor, one


def _preset(
    label: str, says: Callable[[Model], str], scene: str, losses: str = Names().default, **others: Any
) -> Preset:
    settings = {
        "subject": "scene", f"{KEY}.scene": scene, f"{KEY}.at": "", f"{KEY}.dim": 2, f"{KEY}.losses": losses,
        f"{KEY}.scale": "unit mean", f"{KEY}.part": "tangent", f"{KEY}.draw": "per point", f"{KEY}.paper": False,
    }  # fmt: skip
    return Preset(label, {**settings, **{f"{KEY}.{name}": value for name, value in others.items()}}, says)


def _still(model: Model) -> str:
    responses = model.responses
    still = sum(not found.lengths.any() for found in responses.values())
    return f"{still} of {len(responses)} {one(len(responses), 'loss', 'losses')} {one(still, 'has', 'have')} no gradient at all"


def _of_writers(model: Model) -> str:
    many = len(model.responses)
    return f"{many} {one(many, 'loss', 'losses')} on one scene; the figure for two columns of a paper is at the end of the page."


def _of_collapse(model: Model) -> str:
    return f"All points are one: {_still(model)} along the sphere. Only proxies, or coordinates, tell where to go."


def _of_antipodes(model: Model) -> str:
    return f"Every class sits on two opposite ends: {_still(model)}, and what is left elsewhere may pull through the poles."


def _of_strangers(model: Model) -> str:
    return f"No point has a positive: {_still(model)}. The others push, or have a proxy to pull to."


def _of_one_scale(model: Model) -> str:
    norms = {name: found.norm for name, found in model.responses.items() if found.norm > 0}
    if len(norms) < 2:
        return "There are no two gradients to compare."
    most, least = max(norms, key=norms.__getitem__), min(norms, key=norms.__getitem__)
    times = factor(norms[most] / norms[least])
    return (
        f"By one factor for all, {model.titles[most]} drowns the others: its gradient is {times} times that of "
        f"{model.titles[least]}. One learning rate does not fit two losses."
    )


WRITERS = _preset("Eight losses, one hard negative", _of_writers, "one hard negative", paper=True)
PRESETS = (
    WRITERS,
    _preset("Collapse", _of_collapse, "collapsed", ALL),
    _preset("Antipodes", _of_antipodes, "antipodal", ALL),
    _preset("No two alike", _of_strangers, "all strangers", ALL),
    _preset("One scale for all", _of_one_scale, "one hard negative", scale="raw"),
)
