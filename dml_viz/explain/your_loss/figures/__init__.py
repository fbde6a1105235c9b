"""Figures of the page of one's own loss, by name."""

from dml_viz.registry import functions

FIGURES = {**functions("dml_viz.plot.one_loss", "model", "display"), **functions(__name__, "model", "display")}
