"""Reference

Every loss and every knob: formula, variants, traps, and the code to take along.
"""

from dml_viz.explain.reference.page import run

run()
