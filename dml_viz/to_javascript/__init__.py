"""Losses for the browser: the `by_hand` of each, translated from Python."""

from dml_viz.to_javascript.gathering import javascript_of_loss, javascript_of_losses

__all__ = ["javascript_of_loss", "javascript_of_losses"]
