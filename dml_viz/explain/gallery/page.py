"""The page Gallery, drawn."""

from dml_viz.app.page import page
from dml_viz.explain.gallery import GALLERY
from dml_viz.explain.gallery.cards import cards


def run() -> None:
    """Draw the page."""
    with page(
        "Gallery",
        "Figures for a lecture or a paper, each **one click from the page that drew it** and one from a file. Its recipe "
        "makes it again, number for number.",
    ):
        cards(GALLERY)
