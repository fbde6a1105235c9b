"""MP4: the steps of a run, race or flow as a film."""

from dml_viz.figure_files.formats._base import Film


class MP4(Film):
    """A film of a figure that moves."""

    label, order = "MP4 film", 11
    media_type = "video/mp4"
