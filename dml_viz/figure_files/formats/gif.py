"""GIF: the steps of a run, race or flow as a film."""

from dml_viz.figure_files.formats._film import Film


class GIF(Film):
    """A film of a figure that moves."""

    label, order = "GIF film", 12
    note = "The steps as a film, at the length and size you choose"
    media_type = "image/gif"
