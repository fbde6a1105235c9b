"""PDF: one page of lines and text, with the fonts inside."""

from dml_viz.figure_files.formats._base import Marked


class PDF(Marked):
    """A page of exactly the figure's size."""

    label, order = "PDF", 2
    note = "A page of exactly the figure's size, of lines and text"
    media_type, writer = "application/pdf", "pdf"
