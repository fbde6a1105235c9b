"""GIF: the steps of a run, race or flow as a film."""

from dml_viz.figure_files.formats._base import Film


class GIF(Film):
    """A film of a figure that moves."""

    label, order = "GIF film", 12
    media_type = "image/gif"
