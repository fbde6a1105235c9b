"""Ranked List

Two circles around every query, a shell between them, and the negatives within weighted by how near they are.
"""

from dml_viz.explain.ranked_list.page import PAGE

PAGE.run()
