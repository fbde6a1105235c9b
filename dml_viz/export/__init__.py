"""Figures made again from their recipes: ``python -m dml_viz.export RECIPE_OR_FILE -o DIR --format svg,pdf,csv``."""
