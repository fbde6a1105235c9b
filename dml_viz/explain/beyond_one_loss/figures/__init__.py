"""Figures of the page of methods."""
