"""WebM: the steps of a run, race or flow as a film."""

from dml_viz.figure_files.formats._base import Film


class WebM(Film):
    """A film of a figure that moves."""

    label, order = "WebM film", 10
    media_type = "video/webm"
