"""Papers

What fourteen papers of one year propose, what a survey reports of them, and which page shows each.
"""

from dml_viz.explain.papers.page import run

run()
