"""Files whose metadata are XML that is not compressed: SVG and PDF."""

import html

from dml_viz.figure_files.formats._base import FileFormat, text_between


class Marked(FileFormat):
    """A drawing with its spec in an element of XML."""

    is_drawing = True

    @classmethod
    def read(cls, body: bytes) -> str | None:
        text = text_between(body, b"<dml:recipe", b"</dml:recipe>")
        return None if text is None else html.unescape(text.partition(">")[2])
