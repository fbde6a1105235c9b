"""CSV: the points of a figure."""

import json
import math
import re
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from dml_viz.figure_files.formats._base import Figure, FileFormat, without_xml_forbidden
from dml_viz.figure_files.formats._table import HEADER, notes_on, rows_of, shown_traces

SEPARATOR = ","
FORMULA = r"\A[=+@\t\r-](?![\d.,e∞-]*\Z)"  # text that spreadsheets compute, unless an apostrophe comes first


class CSV(FileFormat):
    """A table with commas between cells, below the spec and the caption."""

    label, order = "Data as CSV", 5
    note = "Every point of every trace"
    media_type, writer, of_one = "text/csv", "table", True
    options = MappingProxyType({"separator": SEPARATOR})

    @classmethod
    def read(cls, body: bytes) -> str | None:
        first = body.decode("utf-8-sig", "replace").split("\n", 1)[0].strip()
        return first.removeprefix(HEADER) if first.startswith(HEADER) else None

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        if figure.chart is None:
            return None
        traces, layout = shown_traces(figure.chart), figure.chart.get("layout", {})
        table = rows_of(traces, layout)
        notes = re.split(r"\r\n?|\n", without_xml_forbidden("\n".join([figure.caption, *notes_on(traces, layout, table[0])])))
        head = [f"{HEADER}{json.dumps(figure.spec.write())}", *(f"# {line}" for line in notes)]
        body = [SEPARATOR.join(_field(cell) for cell in row) for row in table]
        return "\r\n".join([*head, *body, ""]).encode()


def _field(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, (int, float)):
        return _number(value) if math.isfinite(value) else ""
    text = re.sub(r"<[^>]*>", "", without_xml_forbidden(str(value)).replace("<br>", "; "))
    text = re.sub(FORMULA, r"'\g<0>", text)
    quoted = any(sign in text for sign in ('"', "\r", "\n", "#", SEPARATOR))
    return '"' + text.replace('"', '""') + '"' if quoted else text


def _number(value: float) -> str:
    """``value`` as JavaScript writes it, so that the tables of a page and of the command are alike."""
    text = repr(value or 0)  # JavaScript writes no sign before 0
    if 1e-6 <= abs(value) < 1e21:
        text = f"{Decimal(text):f}"
    return text.removesuffix(".0").replace("e-0", "e-")
