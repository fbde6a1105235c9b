"""Figures of the page on batches."""
