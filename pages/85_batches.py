"""Batches

What a loss loses where its batch is split, what a large batch takes of memory, and who puts hard negatives into a batch.
"""

from dml_viz.explain.batches.page import run

run()
