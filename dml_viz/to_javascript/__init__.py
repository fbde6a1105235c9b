"""Losses for the browser: the sums that each writes by hand, translated from their Python."""

from dml_viz.to_javascript.gathering import module, transpiled

__all__ = ["module", "transpiled"]
