"""Pairs, triplets, tuples

Which pairs a loss pulls or pushes and how hard, and the plane of one triplet with its gradient.
"""

from dml_viz.explain.pairs.page import PAGE

PAGE.run()
