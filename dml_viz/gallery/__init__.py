"""The gallery: the figures that teachers and writers want most, each with its recipe."""

from dml_viz.gallery.entries import GALLERY, Entry

__all__ = ["GALLERY", "Entry"]
