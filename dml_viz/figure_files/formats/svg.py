"""SVG: lines and text, with the fonts inside."""

from dml_viz.figure_files.formats._base import Marked


class SVG(Marked):
    """A drawing for the web and for editors of drawings."""

    label, order = "SVG", 1
    note = "A drawing of lines and text, as it is seen now"
    media_type, writer = "image/svg+xml", "svg"
