"""pandas reads data files without loss, the program beside them draws the figure again; and what the command refuses."""

import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pytest

from dml_viz.export.cli import main as dml_viz
from dml_viz.export.command import main
from dml_viz.figure_files.formats import FORMATS, Figure, read_spec
from dml_viz.figure_files.spec import Spec
from tests.tables import rows

SPEC = Spec("fastap-pipeline", "fastap", "fastap?fastap.bins=20")
CHART = {
    "data": [
        {
            "type": "scatter",
            "name": "H<sup>+</sup>",
            "x": [0.1, 1 / 3, None],
            "y": [1, 2, 3],
            "text": ["#1", 'a "b"', "c"],
            "line": {"shape": "hv", "color": "#0072B2"},
            "yaxis": "y2",
            "marker": {"size": [1, 2, 3]},
        },
        {"type": "heatmap", "name": "cosines", "x": [0, 1], "y": [0, 1], "z": [[1, -0.5], [-0.5, 1]], "zmin": -1, "zmax": 1},
    ],
    "layout": {
        "xaxis": {"title": {"text": "d²"}, "tickvals": [0, 1], "ticktext": ["<b>A</b>", "B"]},
        "yaxis": {"tickvals": [0, 1], "ticktext": ["A", "B"]},
        "yaxis2": {"title": {"text": "share (%)"}, "domain": [0.5, 1]},
    },
}


def written(folder: Path, *names: str) -> dict[str, Path]:
    """The files of `CHART` by format."""
    made = {}
    for name in names:
        body = FORMATS[name].write(Figure(SPEC, caption="said", chart=CHART))
        assert body is not None
        made[name] = folder / f"{SPEC.figure}.{name}"
        made[name].write_bytes(body)
    return made


def test_pandas_loses_nothing_of_a_table(tmp_path: Path) -> None:
    path = written(tmp_path, "csv")["csv"]
    header, *body = rows(path.read_text())
    table = pandas.read_csv(path, comment="#", keep_default_na=False, dtype=str)
    assert [*table.columns] == header
    assert table.to_numpy().tolist() == body
    assert table["text"][0] == "#1"


def test_a_table_names_its_axes_steps_and_cells(tmp_path: Path) -> None:
    text = written(tmp_path, "csv")["csv"].read_text()
    table = pandas.read_csv(tmp_path / "fastap-pipeline.csv", comment="#")
    assert "# column x: across, d²" in text
    assert "# column y: up, share (%)" in text
    assert '"shape": "hv"' in text
    assert all(f"# column {name}: " in text for name in table.columns)
    cells = table[table["name"] == "cosines"]
    assert [*zip(cells["row"], cells["column"], strict=True)] == [("A", "A"), ("A", "B"), ("B", "A"), ("B", "B")]


def test_the_program_draws_the_figure_again_from_its_table_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = written(tmp_path, "csv", "py", "ipynb")
    monkeypatch.setattr(sys, "argv", [str(files["py"]), "plotly"])
    first, second = runpy.run_path(str(files["py"]))["figure"].data
    assert (tmp_path / "fastap-pipeline-redrawn.html").exists()
    np.testing.assert_allclose(np.array(first.x, float), [0.1, 1 / 3, np.nan], rtol=0, atol=1e-12)
    assert (first.line.shape, first.yaxis, tuple(first.marker.size)) == ("hv", "y2", (1, 2, 3))
    assert [list(row) for row in second.z] == [[1, -0.5], [-0.5, 1]]
    assert (second.zmin, second.zmax) == (-1, 1)
    book = json.loads(files["ipynb"].read_text())
    assert "".join(book["cells"][1]["source"]) in files["py"].read_text()


def test_the_command_writes_over_nothing_unless_forced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "fastap-pipeline.json"
    source.write_text(json.dumps(SPEC.write()))
    before = source.read_bytes()
    assert dml_viz(["export", str(source), "-o", str(tmp_path), "--format", "json"]) == 1
    assert f"{source} is there already; --force writes over it" in capsys.readouterr().err
    assert source.read_bytes() == before
    assert main([str(source), "-o", str(tmp_path), "--format", "py"]) == 0
    assert read_spec(tmp_path / "fastap-pipeline.csv").link_settings == read_spec(tmp_path / "fastap-pipeline.py").link_settings
    assert main([str(source), "-o", str(tmp_path), "--format", "py", "--force"]) == 0


def test_of_a_folder_files_without_a_recipe_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text(json.dumps(SPEC.write()))
    (tmp_path / "sweep.csv").write_text("bins,map\n4,0.5\n")
    assert main([str(tmp_path), "-o", str(tmp_path / "made"), "--format", "json"]) == 0
    assert "sweep.csv carries no recipe; it is left out" in capsys.readouterr().err


def test_a_folder_is_not_left_empty(tmp_path: Path) -> None:
    assert main(["fastap#nothing", "-o", str(tmp_path / "made")]) == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_named_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.json"
    source.write_text(json.dumps(SPEC.write()))
    assert main([str(source), "-o", str(source / "below")]) == 2
    assert f"-o: the folder {source / 'below'} cannot be written to" in capsys.readouterr().err


def test_other_versions_are_reported_and_noted_in_the_caption(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "old.json"
    source.write_text(json.dumps(replace(SPEC, versions={"torch": "1.0"}).write()))
    assert main([str(source), "-o", str(tmp_path), "--format", "csv"]) == 0
    assert "First made with torch 1.0" in capsys.readouterr().err
    assert "First made with torch 1.0" in (tmp_path / "fastap-pipeline.csv").read_text()


def test_the_command_names_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert dml_viz(["nothing"]) == 2
    assert "export" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        dml_viz(["export", "--help"])
    assert "figure.svg -o figures" in " ".join(capsys.readouterr().out.split())
