"""Figures of the page of gradients."""
