"""The files that carry a recipe: how it is read back from any of them, and those that Python writes by itself."""

from __future__ import annotations

from dml_viz.figure_files.reading import recipe_of

__all__ = ["recipe_of"]
