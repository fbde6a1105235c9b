"""Compose

Figures from any page as the panels of one picture.
"""

from dml_viz.explain.compose.page import run
from dml_viz.export.compose import example_tray, request_and_caption

run(request_and_caption, example_tray)
