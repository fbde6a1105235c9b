"""Your data

Bring embeddings or images of your own: scored on all rows, and shown, trained on and raced by every page of this app.
"""

from dml_viz.explain.your_data.page import run

run()
