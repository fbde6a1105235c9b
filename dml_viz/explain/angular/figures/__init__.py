"""Figures of the Angular page."""
