"""Figures of the Proxies page: functions of its model and a display, by name."""

from collections.abc import Callable
from functools import partial
from typing import Any

from dml_viz.explain.proxies.figures.bound import bound, floor_of_scale, flow, hardness, influence
from dml_viz.explain.proxies.figures.picture import picture, picture_of_flow
from dml_viz.explain.proxies.figures.table import table

FIGURES: dict[str, Callable[..., Any]] = {
    "nca": partial(picture, name="nca"),
    "anchor": partial(picture, name="anchor"),
    "pull": partial(hardness, names=("nca", "anchor"), positive=True),
    "push": partial(hardness, names=("nca", "anchor"), positive=False),
    "flow-nca": partial(picture_of_flow, name="nca"),
    "flow-anchor": partial(picture_of_flow, name="anchor"),
    "flow": flow,
    "table-nca": partial(table, name="nca"),
    "table-anchor": partial(table, name="anchor"),
    "table-cousin": partial(table, name="third_loss"),
    "moves-nca": partial(influence, name="nca"),
    "moves-anchor": partial(influence, name="anchor"),
    "moves-triplet": partial(influence, name="triplet"),
    "bound": partial(bound, name="bound", along="step along the gradient"),
    "bound-run": partial(bound, name="bound_of_run", along="step of the run"),
    "floor": floor_of_scale,
    "cousin": partial(picture, name="third_loss"),
    "pull-cousin": partial(hardness, names=("third_loss", "nca"), positive=True),
}
