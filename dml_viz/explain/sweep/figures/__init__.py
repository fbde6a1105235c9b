"""Figures of the Sweep page."""
