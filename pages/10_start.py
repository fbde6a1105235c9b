"""Start

What metric learning is, in one picture.
"""

from dml_viz.explain.start.page import run

run()
