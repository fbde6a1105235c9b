"""Race

Two to twelve losses from the same weights on the same batches.
"""

from dml_viz.explain.race.page import run

run()
