"""Train live

Train a small net and watch its embedding, its curves and what it retrieves, step by step.
"""

from dml_viz.explain.train.page import run

run()
