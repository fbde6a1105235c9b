"""Recipes, the files that carry them, and figures made again on the command line."""

import base64
import json
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dml_viz import explain
from dml_viz.data import own_images
from dml_viz.data.datasets.own import EVERYBODY
from dml_viz.data.files import OwnEmbeddings, files_at, read
from dml_viz.data.wire import unpack
from dml_viz.engine import start
from dml_viz.engine.recordings import RACE, RACE_OVER_SEEDS
from dml_viz.export import picture
from dml_viz.export.command import main
from dml_viz.export.command_host import CommandHost
from dml_viz.export.picture import browser_picture
from dml_viz.figure_files.chart import with_view
from dml_viz.figure_files.formats import FORMATS, Figure, menu, read_spec
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import Spec, declared_part, declared_race, linked
from dml_viz.losses import LOSSES
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.room.fingerprint import LENGTH
from dml_viz.room.source import Live, ViewSettings
from dml_viz.serve.figure_store import store
from tests import shown
from tests.samples import for_each
from tests.tables import alike, rows

PAGES = Path(__file__).parents[2] / "pages"
SPEC = Spec("fastap-pipeline", "fastap", "fastap?fastap.bins=20", title="<b> & </script>", caption="a\nb", query=3)
QUICK = {"data": "digits", "net": "mlp", "run.steps": "100"}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are trained in a thread of this process: that workers train them alike is claimed of the engine."""
    in_thread = partial(start, lambda: ThreadPoolExecutor(1))
    monkeypatch.setattr("dml_viz.export.command_host.start", in_thread)


def given(page: str, **link: str) -> dict[str, dict[str, Any]]:
    """The data of a page's figures by their keys."""
    app = AppTest.from_file(PAGES / page, default_timeout=300)
    for key, value in link.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return {data["recipe"]["figure"]: data for data in shown.given(app) if "recipe" in data}


def test_a_recipe_is_read_as_it_was_written() -> None:
    assert Spec.read(json.dumps(SPEC.write())) == SPEC
    assert SPEC.link_settings == {"fastap.bins": "20"}


NESTED = {
    '"figure": "../a"': "figure is '../a'",
    '"figure": "start-x/../../escaped"': "letters, digits",
    '"figure": ""': "figure is ''",
    '"figure": "a", "changes": [1]': "changes hold 1",
    '"figure": "a", "changes": [["1", 2]]': "changes hold",
    '"figure": "a", "size": {"width": [1]}': r"width = \[1\]",
    '"figure": "a", "size": {"height": NaN}': "height = nan",
    '"figure": "a", "view": {"off": 5}': "off = 5",
    '"figure": "a", "view": {"title.range": [1, 2]}': "title.range",
}


@for_each(
    ("text", "reason"),
    [
        ("{", "cut short or was changed by hand; save"),
        ("[]", "no recipe"),
        ('{"figure": "a"}', "no recipe"),
        ('{"dml_viz_recipe": 9}', "version 9"),
        ('{"dml_viz_recipe": 1, "page": "fastap"}', "figure and its link"),
        ('{"dml_viz_recipe": 1, "figure": "a", "page": "b", "link": "c", "step": "x"}', "step is 'x'"),
        ('{"dml_viz_recipe": 1, "figure": "a", "page": "b", "link": "c", "step": true}', "step is True"),
        (f'{{"dml_viz_recipe": 1, "title": "{"a" * 1_000_001}"}}', "at most 1,000,000 characters"),
        *((f'{{"dml_viz_recipe": 1, "page": "b", "link": "c", {rest}}}', reason) for rest, reason in NESTED.items()),
    ],
)
def test_an_invalid_recipe_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Spec.read(text)


def chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


def drawn() -> dict[str, bytes]:
    """One small file of each kind that a browser makes, with `SPEC` in it."""
    text = json.dumps(SPEC.write())
    marked = text.replace("&", "&amp;").replace("<", "&lt;")
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + chunk(b"iTXt", b"dml-viz recipe\0\0\0\0\0" + text.encode())
    return {
        "png": png,
        "svg": f'<svg><dml:recipe xmlns:dml="x">{marked}</dml:recipe></svg>'.encode(),
        "pdf": f"%PDF\n<dml:recipe>{marked}</dml:recipe>".encode(),
        **{name: b"\0film\xecdml-viz recipe: " + text.encode() + b"\n" for name in ("webm", "mp4", "gif")},
    }


def table_of(chart: dict[str, Any], spec: Spec = SPEC) -> str:
    """The CSV of a chart."""
    body = FORMATS["csv"].write(Figure(spec, caption="said", chart=chart))
    assert body is not None
    return body.decode()


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_its_spec_back(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure.{name}"
    body = FORMATS[name].write(Figure(SPEC, "words", "said", {"data": [], "layout": {}}))
    path.write_bytes(drawn()[name] if body is None else body)
    assert read_spec(path) == SPEC


def test_the_menu_offers_every_format_with_a_label() -> None:
    assert [form["name"] for form in menu()] == [name for name in FORMATS if FORMATS[name].label]
    assert [form["name"] for form in menu()][:5] == ["svg", "pdf", "png", "html", "csv"]
    assert all(form["note"] and form["type"] and form["writer"] for form in menu())


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("a.svg", b"<svg/>", "carries no recipe"),
        ("a.png", b"nothing", "carries no recipe"),
        ("a.csv", b"x,y\n1,2", "carries no recipe"),
        ("a.json", b'{"lr": 0.1}', "carries no recipe; choose one that dml-viz has saved"),
        ("empty.json", b"", "the file is empty; choose"),
        ("empty.png", b"", "the file is empty; choose"),
        ("opened.svg", b"<dml:recipe" * 400_000, "carries no recipe"),
        ("opened.html", b'<script type="application/json" id="dml-viz-recipe">' * 100_000, "carries no recipe"),
        ("a.txt", b"", "carry no recipe; choose"),
        ("missing.svg", None, "no such file"),
    ],
)
def test_a_file_without_a_recipe_says_so(name: str, body: bytes | None, reason: str, tmp_path: Path) -> None:
    if body is not None:
        (tmp_path / name).write_bytes(body)
    with pytest.raises(ValueError, match=reason):
        read_spec(tmp_path / name)


def test_every_figure_of_a_page_has_a_recipe_that_leads_back_to_it() -> None:
    figures = given("64_fastap.py", **{"fastap.bins": "20", "fastap.query": "3"})
    assert len(figures) >= 6
    for key, data in figures.items():
        recipe = Spec.read(json.dumps(data["recipe"]))
        assert (recipe.figure, recipe.page, recipe.query) == (key, "fastap", 3)
        assert recipe.link_settings == {"fastap.bins": "20", "fastap.query": "3"}
        assert recipe.loss == ({"name": "fastap", "title": "FastAP", "knobs": {"bins": 20}},)
        assert recipe.title
        assert "bins = 20" in recipe.caption
    assert figures["fastap-pipeline"]["recipe"]["title"].startswith("A ranking becomes histograms")


def test_the_recipe_of_a_changed_scene_has_its_new_places() -> None:
    moved = {"ranked_list.at": "a80_98_104b200_216_225", "ranked_list.query": "2"}
    recipe = given("40_ranked_list.py", **moved)["ranked_list"]["recipe"]
    assert Spec.read(json.dumps(recipe)).link_settings == moved
    assert recipe["settings"]["ranked_list.at"] == moved["ranked_list.at"]


def test_a_link_holds_any_text() -> None:
    odd = {"a": "1 & 2 = ?#", "b": "é"}
    assert replace(SPEC, link=linked("fastap", odd)).link_settings == odd
    assert linked("", {}) == "./"


def test_the_zoom_of_a_recipe_is_put_into_its_figure() -> None:
    figure = json.dumps({"data": [{"x": [1]}, {"x": [2]}], "layout": {"xaxis": {"title": "d"}}})
    drawn = with_view(figure, {"xaxis.range": [0.5, 2], "off": [1, 7, "x"]})
    assert drawn["layout"]["xaxis"] == {"title": "d", "range": [0.5, 2], "autorange": False}
    assert [trace.get("visible") for trace in drawn["data"]] == [None, "legendonly"]


def test_a_table_has_a_row_for_each_point_that_is_seen() -> None:
    packed = {"dtype": "f8", "bdata": base64.b64encode(np.array([0.1, np.nan]).tobytes()).decode()}
    traces = [
        {"name": "a, <b>b</b>", "x": packed, "y": [1, None], "text": ["u<br>v", "w"]},
        {"name": "off", "x": [9], "visible": "legendonly"},
        {"type": "heatmap", "name": "map", "x": ["p", "q"], "z": [[1, 2], [3, 4.5]]},
    ]
    table = rows(table_of({"data": traces, "layout": {}}))
    assert table == [
        ["trace", "name", "point", "x", "y", "z", "text"],
        ["0", "a, b", "0", "0.1", "1", "", "u; v"],
        ["0", "a, b", "1", "", "", "", "w"],
        ["1", "map", "0", "p", "0", "1", ""],
        ["1", "map", "1", "q", "0", "2", ""],
        ["1", "map", "2", "p", "1", "3", ""],
        ["1", "map", "3", "q", "1", "4.5", ""],
    ]


def test_the_command_makes_a_folder_of_recipes_and_continues_after_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = given("64_fastap.py", **{"fastap.bins": "20"})
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for key in ("fastap-pipeline", "fastap-batch"):
        (source / f"{key}.json").write_text(json.dumps(figures[key]["recipe"]))
    wrong = {
        "nowhere.json": replace(SPEC, page="nowhere"),
        "nothing.json": replace(SPEC, figure="fastap-nothing"),
        "off.json": replace(SPEC, link="fastap?fastap.bins=-1"),
        "turned.json": replace(SPEC, changes=((40, "lr 0.1"),)),
    }
    for name, recipe in wrong.items():
        (source / name).write_text(json.dumps(recipe.write()))
    (source / "broken.svg").write_text("<svg/>")
    assert main([str(source), "-o", str(target), "--format", "csv,html"]) == 1
    printed = capsys.readouterr()
    assert sorted(path.name for path in target.iterdir()) == sorted(
        f"{key}.{form}" for key in ("fastap-pipeline", "fastap-batch") for form in ("csv", "html")
    )
    reasons = {
        "nowhere.json": "no page 'nowhere'",
        "nothing.json": "no figure 'fastap-nothing'",
        "off.json": "bins",
        "turned.json": "at step 40: lr 0.1",
        "broken.svg": "carries no recipe; it is left out",
    }
    for name, reason in reasons.items():
        (line,) = (line for line in printed.err.splitlines() if line.startswith(str(source / name)))
        assert reason in line
    assert "4 of 6 could not be made" in printed.err
    again = read_spec(target / "fastap-pipeline.csv")
    assert again.link_settings == {"fastap.bins": "20"}
    data = figures["fastap-pipeline"]
    text = store().text(*data["source"].split("/")[1:]) or ""
    alike((target / "fastap-pipeline.csv").read_text(), table_of(json.loads(text), again))


@pytest.mark.usefixtures("here")
def test_a_step_of_a_run_is_trained_again_for_its_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)  # progress is for a terminal
    link = linked("fastap", {**QUICK, "subject": "live run", "step": "8"})
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    spec = replace(SPEC, link=link, run={"seed": 0}, step=8).write()
    for name in ("one", "two"):
        (source / f"{name}.json").write_text(json.dumps(spec))
    assert main([str(source), "-o", str(target), "--format", "csv"]) == 0
    assert "step 8 of 8" in capsys.readouterr().err
    alike(*((target / f"fastap-pipeline{more}.csv").read_text() for more in ("", "-2")))
    made = read_spec(target / "fastap-pipeline.csv")
    assert made.run
    assert (made.step, made.run["dataset"]["name"], made.run["steps"]) == (8, "digits", 100)


@pytest.mark.usefixtures("here")
def test_a_race_is_trained_again_to_its_step() -> None:
    text = "triplet.margin:0.5~proxy_anchor"
    link = linked("race", {**QUICK, "racers": text, "race.seeds": "2", "race.step": "4"})
    recipe = Spec("race-race-field", "race", link, run={"racers": [], "seeds": 2}, step=4)
    with ExitStack() as stack:
        host = CommandHost(stack)
        once, again, further = (browser_picture(replace(recipe, last_step=last), host) for last in (None, 4, 7))
    assert newest(further.data["url"])[0]["step"] == further.spec.last_step == 7
    assert further.data["step"] == 4
    made = once.spec.write()
    assert (made["step"], made["link"], made["run"]["seeds"]) == (4, link, 2)
    assert [racer["loss"]["knobs"].get("margin") for racer in made["run"]["racers"]] == [0.5, None]
    assert [loss["title"] for loss in made["loss"]] == ["Triplet", "Proxy-Anchor"]
    assert "seeds 0 to 1, step 4" in made["caption"]
    (first, shown), (second, too) = (newest(each.data["url"]) for each in (once, again))
    assert first["step"] == second["step"] == 4
    for name in ("0.view", "1.view", "rows"):
        np.testing.assert_array_equal(shown[name], too[name])


@pytest.mark.parametrize(
    ("figure", "titles"),
    [
        ("pairs-planes", ["Circle", MarginSoftmax.title, "Multi-Similarity", "Triplet"]),
        ("pairs", ["NT-Xent"]),
        ("proxies", ["Proxy-NCA"]),
        ("proxies-twin", ["Proxy-Anchor"]),
        ("proxies-cousin", [MarginSoftmax.title]),
    ],
)
def test_a_caption_names_the_losses_of_its_figure(figure: str, titles: list[str]) -> None:
    page = figure.partition("-")[0]
    link = linked(page, {"pairs.loss": "nt_xent"} if page == "pairs" else {})
    with ExitStack() as stack:
        made = browser_picture(Spec(figure, page, link), CommandHost(stack)).spec
    assert [loss["title"] for loss in made.loss] == titles


@pytest.mark.parametrize(
    ("page", "settings", "words"),
    [
        ("fastap", {"fastap.kind": "hard"}, "hard bins"),
        ("fastap", {"fastap.kind": "half"}, "bins that end at squared distance 2"),
        ("proxies", {"proxies.wrong_sign": "True", "proxies.truncated": "True"}, "sign error; proxies for 0.51 C classes"),
    ],
)
def test_a_caption_says_what_is_otherwise_than_in_the_losses(page: str, settings: dict[str, str], words: str) -> None:
    figure = {"fastap": "fastap-pipeline", "proxies": "proxies-pull"}[page]
    with ExitStack() as stack:
        host = CommandHost(stack)
        plain, varied = (browser_picture(Spec(figure, page, linked(page, link)), host) for link in ({}, settings))
    assert words in varied.spec.caption
    assert words not in plain.spec.caption


def newest(url: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The last message of a recording."""
    body, last = base64.b64decode(url.partition(",")[2]), b""
    while body:
        size = 4 + int.from_bytes(body[:4], "little")
        last, body = body[4:size], body[size:]
    return unpack(last)


def test_the_boards_describe_all_their_losses_and_carry_their_recipe() -> None:
    app = AppTest.from_file(PAGES / "68_gradients.py", default_timeout=300)
    app.query_params["gradients.losses"] = "triplet.circle"
    app.query_params["loss.triplet.margin"] = "0.5"
    app.run()
    messages = [unpack(each.proto.bytes)[0] for each in app.get("bidi_component") if each.proto.bytes]
    recipes = {header["recipe"]["figure"]: Spec.read(json.dumps(header["recipe"])) for header in messages}
    assert set(recipes) == {"gradients-panels", "gradients-flow"}
    for recipe in recipes.values():
        assert recipe.loss[0]["knobs"]["margin"] == 0.5
        assert [loss["name"] for loss in recipe.loss] == ["triplet", "circle"]
        assert recipe.link_settings == {"gradients.losses": "triplet.circle", "loss.triplet.margin": "0.5"}


def test_the_triplet_loss_beside_the_angular_one_is_noted_with_its_drawn_knobs() -> None:
    triplet = given("50_angular.py")["angular"]["recipe"]["loss"][1]
    assert (triplet["name"], triplet["knobs"]["mining"]) == ("triplet", "all")


@pytest.mark.parametrize(
    ("arguments", "reason"), [(["--format", "eps"], "eps is not known"), (["--format", "svg"], "no file that carries")]
)
def test_wrong_arguments_are_refused(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "-o", str(tmp_path), *arguments]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("link", ["fastap?fastap.bins=20", "fastap", "http://here:8501/"])
def test_a_link_without_a_figure_is_told_how_a_link_names_one(
    link: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([link, "-o", str(tmp_path / "out")]) == 1
    assert "a link names its figure behind #, such as" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--size", "80x"], "80x is no size; choose one, two"),
        (["--size", "4x2x1in"], "4x2x1in is no size"),
        (["--size", "1500x1500"], "choose at most 1600 square inches"),
        (["--size", "5"], "choose 0.5 to 60 inches"),
        (["--pixels", "1281x720"], "two even numbers from 160 to 3840"),
        (["--seconds", "0"], "choose 1 to 60 seconds"),
    ],
)
def test_a_size_or_length_that_cannot_be_made_is_refused_in_a_sentence(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["a.svg", *arguments])
    assert reason in capsys.readouterr().err


@for_each(
    "options",
    [
        {"palette": "pink"},
        {"points": float("nan")},
        {"width": 1e9},
        {"width": "3"},
        {"script": "x"},
        {"line": 0},
        {"points": None},
        {"line": [1]},
        {"points": 1},
        {"width": 60, "height": 60},
    ],
)
def test_export_options_out_of_their_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="ExportOptions"):
        ExportOptions.of(options)


def test_every_loss_can_be_declared_in_json() -> None:
    for name, kind in LOSSES.items():
        declaration = json.loads(json.dumps(declared_part(kind())))
        assert declaration["name"] == name
        assert kind(**declaration["knobs"]) == kind()


@pytest.mark.parametrize("page", ["10_start.py", "82_race.py"])
def test_a_recorded_picture_is_made_again_at_its_step_without_training(page: str) -> None:
    (data,) = (data for data in given(page).values() if data.get("mode") == "recorded")
    recipe = replace(Spec.read(json.dumps(data["recipe"])), step=12)
    with ExitStack() as stack:
        made = browser_picture(recipe, CommandHost(stack, progress=lambda *_: pytest.fail("a recording is not trained again")))
    assert (made.data["mode"], made.data["step"]) == ("recorded", 12)


def test_a_recorded_race_of_a_file_without_a_version_is_made_again_as_it_was() -> None:
    old = Spec("race-race-map", "race", "race", run={"recorded": True}, step=12)
    with ExitStack() as stack:
        made = browser_picture(old, CommandHost(stack, progress=lambda *_: pytest.fail("a recording is not trained again")))
    assert made.spec.run == {**declared_race(RACE_OVER_SEEDS), "recorded": True}


def test_a_recorded_run_is_made_again_with_its_query_and_view_and_in_its_map() -> None:
    bare = Spec("train-strip", "train", "train", run={"recorded": True}, step=12)
    seen = replace(bare, link="train?query=5&train.view=seen&v=2")
    for spec, expected in ((bare, ("map", None, None)), (seen, ("map", 5, "seen"))):
        with ExitStack() as stack:
            made = browser_picture(spec, CommandHost(stack))
        assert tuple(made.data[name] for name in ("picture", "query", "view")) == expected
        assert made.spec.link == spec.link


def test_a_figure_beside_a_live_picture_is_made_again_whatever_the_picture_shows() -> None:
    seen = {"together.step": "3", "together.point": "4", "together.view": "seen"}
    with ExitStack() as stack:
        made = browser_picture(Spec("beyond-effect", "beyond_one_loss", linked("beyond_one_loss", seen)), CommandHost(stack))
    assert made.module == "figure"


def test_a_recording_is_played_only_for_a_link_with_its_settings() -> None:
    link = Spec("race-race-map", "race", "race")
    live = Live("race", "", RACE, ViewSettings.of_race("race"))
    assert picture.recording_played_by(link, live) == "race"
    assert not picture.recording_played_by(link, replace(live, trained=replace(RACE, seeds=RACE.seeds + 1)))


def test_figures_are_made_again_without_streamlit() -> None:
    rooms = [info.name for info in iter_modules(explain.__path__)]
    program = f"""
import sys
from importlib import import_module
import dml_viz.export.command, dml_viz.export.gallery
for room in {rooms}:
    import_module(f"dml_viz.explain.{{room}}")
sys.exit("streamlit" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=PAGES.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_figure_of_own_data_asks_for_the_file_and_is_made_with_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "mine.npz", z=rng.random((24, 3)), y=np.arange(24) % 6, images=rng.random((24, 8, 8)))
    found = read(files_at(tmp_path / "mine.npz"))
    assert isinstance(found, OwnEmbeddings)
    assert found.trainable
    links = {
        "own-scores": {"file": found.fingerprint[:12]},
        "own-never_seen": {"own.file": found.trainable.short_fingerprint, "file": found.fingerprint[:12]},
    }
    for figure, link in links.items():
        recipe = Spec(figure, "your_data", linked("your_data", link))
        with ExitStack() as stack, pytest.raises(ValueError, match="--data FILE"):
            browser_picture(recipe, CommandHost(stack))
        with ExitStack() as stack:
            made = browser_picture(recipe, CommandHost(stack, data=[tmp_path / "mine.npz"]))
        assert json.loads(made.data["figure"])["data"]
    own_images.release_images(EVERYBODY)


def test_a_link_is_drawn_of_the_file_that_is_named_and_a_file_that_no_figure_shows_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "mine.npz", z=np.random.default_rng(0).random((24, 3)), y=np.arange(24) % 6)
    own, out = ["--data", str(tmp_path / "mine.npz"), "--format", "csv"], tmp_path / "out"
    for link in ("your_data#own-scores", "fastap#fastap-pipeline"):
        assert main([link, *own, "-o", str(out)]) == 0
    assert "mine.npz" in (out / "own-scores.csv").read_text("utf-8-sig")
    assert "mine.npz" in (out / "fastap-pipeline.csv").read_text("utf-8-sig")
    (out / "fastap-pipeline.csv").unlink()
    link = f"your_data?file={read(files_at(tmp_path / 'mine.npz')).fingerprint[:LENGTH]}#own-scores"
    assert main([link, "fastap#fastap-pipeline", "papers#papers-slopes", *own, "-o", str(out), "--force"]) == 0
    assert "mine.npz" not in (out / "fastap-pipeline.csv").read_text("utf-8-sig")  # since the other link names it
    assert main([str(out / "own-scores.csv"), *own, "-o", str(out), "--force"]) == 0
    recipe = tmp_path / "pairs.csv"
    assert main(["pairs#pairs-cost", "--format", "csv", "-o", str(tmp_path)]) == 0
    (recipe,) = tmp_path.glob("pairs-*.csv")
    assert main([str(recipe), *own, "-o", str(out)]) == 1
    assert "--data: no figure shows" in capsys.readouterr().err
