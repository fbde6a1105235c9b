"""The gallery: the figures that teachers and writers want most, each with its spec."""

from dml_viz.explain.gallery.entries import GALLERY, Entry

__all__ = ["GALLERY", "Entry"]
