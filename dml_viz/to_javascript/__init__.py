"""Losses for the browser: the `by_hand` of each, translated from Python."""

from dml_viz.to_javascript.gathering import module, transpiled

__all__ = ["module", "transpiled"]
