"""Compose

Figures from any page as the panels of one picture.
"""

from dml_viz.explain.compose.page import run
from dml_viz.export.compose import example_tray, panel_request

run(panel_request, example_tray)
