"""Python: a program that draws the figure again from its CSV."""

import json

from dml_viz.figure_files.formats._base import Figure
from dml_viz.figure_files.formats._script import Script
from dml_viz.figure_files.formats._table import HEADER


class Python(Script):
    """A script that runs as it is, in the folder of the CSV that is saved with it."""

    label, order = "Python script, with its CSV", 7
    note = "Draws the figure again from its data, with matplotlib or Plotly"
    media_type = "text/x-python"

    @classmethod
    def read(cls, body: bytes) -> str | None:
        lines = body.decode("utf-8-sig", "replace").splitlines()
        return next((line.removeprefix(HEADER) for line in lines if line.startswith(HEADER)), None)

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        return f"{HEADER}{json.dumps(figure.spec.write())}\n{cls.text(figure)}".encode()
