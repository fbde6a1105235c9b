"""The page of gradients' named scenes: what a lecturer or a writer wants to show, and what breaks a loss."""

from __future__ import annotations

from typing import Any

from dml_viz.app.room import Preset
from dml_viz.explain.gradients.choice import ALL, KEY, Names
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.words import factor, one
from dml_viz.params import Param

PAPER = Param(
    "paper", False, "", "all panels in one figure, of the width of a page of print", label="As one figure, for a paper"
)


def _preset(label: str, scene: str, losses: str = Names().default, **others: Any) -> Preset:
    settings = {
        "subject": "scene", f"{KEY}.scene": scene, f"{KEY}.at": "", f"{KEY}.dim": 2, f"{KEY}.losses": losses,
        f"{KEY}.scale": "unit mean", f"{KEY}.part": "tangent", f"{KEY}.draw": "per point", f"{KEY}.paper": False,
    }  # fmt: skip
    return Preset(label, {**settings, **{f"{KEY}.{name}": value for name, value in others.items()}})


WRITERS = _preset("Eight losses, one hard negative", "one hard negative", paper=True)
COLLAPSE = _preset("Collapse", "collapsed", ALL)
ANTIPODES = _preset("Antipodes", "antipodal", ALL)
STRANGERS = _preset("No two alike", "all strangers", ALL)
ONE_SCALE = _preset("One scale for all", "one hard negative", scale="raw")


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


BREAKS = {COLLAPSE: _of_collapse, ANTIPODES: _of_antipodes, STRANGERS: _of_strangers, ONE_SCALE: _of_one_scale}
SAID = {WRITERS: _of_writers, **BREAKS}
