"""Entry script: the frame around every page and the navigation over ``pages/``."""

from dml_viz.app.frame import run

run()
