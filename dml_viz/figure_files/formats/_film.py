"""Films: encoded by a browser, with the spec at the end, which players ignore."""

from dml_viz.figure_files.formats._base import FileFormat, text_between


class Film(FileFormat):
    """A film of a figure that moves."""

    writer = "movie"
    note = "The steps as a film, at the length and size you choose"

    @classmethod
    def read(cls, body: bytes) -> str | None:
        return text_between(body, b"dml-viz recipe: ", b"\n")
