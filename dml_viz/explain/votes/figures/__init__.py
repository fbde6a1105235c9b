"""Figures of the votes of a class."""
