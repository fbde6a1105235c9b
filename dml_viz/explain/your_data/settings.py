"""The settings of the page on a visitor's own data."""

from typing import cast

from dml_viz.explain.your_data.model import Settings
from dml_viz.room.ask import OWN, Ask, Versions
from dml_viz.room.source import PICTURES, Picture, Subject

KEY = "own.picture"
# Links without a version were written when rows were drawn in a plane alone.
VERSIONS = Versions(OWN, {}, {KEY: "plane"})
ABOUT = "A neighbour map keeps who is near whom; a plane keeps the two directions in which the rows differ most."


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """The files or the images, and the picture of rows of more than three dimensions."""
    ask.of_version(VERSIONS)
    return Settings(subject.files, subject.images, choose_projection(ask))


def choose_projection(ask: Ask) -> Picture:
    """The picture of rows of more than three dimensions."""
    picture = ask.choice(KEY, "Rows above three dimensions", tuple(PICTURES), "map", named=PICTURES, note=ABOUT)
    return cast(Picture, picture)
