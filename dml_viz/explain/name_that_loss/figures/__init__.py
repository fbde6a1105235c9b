"""Figures of the page that names a loss."""
