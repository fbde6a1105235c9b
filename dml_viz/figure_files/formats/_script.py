"""Programs that draw a figure again from the CSV beside them; the browser writes the same (assets/src/export/script.js)."""

import json
from typing import ClassVar

from dml_viz.assets import ASSETS
from dml_viz.figure_files.formats._base import Figure, FileFormat

REDRAW = ASSETS / "scripts" / "redraw.py"
HEADER = "# dml-viz recipe: "


class Script(FileFormat):
    """The program for matplotlib or Plotly, which needs its table in the same folder."""

    writer = "script"
    companion: ClassVar[str | None] = "csv"

    @classmethod
    def text(cls, figure: Figure) -> str:
        """The program for the file of ``figure``."""
        return REDRAW.read_text(encoding="utf-8").replace("FIGURE", figure.spec.figure)

    @classmethod
    def spec_line(cls, figure: Figure) -> str:
        """The comment with the spec."""
        return f"{HEADER}{json.dumps(figure.spec.write())}"
