"""Lessons as texts: their content, their errors, their links, and pages as stations."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import frame
from dml_viz.app.lessons.bar import FIRST_LESSON
from dml_viz.app.lessons.editor import lesson_from_file, lesson_url
from dml_viz.room.lesson_text import FORMER, LessonError, built_in, find, packed, read
from dml_viz.room.prediction import Choices
from dml_viz.room.task import Task
from tests.app.test_predictions import PREDICTIONS
from tests.samples import for_each
from tests.shown import opened, ran, words

OWN = r"""# Margins
Ten minutes on <b>margins</b>.

## A small one
link: https://example.org/viz/pairs?pairs.loss=triplet&loss.triplet.margin=0.1
Look at $s_n$ **first**.
ask: Which pairs weigh if $m = 0.5$?
- those within $m$ *
- all
answer: The nearest.
reveal: /pairs?pairs.loss=triplet&loss.triplet.margin=0.5

## Look around
link: /fastap
ask: What is a bin?
answer: A range of $d^2$.
"""


def test_a_lesson_is_read_with_its_stations() -> None:
    path = read(OWN, frame.titles())
    assert (path.title, path.about) == ("Margins", "Ten minutes on <b>margins</b>.")
    first, second = path.stations
    assert (first.title, first.page, first.text) == ("A small one", "pairs", "Look at $s_n$ **first**.")
    assert first.settings == {"pairs.loss": "triplet", "loss.triplet.margin": "0.1"}
    assert first.reveals == {"pairs.loss": "triplet", "loss.triplet.margin": "0.5"}
    own = first.as_prediction("own")
    assert own
    assert own.by == Choices(("those within $m$", "all"))
    assert (second.page, second.question, second.as_prediction("own")) == ("fastap", "What is a bin?", None)


@for_each(
    ("text", "line", "reason"),
    [
        ("", 1, "begins with its title"),
        ("hello\n# A\n", 1, "begins with its title"),
        ("# A\n", 1, "0 stations; write 1 to 30"),
        ("# A\n## B\ntext\n", 2, "“B” has no link; write “link: /fastap”"),
        ("# A\n## B\nlink: /nowhere?x=1\n", 3, "leads to no page; write one of"),
        ("# A\n## B\nlink: javascript:alert(1)\n", 3, "leads to no page"),
        ("# A\n## B\nlink: /fastap\n- one *\n- two\n", 2, "has choices and no question"),
        ("# A\n## B\nlink: /fastap\nask: C?\n- one\n- two\n", 2, "has no right choice"),
        ("# A\n## B\nlink: /fastap\nask: C?\n- one *\n- two *\n", 6, "two choices are marked as right"),
        ("# A\n## B\nlink: /fastap\nask: C?\n- one *\n", 2, "has 1 choice; write 2 to 5"),
        ("# A\n## B\nlink: /fastap\nreveal: /pairs\n", 2, "on another page"),
        ("# A\n## B\nlink: /fastap\nanswer: C.\n", 2, "an answer and no question"),
        (f"# A\n## B\nlink: /fastap\nask: {'x' * 201}\n", 2, "201 characters; write 200 at most"),
        (f"# A\n## B\nlink: /fastap\nask: C?\nanswer: {'x' * 301}\n", 2, "301 characters; write 300 at most"),
        (f"# A\n## B\nlink: /fastap\nask: {'x' * 1001}\n- one *\n- two\n", 2, "“ask” of 1001 characters"),
        (f"# A\n## B\nlink: /fastap\nask: C?\n- one *\n- {'x' * 1001}\n", 2, "“choice” of 1001 characters"),
        ("# A\n## \nlink: /fastap\n", 2, "begins with its title|no title|stations"),
        ("# A\n" + "## B\nlink: /fastap\n" * 31, 63, "31 stations"),
        ("# A\n" + "x" * 20_000, 1, "characters"),
    ],
)
def test_a_fault_in_a_lesson_is_reported_with_its_line_and_what_to_write(text: str, line: int, reason: str) -> None:
    with pytest.raises(LessonError, match=reason) as wrong:
        read(text, frame.titles())
    assert str(wrong.value).startswith(f"Line {line}: ") or "##" in reason or "no title" in reason
    assert "\n" not in str(wrong.value)


def test_a_link_holds_a_built_in_lesson_by_name_and_any_other_as_a_whole() -> None:
    assert packed(built_in()[FIRST_LESSON]) == FIRST_LESSON
    assert find(packed(OWN)) == OWN
    assert len(packed(OWN)) < len(OWN)
    with pytest.raises(ValueError, match=r"lesson 'x' is not known; choose from first\.2"):
        find("x")


@pytest.mark.parametrize("name", built_in())
def test_every_station_of_a_built_in_lesson_asks_what_its_page_computes(name: str) -> None:
    path = read(built_in()[name], frame.titles())
    assert 6 <= len(path.stations) <= 9
    for station in path.stations:
        page = station.page or frame.page_files()[0].path_in_address
        asked = station.settings["predict"]
        assert asked.startswith(f"{page}.")
        app = opened(next(room.file for room in frame.page_files() if room.path_in_address == page), {"predict": asked})
        assert asked in app.session_state["predict.rounds"], "the page asks it"
        assert asked in PREDICTIONS or page in ("start", "race", "train")


def test_a_page_in_a_lesson_shows_its_number_and_leaving_keeps_the_page() -> None:
    app = opened("64_fastap.py", {"lesson": FIRST_LESSON, "station": 7, "fastap.bins": 20})
    assert "The first lesson, 7 of 9: **A ranking has no gradient.**" in words(app)
    app.button(key="lesson.leave").click()
    ran(app)
    assert "The first lesson" not in words(app)
    assert dict(app.query_params) == {"fastap.bins": "20"}


# The pages and the questions of the first lesson's stations, in the order that its links had at first.
FORMERLY = (
    ("10_start.py", "start.neighbours"),
    ("64_fastap.py", "fastap.steps"),
    ("68_gradients.py", "gradients.home"),
    ("40_ranked_list.py", "ranked_list.mined"),
    ("50_angular.py", "angular.scale"),
    ("60_proxies.py", "proxies.moved"),
    ("82_race.py", "race.best"),
    ("80_train.py", "train.unseen"),
)


@pytest.mark.parametrize(("station", "file", "asked"), [(at, *each) for at, each in enumerate(FORMERLY, 1)])
def test_a_link_of_the_former_order_opens_the_station_that_it_meant(station: int, file: str, asked: str) -> None:
    path = "" if station == 1 else file.removesuffix(".py").split("_", 1)[1]
    link = {"lesson": "first", "predict": asked} | ({"station": station} if station > 1 else {})
    app = opened(file, link)
    stations = read(built_in()[FIRST_LESSON], frame.titles()).stations
    (now,) = [at for at, each in enumerate(stations, 1) if each.page == path]
    assert f"The first lesson, {now} of {len(stations)}" in words(app)
    assert stations[now - 1].settings["predict"] in app.session_state["predict.rounds"]
    assert not app.warning
    assert dict(app.query_params)["lesson"] == FIRST_LESSON


def test_every_former_order_leads_to_stations_that_are_there() -> None:
    for name, places in FORMER.values():
        assert max(places) <= len(read(find(name), frame.titles()).stations)


def test_a_lesson_of_a_visitor_asks_and_reveals_by_its_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "page_objects", dict)
    app = opened("22_pairs.py", {"lesson": packed(OWN), "station": 1, "loss.triplet.margin": 0.1})
    app.session_state["frame.path"] = "pairs"
    ran(app)
    assert r"Look at $s_n$ \*\*first\*\*." in words(app), "of Markdown a teacher's words have TeX alone"
    assert r"<b>" not in words(app).replace(r"\<b\>", "")
    (name,) = app.session_state["predict.rounds"]
    app.session_state[f"predict.answer.{name}"] = 0
    ran(app)
    app.button(key="predict.lock").click()
    ran(app)
    app.button(key="predict.reveal").click()
    ran(app)
    assert "**Right: “those within $m$”.** The nearest." in words(app)
    assert app.slider(key="loss.triplet.margin").value == 0.5
    app.button(key="lesson.next").click()
    ran(app)
    assert app.query_params["station"] == "2"
    assert app.query_params["ask"] == "What is a bin?"


def test_a_station_past_the_end_is_named_and_the_last_one_shown() -> None:
    app = opened("64_fastap.py", {"lesson": "first.2", "station": 20})
    (text,) = [warning.value for warning in app.warning]
    assert "station = 20" in text
    assert r"\[1, 9\]" in text
    assert app.query_params["station"] == "9"


@pytest.mark.parametrize("bad", ["nothing", "1abc", packed("# A\n## B\nlink: /nowhere\n"), "1" + "x" * 5000])
def test_an_unreadable_lesson_gives_one_sentence(bad: str) -> None:
    app = opened("64_fastap.py", {"lesson": bad})
    (text,) = [warning.value for warning in app.warning]
    assert "This link asked for something that cannot be had" in text
    assert len(text) < 700
    assert "lesson" not in app.query_params


def page_with_editor() -> None:
    import streamlit as st

    from dml_viz.app import share
    from dml_viz.app.controls import PageControls
    from dml_viz.app.frontend import session_id
    from dml_viz.app.page import page
    from dml_viz.serve.uploads import uploads

    st.session_state["frame.path"] = "fastap"
    with page("FastAP", "It is handed out."):
        PageControls().number("fastap.bins", "Bins", 4, 100, 10)
        st.session_state.setdefault(share.COLOUR, share.OWN)
        share.draw_dialog()
    st.session_state["refusal"] = uploads().begin(session_id(), "lesson.txt", 1)


def test_a_lesson_of_a_visitor_grows_by_pages_and_is_shared_as_a_link() -> None:
    app = AppTest.from_function(page_with_editor)
    app.query_params["fastap.bins"] = "20"
    app.run()
    assert not app.warning, "a lesson that is not begun is no error"
    assert "Add the page that you see as the first station" in words(app)
    assert app.session_state["refusal"] == "", "a lesson may be opened from a file"
    app.button(key="lessons.add").click().run()
    text = app.text_area(key="lessons.text").value
    assert text == "# My lesson\n\n## FastAP\nlink: /fastap?fastap.bins=20\n"
    assert not app.warning
    assert not app.exception
    shown, *_ = [code.value for code in app.code]  # before the lines that take the page along
    asked = dict(parse_qsl(urlsplit(shown).query))
    assert asked["fastap.bins"] == "20"
    assert find(asked["lesson"]) == text
    assert app.button(key="lessons.copy").disabled, "an author's text is not replaced"
    app.text_area(key="lessons.text").set_value("").run()
    app.button(key="lessons.copy").click().run()
    assert app.text_area(key="lessons.text").value == built_in()[FIRST_LESSON]


def test_the_page_of_lessons_opens_the_editor() -> None:
    app = opened("15_lesson.py", {})
    app.button(key="lessons.write").click()
    ran(app)
    assert "begin with the first lesson" in words(app).lower()
    assert not [button for button in app.button if button.key == "lessons.add"], "it is no page with a state"
    assert app.text_area(key="lessons.text").value == "# My lesson\n"


def test_the_link_of_a_lesson_opens_its_first_station() -> None:
    assert lesson_url("https://example.org/viz/fastap", "fastap", OWN).startswith("https://example.org/viz/pairs?pairs.loss=")
    assert lesson_url("https://example.org/", "", OWN).startswith("https://example.org/pairs?")
    link = urlsplit(lesson_url("https://example.org/", "", "# A\n## B\nlink: /fastap\nask: C?\nanswer: D."))
    task, _ = Task.read(dict(parse_qsl(link.query)))
    assert (task.question, task.answer) == ("C?", "D.")


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\xff\xfe\x00", "holds no text"), (b"x" * 20_001, "at most 20,000"), (b"hello", "Line 1: .*“# My lesson”")],
)
def test_a_bad_file_gives_one_sentence(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        lesson_from_file(content)
    assert lesson_from_file(OWN.encode()) == OWN
