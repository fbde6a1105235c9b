"""The components as a page's script sees them: their data, and their reports."""

import json
from types import SimpleNamespace

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import live as live_module
from dml_viz.app.component_loader import loader_script
from dml_viz.app.figure import figure
from dml_viz.app.live import live
from dml_viz.assets import ASSETS, component_file
from dml_viz.data.wire import unpack
from dml_viz.engine.recordings import RECORDED
from dml_viz.serve.files import address, version
from dml_viz.training.race import Race
from tests.shown import given, opened


def _figures() -> None:
    import plotly.graph_objects as go
    import streamlit as st

    from dml_viz.app.figure import figure

    def choose(point: int) -> None:
        st.session_state["chosen"] = point

    fig = go.Figure(go.Scatter(x=[1, 2], y=[3, 4]), {"height": 240})
    figure(fig, key="page.fig", alt="Two points, at 3 and at 4.", theme="dark", on_click=choose)
    figure(fig, key="page.still", alt="The same.", theme="light", height=300)


def test_a_figure_carries_its_words_its_height_and_its_own_template() -> None:
    first, second = given(AppTest.from_function(_figures).run())
    assert (first["alt"], first["height"], first["clickable"]) == ("Two points, at 3 and at 4.", 240, True)
    assert (second["alt"], second["height"], second["clickable"]) == ("The same.", 300, False)
    assert json.loads(first["figure"])["data"][0]["y"] == [3, 4]


def _live() -> None:
    import streamlit as st

    from dml_viz.app.live import live
    from dml_viz.app.url_state import visiting

    with visiting():
        shown = live(st.session_state["job"], key="run", step=30, query=7)
        st.session_state["shown"] = (shown.step, shown.query, shown.status)
        live(recorded="start", key="start", layout="start")


def _of_job(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """A page with the live picture of a job, and a recorded one."""
    monkeypatch.setattr(live_module, "subject_message", lambda job: b"subject")
    monkeypatch.setattr(live_module, "fed_message", lambda job, url, step, points: b"frame")
    app = AppTest.from_function(_live)
    app.session_state["job"] = SimpleNamespace(id="abc", status="running", subject=(), watch=lambda: None)
    return app


def test_a_live_picture_gets_the_address_of_its_run_and_the_state_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    streamed, recorded = given(_of_job(monkeypatch).run())
    assert (streamed["mode"], streamed["url"], streamed["layout"]) == ("live", "/live/abc", "train")
    assert (streamed["step"], streamed["query"], streamed["status"]) == (30, 7, "running")
    assert (recorded["mode"], recorded["url"], recorded["layout"]) == ("recorded", f"/{address('recorded/start.bin')}", "start")


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_picture_says_how_it_was_recorded(name: str) -> None:
    body = (ASSETS / "recorded" / f"{name}.bin").read_bytes()
    header, _ = unpack(body[4 : 4 + int.from_bytes(body[:4], "little")])
    trained = RECORDED[name]
    run = trained.run if isinstance(trained, Race) else trained
    assert (header["budget"], header["dim"], header["protocol"]) == (run.steps, run.dim, run.protocol)
    if isinstance(trained, Race):
        assert [racer["title"] for racer in header["members"]] == [racer.title for racer in trained.racers]
        assert header["seeds"] == trained.seeds
    else:
        assert header["title"] == f"{type(run.loss).title} on {type(run.dataset).title}"


@pytest.mark.parametrize(
    ("page", "key", "link", "picked"),
    [
        ("10_start.py", "start", "./?query=5&start.view=seen", 5),
        ("80_train.py", "train", "train?query=5&train.view=seen&v=2", 5),
        ("82_race.py", "race", "race?race.point=5&race.view=seen&v=2", None),
    ],
)
def test_the_spec_of_a_recorded_picture_is_that_of_the_settings(page: str, key: str, link: str, picked: int | None) -> None:
    app = opened(page, {f"{key}.view": "seen", "v": "2"} if "v=" in link else {f"{key}.view": "seen"})
    app.run()
    app.session_state[key] = {"query": {"value": 5, "at": 1}}
    (shown,) = [one for one in given(app.run()) if one.get("mode") == "recorded"]
    plain = shown["recipe"]
    assert (shown["query"], shown["view"]) == (5, "seen")
    assert plain["run"]["steps"] == plain["step"]
    assert (plain["link"], plain["query"]) == (link, picked)
    assert plain["caption"].startswith("Recorded. ")
    assert plain["loss"][0]["title"] in plain["caption"]


@pytest.mark.parametrize(("run", "shown"), [({}, (30, 7)), ({"step": None}, (None, 7)), ({"step": 120, "query": 3}, (120, 3))])
def test_the_state_of_the_browser_counts_more_than_that_of_the_page(
    monkeypatch: pytest.MonkeyPatch, run: dict[str, int | None], shown: tuple[int | None, int | None]
) -> None:
    app = _of_job(monkeypatch).run()
    app.session_state["run"] = {name: {"value": value, "at": 1} for name, value in run.items()}
    app.run()
    assert app.session_state["shown"][:2] == shown
    app.session_state["frame.path"] = "another page"  # the visitor comes back by a link
    app.query_params["step"] = "30"
    app.run()
    assert app.session_state["shown"][:2] == (30, 7)
    app.session_state["run"] = {"query": {"value": 3, "at": 2}}
    app.run()
    assert app.session_state["shown"][:2] == (30, 3)
    app.session_state["run"] = {"query": 3, "step": -1}  # of a tab that was open before an upgrade
    app.run()
    assert app.session_state["shown"][:2] == (30, 7)


def test_without_a_stream_the_messages_come_with_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    app = _of_job(monkeypatch)
    app.session_state["run.fed"] = "/live/abc"
    fed = given(app.run())[0]
    assert (fed["mode"], fed["subject"]) == ("bytes", "c3ViamVjdA==")
    assert b"frame" in app.get("bidi_component")[1].proto.bytes


def test_a_figure_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="'empty' needs alt text"):
        figure(go.Figure(), key="empty", alt=" ", theme="light")


def test_a_picture_of_no_run_or_of_an_unknown_layout_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of train, start, embedding, race"):
        live(recorded="start", key="run", layout="grid")
    with pytest.raises(ValueError, match="either a job or a recorded run"):
        live(key="run")


def test_the_loader_names_a_module_that_is_there_and_changes_with_the_assets() -> None:
    for name in ("live", "feed", "figure"):
        assert (ASSETS / f"src/components/{name}.js").is_file()
        assert f"live-assets/{version()}/{component_file(name)}" in loader_script(name)
