"""Several figures as the panels of one: the tray in a link, and the command line with links and files."""

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.explain.compose.page import Panel, title_and_caption
from dml_viz.export.command import main
from dml_viz.export.command_host import CommandHost
from dml_viz.export.compose import composed_picture, spec_of_link
from dml_viz.export.picture import room_of
from dml_viz.figure_files.formats import read_spec
from dml_viz.figure_files.spec import RECORDED, Spec
from dml_viz.room.ask import KEY as VERSION
from dml_viz.room.ask import as_link
from dml_viz.room.component_data import PictureRequest
from dml_viz.room.short_link import compress
from dml_viz.room.tray import KEY, MOST, STYLE, Tray, captioned, composition
from tests.samples import for_each

LINKS = ("fastap?fastap.bins=20#fastap-pipeline", "http://here:8501/base/angular#angular")
PANEL = {"figure": "fastap-pipeline", "page": "fastap", "link": "fastap"}
WHOLE: dict[str, Any] = {"panels": [PANEL], "columns": 2, "letters": "(a)", "options": None}


def test_a_tray_in_a_link_is_the_tray_that_the_browser_wrote() -> None:
    written = {**WHOLE, "panels": [{**PANEL, "view": {"xaxis.range": [0, 1.5e-07]}, "run": None, "size": {"width": 413}}]}
    read = Tray.opened(Tray.read(written).text)
    assert json.dumps(read.write()) == json.dumps(written)
    assert read.specs[0].view == {"xaxis.range": [0, 1.5e-07]}
    assert Tray.opened("") == Tray()


@for_each(
    ("value", "says"),
    [
        ([], "not panels"),
        ({**WHOLE, "columns": 9}, "9 columns"),
        ({**WHOLE, "panels": [PANEL] * (MOST + 1)}, f"at most {MOST}"),
        ({**WHOLE, "panels": [{**PANEL, "figure": "../x"}]}, "letters, digits"),
        ({**WHOLE, "panels": ["x"]}, "each as a recipe"),
        ({**WHOLE, "options": {"width": -1}}, "width = -1"),
    ],
)
def test_an_invalid_tray_is_refused_with_its_reason(value: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Tray.opened(compress({KEY: json.dumps(value)}))


def test_a_tray_that_is_not_taken_over_says_why() -> None:
    def script() -> None:
        import streamlit as st

        from dml_viz.app import tab
        from dml_viz.explain.compose.page import take_over_report

        take_over_report(st.session_state["report"])
        st.text(tab.COMPOSE_FAULT.get())

    app = AppTest.from_function(script)
    for options, says in (({"width": 60, "height": 60}, "at most 1600 square inches"), (None, "")):
        app.session_state["report"] = {"tray": {**WHOLE, "options": options}, "known": []}
        assert says in app.run().text[0].value
    assert not app.text[0].value


def test_figures_of_links_become_panels_with_one_caption() -> None:
    whole = composition([spec_of_link(link) for link in LINKS], 2)
    assert whole.write_up == STYLE.write()
    with ExitStack() as stack:
        made = composed_picture(whole, CommandHost(stack))
    assert [panel["figure"] for panel in made.data["panels"]] == ["fastap-pipeline", "angular"]
    assert "(a) FastAP: FastAP (bins = 20)" in made.spec.caption
    assert "(b) Angular" in made.spec.caption


def test_a_bare_link_is_as_its_page_opens() -> None:
    (opening,) = room_of("ranked_list").opens.items()
    for link, shown in (("ranked_list", opening), ("ranked_list?ranked_list.dim=2", ("ranked_list.dim", "2"))):
        assert spec_of_link(f"{link}#ranked_list").link_settings == as_link(dict([shown]))
    # Written into a file, a link without a version would be one of before.
    for link, version in (("race", "2"), ("race?v=1", "1"), ("train", "2")):
        assert spec_of_link(f"{link}#x").link_settings == {VERSION: version}


def test_a_panel_of_a_recorded_run_is_captioned_with_the_step_that_it_shows() -> None:
    recorded = Spec("start-embedding", "start", "", run={RECORDED: True}, step=100)
    with ExitStack() as stack:
        made = composed_picture(composition([recorded], 1), CommandHost(stack))
    assert "step 100" in made.spec.caption
    assert made.data["panels"][0]["data"]["step"] == 100


@for_each(
    ("letters", "caption"),
    [("(a)", "(a) One. (b) Two."), ("a", "a: One. b: Two."), ("A", "A: One. B: Two."), ("none", "Panel 1: One. Panel 2: Two.")],
)
def test_a_caption_names_panels_as_the_picture_does(letters: str, caption: str) -> None:
    assert captioned(["One.", "Two."], letters) == caption


def test_title_and_caption_leave_out_a_figure_that_cannot_be_made() -> None:
    request: PictureRequest = {"module": "figure", "data": {}, "figure": "x", "width": 400}
    panels: list[Panel] = [({"fault": "No."}, ""), (request, "One."), (request, "Two.")]
    assert title_and_caption(panels, "(a)") == {"title": "2 figures", "caption": "(a) One. (b) Two."}
    assert title_and_caption(panels[:2], "none") == {"title": "1 figure", "caption": "Panel 1: One."}


def test_a_panel_that_cannot_be_made_is_named() -> None:
    unknown = spec_of_link("fastap#nothing")
    own = spec_of_link("fastap?subject=your+file&file=0123456789ab#fastap-pipeline")
    with ExitStack() as stack:
        for specs, says in (([unknown], "figure 1 of the tray, nothing: "), ([own], "with fingerprint 0123")):
            with pytest.raises(ValueError, match=says):
                composed_picture(composition(specs, 1), CommandHost(stack))


def test_the_data_and_programs_of_a_composed_figure_are_those_of_its_panels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    links = [LINKS[0], "fastap?fastap.bins=25#fastap-pipeline"]
    call = [*links, "--compose", "1", "-o", str(tmp_path), "--format", "py"]
    assert main(call) == 0
    folder = tmp_path / "composed-panels"
    names = ["a-fastap-pipeline", "b-fastap-pipeline"]
    assert sorted(path.name for path in folder.iterdir()) == [f"{own}.{form}" for own in names for form in ("csv", "py")]
    assert read_spec(folder / "b-fastap-pipeline.csv").link_settings == {"fastap.bins": "25"}
    assert '"b-fastap-pipeline.csv"' in (folder / "b-fastap-pipeline.py").read_text(encoding="utf-8")
    assert main([*call, "--force"]) == 0
    capsys.readouterr()
    assert main([LINKS[0], "angular#angular", "--compose", "1", "-o", str(tmp_path / "none"), "--format", "py,csv"]) == 1
    assert "no script draws angular again" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_the_command_composes_files_and_links_into_one_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.json"
    source.write_text(json.dumps(replace(Spec("angular", "angular", "angular"), step=None).write()))
    call = [str(source), LINKS[0], "--compose", "1", "--size", "80x60", "-o", str(tmp_path), "--format", "json"]
    assert main(call) == 0
    read = read_spec(tmp_path / "composed.json")
    assert [spec.figure for spec in Tray.opened(read.link_settings[KEY]).specs] == ["angular", "fastap-pipeline"]
    assert read.write_up is not None
    assert read.write_up["width"] == pytest.approx(80 / 25.4)
    assert main(["fastap#", "-o", str(tmp_path)]) == 1
    assert "a link names its figure behind #" in capsys.readouterr().err
