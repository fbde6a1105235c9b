"""Figures of the page of methods: functions of its model and a display, by name."""

from dml_viz.registry import functions

FIGURES = functions(__name__, "model", "display")
