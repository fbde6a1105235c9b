"""Figures of the Ranked List page: functions of its model and a display, by name."""

from functools import partial

from dml_viz.explain.ranked_list.figures import discs
from dml_viz.registry import functions

FIGURES = functions(__name__, "model", "display") | {f"arrows-{k}": partial(discs.arrows_of_variant, k) for k in range(3)}
