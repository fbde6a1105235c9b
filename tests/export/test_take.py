"""Scenes, runs and lessons as files: what a link may be, what the file holds, and how large it is."""

import base64
import gzip
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from errno import EACCES
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from dml_viz.app.take_along import FRAME, SNIPPETS
from dml_viz.data.wire import messages, unpack
from dml_viz.engine.recordings import FOLDER
from dml_viz.export import take
from dml_viz.export.command_host import CommandHost
from dml_viz.export.lesson_file import LIVE, as_classic_script, javascript_of_pages, packed_run, styles_of
from dml_viz.export.lesson_stations import LessonResources
from dml_viz.export.take import lesson_file_of_link, main
from dml_viz.export.taken_along import taken_along
from dml_viz.figure_files.formats import read_spec
from tests.hostile import TEX, WORDS
from tests.samples import sample

VIEWS = ("./?start.view=3", "train?train.view=set~images&v=2", "race?race.view=seen&v=2")
SCENE, LESSON = 400_000, 1_500_000  # bytes, at most
FIGURES, OF_LESSON = 15_000, 40_000  # bytes of the figures that a Chrome draws, which are left out here
SCRIPT = re.compile(r"<script[^>]*>(.*?)</script>", re.DOTALL)


@pytest.fixture(scope="module")
def host() -> Iterator[CommandHost]:
    with ExitStack() as stack:
        yield CommandHost(stack)


def data_of(body: bytes) -> dict[str, Any]:
    """The data in a file."""
    return dict(json.loads(SCRIPT.findall(body.decode())[1]))


@pytest.mark.parametrize("page", sample(LIVE, 3))
def test_a_scene_is_one_small_file_whose_recipe_opens_it_again(page: str, host: CommandHost, tmp_path: Path) -> None:
    link = f"{page}?{page}.dim=3"
    body = lesson_file_of_link(link, host, LessonResources())
    assert len(body) + FIGURES < SCENE
    path = tmp_path / "scene.html"
    path.write_bytes(body)
    assert read_spec(path).link == link
    # Data before code, so that a file that is cut short has no script that runs on half of it.
    assert body.index(b'id="dml-viz-recipe"') < body.index(b'id="dml-viz-data"') < body.index(b"<script>")
    assert not re.findall(rb'<(?:link|img|iframe|script)[^>]*(?:src|href)="', body)


def test_a_file_opens_as_its_link_does_with_the_view_of_its_run_too(host: CommandHost) -> None:
    for link, address in (("ranked_list", "ranked_list?ranked_list.query=3"), *((of_run, of_run) for of_run in VIEWS)):
        (station,) = data_of(lesson_file_of_link(link, host, LessonResources()))["stations"]
        assert station["link"] == address
        assert not station["run"] or f"view={quote(station['run']['view'])}" in station["run"]["recipe"]["link"]
    with pytest.raises(ValueError, match="view = 'sen' is no choice of points; write seen, set, images"):
        lesson_file_of_link("train?train.view=sen&v=2", host, LessonResources())


def test_a_file_sets_all_that_its_styles_have_from_streamlit_on_a_page() -> None:
    styles = styles_of(runs=True)
    assert set(re.findall(r"var\((--st-[\w-]+)", styles)) <= set(re.findall(r"(--st-[\w-]+):", styles))


def test_a_file_has_the_neighbour_maps_of_a_recording_to_the_last_digit() -> None:
    recording = (FOLDER / "start.bin").read_bytes()
    packed = gzip.decompress(base64.b64decode(packed_run(recording)))
    maps = []
    for body in (recording, packed):
        *_, last = messages(body)
        maps.append(np.rint(4096 * (unpack(last)[1]["0.map"] / 32767.5 - 1)))
    np.testing.assert_array_equal(*maps)


def test_the_first_lesson_with_its_runs_is_below_the_bar(host: CommandHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dml_viz.explain.train.page.notes", "a name of the page's module", raising=False)
    body = lesson_file_of_link("first", host, LessonResources())
    assert len(body) + OF_LESSON < LESSON
    data = data_of(body)
    assert [station["page"] for station in data["stations"] if station["run"]] == ["start", "race", "train"]
    assert "start.bin.gz" in data["files"]
    sentences = [text for station in data["stations"] for text in station["notes"].values() if isinstance(text, str)]
    assert not any(re.search("[{}]", text.replace(r"\{", "")) for text in sentences if "$" not in text), "a slot was not filled"
    (race,) = (station["notes"] for station in data["stations"] if station["page"] == "race")
    assert "another seed may turn" in race["lookFor"]
    assert all(station["notes"]["misleads"] for station in data["stations"] if station["run"])
    assert "Creative Commons" in data["licences"] or "License" in data["licences"]


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("frist", "there is no page or lesson 'frist'; choose first.2, pairs"),
        ("below/nothing.txt", "there is no file below/nothing.txt"),
        ("fastap?predict=x", "no prediction 'x'"),
        ("reference", "no scene and no run"),
        ("fastap?fastap.bins=1e9", "bins = '1e9' is not allowed"),
        ("lesson?lesson=~x", "lesson '~x' is not known"),
    ],
)
def test_links_of_nothing_end_in_one_sentence(link: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([link, "-o", str(tmp_path / "a.html")]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1, said
    assert not list(tmp_path.iterdir())


def test_a_lesson_names_the_station_that_is_no_file_and_reveals_by_its_link(host: CommandHost, tmp_path: Path) -> None:
    text = tmp_path / "lesson.txt"
    question = "ask: More?\n- yes *\n- no\nanswer: It is so.\n"
    text.write_text(f"# A\n## One\nlink: /fastap?fastap.bins=20\n{question}reveal: /fastap?fastap.bins=99\n")
    (station,) = data_of(lesson_file_of_link(str(text), host, LessonResources()))["stations"]
    assert station["scene"]["afterSettings"] == {"fastap.bins": "99"}
    text.write_text("# A\n## One\nlink: /fastap\n## Two\nlink: /papers\n")
    with pytest.raises(ValueError, match="station 2, 'Two': the page 'Papers' has no scene and no run"):
        lesson_file_of_link(str(text), host, LessonResources())


def test_a_text_that_cannot_be_read_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "lesson.txt"
    text.write_bytes(b"\xff\xfe bad")
    call = [str(text), "-o", str(tmp_path / "a.html")]
    assert main(call) == 1
    assert capsys.readouterr().err == f"{text} is not UTF-8 text; save it as UTF-8\n"

    def locked(path: Path, **_: str) -> str:
        raise PermissionError(EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", locked)
    assert main(call) == 1
    assert capsys.readouterr().err == f"{text}: Permission denied\n"


def test_a_full_disk_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(take, "lesson_file_of_link", lambda *_, **__: b"<!doctype html>")
    assert main(["fastap", "-o", "/dev/full", "--force"]) == 2
    assert capsys.readouterr().err == "-o: /dev/full cannot be written (No space left on device)\n"


def test_a_file_that_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.html"
    path.write_text("mine")
    assert main(["fastap", "-o", str(path)]) == 2
    assert path.read_text() == "mine"
    assert "--force" in capsys.readouterr().err


def test_words_of_strangers_stay_words(host: CommandHost, tmp_path: Path) -> None:
    words = re.sub(r"\s+", " ", " ".join((*WORDS, *TEX)))
    text = tmp_path / "lesson.txt"
    text.write_text(
        f"# {words}\n{words}\n## {words}\nDo {words}\nlink: /fastap\nask: {words}\n- {words} *\n- b\nanswer: {words}\n"
    )
    body = lesson_file_of_link(str(text), host, LessonResources()).decode()
    assert data_of(body.encode())["title"] == words
    # Of the words nothing ends the element around them, and none of them is markup.
    assert "<" not in SCRIPT.findall(body)[1]
    assert len(SCRIPT.findall(body)) == 3
    assert "<img" not in body.partition("<script>")[0]


def test_a_page_saves_no_run_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="train it first"):
        taken_along("/train?run.steps=700", None, "")
    with pytest.raises(LookupError, match="no page"):
        taken_along("/../../etc/passwd", None, "")


def test_a_module_becomes_a_part_of_a_classic_script() -> None:
    module = 'import * as $ from "./library.js";\nimport { a as b } from "../losses/python.js";\nexport const X = 1;\n'
    assert as_classic_script(module, "rooms") == (
        "dmlLesson.rooms = (() => {\nconst $ = dmlLesson.library;\nconst { a: b } = dmlLesson.python;\nconst X = 1;\n\n"
        "return { X };\n})();\n"
    )


def test_a_script_of_rooms_holds_each_room_once() -> None:
    both = javascript_of_pages(("angular", "fastap"))
    assert len(both) < len(javascript_of_pages(("angular",))) + len(javascript_of_pages(("fastap",)))


def test_every_snippet_gives_the_frame_no_more_than_scripts() -> None:
    for place, snippet in SNIPPETS.items():
        assert "{file}" in snippet
        assert place == "Moodle" or 'sandbox="allow-scripts"' in snippet
    assert "allow-same-origin" not in FRAME
