"""Figures of the page on batches, by name."""

from dml_viz.registry import functions

FIGURES = functions(__name__, "model", "display")
