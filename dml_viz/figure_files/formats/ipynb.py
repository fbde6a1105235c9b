"""Jupyter: the program of the script as a notebook."""

import json
from typing import Any

from dml_viz.figure_files.formats._base import Figure, without_xml_forbidden
from dml_viz.figure_files.formats._script import Script
from dml_viz.figure_files.spec import MARK


class Notebook(Script):
    """A notebook of one cell of words and one of code."""

    label, order = "Jupyter notebook, with its CSV", 8
    note = "The same program as a notebook"
    media_type = "application/x-ipynb+json"

    @classmethod
    def read(cls, body: bytes) -> str | None:
        try:
            spec = json.loads(body)["metadata"][MARK]
        except (ValueError, KeyError, TypeError):
            return None
        return json.dumps(spec)

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        words = _cell("markdown", "words", without_xml_forbidden(figure.caption or figure.spec.title))
        code = _cell("code", "redraw", cls.text(figure), outputs=[], execution_count=None)
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        metadata = {"kernelspec": kernel, MARK: figure.spec.write()}
        book = {"cells": [words, code], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        return f"{json.dumps(book, indent=1)}\n".encode()


def _cell(kind: str, name: str, source: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "id": name, "metadata": {}, **more, "source": source}
