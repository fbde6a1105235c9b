"""JSON: the spec alone."""

import json

from dml_viz.figure_files.formats._base import Figure, FileFormat
from dml_viz.figure_files.spec import MARK


class JSON(FileFormat):
    """The spec of a figure without the figure; the menu copies it."""

    order, media_type, writer = 6, "application/json", "json"

    @classmethod
    def read(cls, body: bytes) -> str | None:
        text = body.decode("utf-8-sig", "replace")
        return text if MARK in text else None

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        return f"{json.dumps(figure.spec.write(), indent=2)}\n".encode()
