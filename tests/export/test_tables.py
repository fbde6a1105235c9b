"""The data of the gallery's charts: their tables, and the notebooks beside them."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot
import pandas
import pytest

from dml_viz.explain.gallery import GALLERY
from dml_viz.explain.gallery.entries import Entry, data_path, read_figure_data
from dml_viz.explain.gallery.page import recorded_spec
from dml_viz.figure_files.chart import with_arrays_decoded, with_view
from dml_viz.figure_files.formats import FORMATS, Figure
from dml_viz.figure_files.formats._table import GRIDS
from tests.tables import rows

CHARTS = [entry for entry in GALLERY if read_figure_data(data_path(entry))["module"] == "figure"]


@pytest.fixture(params=CHARTS, ids=[entry.name for entry in CHARTS])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Path]]]:
    """A chart of the gallery, and its files in an empty folder."""
    entry: Entry = request.param
    chart = with_view(read_figure_data(data_path(entry))["data"]["figure"], {})
    paths = {}
    for name in ("csv", "py", "ipynb"):
        body = FORMATS[name].write(Figure(recorded_spec(entry), "said", "caption", chart))
        assert body is not None
        paths[name] = tmp_path / f"{entry.figure}.{name}"
        paths[name].write_bytes(body)
    yield with_arrays_decoded(chart), paths
    matplotlib.pyplot.close("all")


def seen(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """The visible traces with points."""
    own = [trace for trace in chart["data"] if trace.get("visible", True) is True]
    return [trace for trace in own if any(len(trace.get(name, ())) for name in ("x", "y", "z"))]


def test_a_table_has_all_that_its_figure_shows(saved: tuple[dict[str, Any], dict[str, Path]]) -> None:
    chart, paths = saved
    text = paths["csv"].read_text(encoding="utf-8")
    header, *body = rows(text)
    table = pandas.read_csv(paths["csv"], comment="#", keep_default_na=False, dtype=str)
    assert [*table.columns] == header
    assert table.to_numpy().tolist() == body
    head = text[: text.index("\ntrace,")]
    assert [name for name in header if f"\n# column {name}: " not in head] == []
    for name, axis in chart["layout"].items():
        title = ((axis or {}).get("title") or {}).get("text") if name[1:].startswith("axis") else None
        if title and "<" not in title:
            assert json.dumps(title) in head or title in head
    for place, trace in enumerate(seen(chart)):
        [line] = [line for line in head.split("\n") if line.startswith(f"# trace {place}: ")]
        if shape := (trace.get("line") or {}).get("shape"):
            assert f'"shape": "{shape}"' in line
        if trace["type"] in GRIDS and trace.get("texttemplate"):
            cells = table[table["trace"] == str(place)]
            assert cells["row"].all()
            assert cells["column"].all()


def test_a_notebook_runs_beside_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = CHARTS[0]
    chart = with_view(read_figure_data(data_path(entry))["data"]["figure"], {})
    for name in ("csv", "ipynb"):
        (tmp_path / f"{entry.figure}.{name}").write_bytes(FORMATS[name].write(Figure(recorded_spec(entry), chart=chart)) or b"")
    book = json.loads((tmp_path / f"{entry.figure}.ipynb").read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ipykernel", "-f", "kernel.json"])
    matplotlib.use("agg")
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec(cell["source"], {})
    assert (tmp_path / f"{entry.figure}-redrawn.pdf").exists()


def test_the_lines_of_the_docs_read_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writers = (Path(__file__).parents[2] / "docs" / "writers.md").read_text(encoding="utf-8")
    [lines] = [block.partition("```")[0] for block in writers.split("```python\n")[1:] if "read_csv" in block.partition("```")[0]]
    chart = with_view(read_figure_data(data_path(CHARTS[0]))["data"]["figure"], {})
    (tmp_path / "figure.csv").write_bytes(FORMATS["csv"].write(Figure(recorded_spec(CHARTS[0]), chart=chart)) or b"")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(lines, names)
    assert len(names["table"]) > 0
