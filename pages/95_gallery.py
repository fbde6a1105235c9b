"""Gallery

The figures that teachers and writers want most: open one live, or take it home.
"""

from dml_viz.explain.gallery.page import run

run()
