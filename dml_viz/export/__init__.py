"""Figures made again from their specs: ``python -m dml_viz.export RECIPE_OR_FILE -o DIR --format svg,pdf,csv``."""
