"""Compose

Figures from any page as the panels of one picture.
"""

from dml_viz.explain.compose.page import run
from dml_viz.export.compose import example, panel

run(panel, example)
