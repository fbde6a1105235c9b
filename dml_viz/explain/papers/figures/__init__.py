"""Figures of the Papers page."""
