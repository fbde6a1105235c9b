"""Votes of a class

The first and the second vote of a class on a question, beside the truth, and an earlier class over them.
"""

from dml_viz.explain.votes.page import run

run()
