"""Sweep

Any knob of a run against what the net learns, from several seeds.
"""

from dml_viz.explain.sweep.page import run

run()
