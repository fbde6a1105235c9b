"""Lessons: rows of stations through the pages, each a link with a question. A lesson is a text; no Streamlit here.

    # The title of the lesson
    A line or two on it.

    ## The title of a station
    What to do there. TeX stands between dollars: $d^2$.
    link: /fastap?fastap.bins=20      the state of a page, as *Share* hands it out, or its address alone
    ask: Which point moves?           a question of one's own; a link with predict= asks one of the page's
    - the nearest *                   choices, two to five, the right one ends in *; without choices
    - the farthest                    the answer is shown behind a button
    answer: The nearest, since ...
    reveal: /fastap?fastap.bins=99    the state that shows the answer, if it is another

The built-in lessons are the files of assets/lessons. A link holds one as ``lesson`` by its name, or any other as a whole,
compressed; ``station`` counts from 1. A lesson whose stations change their order gets a new name, and an entry in `FORMER`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode, urlsplit

from dml_viz.assets import ASSETS
from dml_viz.figure_files.spec import address_today
from dml_viz.plot.canvas import counted
from dml_viz.room.markdown import escape_except_tex
from dml_viz.room.prediction import FEWEST, MOST, Choices, Prediction
from dml_viz.room.short_link import FIRST, LONGEST, compress, expand
from dml_viz.room.task import ANSWER, CHOICE, LONGEST_WITH_CHOICES, QUESTION
from dml_viz.room.task import LONGEST as LONGEST_OF_TASK
from dml_viz.threads import once

FOLDER = ASSETS / "lessons"
NAME, STATION = "lesson", "station"  # in links
MOST_STATIONS = 30
NOWHERE = "?"
WHOLE = "path"  # the key of the text in its short form
# The lesson that each name of older links means, and its station for each of theirs, in their order.
FORMER: Mapping[str, tuple[str, tuple[int, ...]]] = MappingProxyType({"first": ("first.2", (1, 7, 3, 4, 5, 6, 8, 9))})


class LessonError(ValueError):
    """An error in the text of a lesson; the message names the line and what to write instead."""

    def __init__(self, line: int, wrong: str) -> None:
        super().__init__(f"Line {line}: {wrong}.")


@dataclass
class Station:
    """A state of a page, a task, and perhaps a question: its own, or one of the page's that ``settings`` name."""

    title: str
    page: str = NOWHERE
    settings: dict[str, str] = field(default_factory=dict)
    text: str = ""
    question: str = ""
    choices: list[str] = field(default_factory=list)
    right: int | None = None
    answer: str = ""
    reveals: dict[str, str] | None = None
    page_of_answer: str = ""
    line: int = 0

    def as_prediction(self, name: str) -> Prediction[None] | None:
        """The station's own question as a prediction called ``name``, in which only TeX is formatted; None without choices."""
        if not self.choices or self.right is None:
            return None
        right = self.right
        title, question, answer, *choices = map(escape_except_tex, (self.title, self.question, self.answer, *self.choices))
        return Prediction(name, title, question, Choices(tuple(choices)), lambda *_: right, lambda *_: answer)


@dataclass(frozen=True)
class Lesson:
    """A lesson: its title, a line about it, its stations, and its text."""

    title: str
    about: str
    stations: tuple[Station, ...]
    text: str


def read(text: str, pages: Mapping[str, str]) -> Lesson:
    """The lesson written as ``text``; `LessonError` for other texts. ``pages`` are the titles of all pages by address."""
    if len(text) > LONGEST // 2:
        raise LessonError(1, f"the lesson has {len(text):,} characters; {LONGEST // 2:,} can be had")
    title, about = "", []
    stations: list[Station] = []
    last = 0
    for last, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith("## "):
            stations.append(Station(line[3:].strip(), line=last))
        elif line.startswith("# ") and not title:
            title = line[2:].strip()
        elif line and not title:
            raise LessonError(last, "a lesson begins with its title; write “# My lesson”")
        elif line and not stations:
            about.append(line)
        elif line:
            _take(stations[-1], last, line, pages)
    if not title:
        raise LessonError(1, "a lesson begins with its title; write “# My lesson”")
    if not 0 < len(stations) <= MOST_STATIONS:
        raise LessonError(max(last, 1), f"{len(stations)} stations; write 1 to {MOST_STATIONS}, each below “## A title”")
    for station in stations:
        _check(station)
    return Lesson(title, " ".join(about), tuple(stations), text)


def _take(station: Station, number: int, line: str, pages: Mapping[str, str]) -> None:
    key, colon, rest = line.partition(":")
    value = rest.strip()
    if line.startswith("- "):
        choice = line[2:].strip()
        if choice.endswith("*"):
            if station.right is not None:
                raise LessonError(number, "two choices are marked as right; leave the * at one of them")
            choice, station.right = choice[:-1].strip(), len(station.choices)
        station.choices.append(choice)
    elif key == "link" and colon:
        station.page, station.settings = _link(number, value, pages)
    elif key == "reveal" and colon:
        station.page_of_answer, station.reveals = _link(number, value, pages)
    elif key == "ask" and colon:
        station.question = value
    elif key == "answer" and colon:
        station.answer = value
    else:
        station.text = f"{station.text} {line}".strip()


def _link(number: int, text: str, pages: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The page and the settings of a link."""
    parts = urlsplit(text)
    page = address_today(parts.path.rstrip("/").rpartition("/")[2])
    if page not in pages:
        known = ", ".join(f"/{each}" for each in pages)
        raise LessonError(number, f"“{text[:60]}” leads to no page; write one of {known}, with its settings after a “?”")
    settings = dict(parse_qsl(parts.query, keep_blank_values=True))
    return page, {key: value for key, value in settings.items() if key not in (NAME, STATION)}


def _check(station: Station) -> None:
    line, choices = station.line, station.choices
    if not station.title:
        raise LessonError(line, "the station has no title; write one after “##”")
    if station.page == NOWHERE:
        raise LessonError(line, f"“{station.title}” has no link; write “link: /fastap” below it, or what *Share* hands out")
    if station.page_of_answer not in ("", station.page):
        raise LessonError(line, f"“{station.title}” has its answer on another page; reveal /{station.page} with other settings")
    if station.answer and not station.question:
        raise LessonError(line, f"“{station.title}” has an answer and no question; write “ask: ...” above it")
    longest = LONGEST_WITH_CHOICES if choices else LONGEST_OF_TASK
    for name, text in (QUESTION, station.question), (ANSWER, station.answer), *((CHOICE, each) for each in choices):
        if len(text) > longest[name]:
            raise LessonError(line, f"“{station.title}” has “{name}” of {len(text)} characters; write {longest[name]} at most")
    if choices and not station.question:
        raise LessonError(line, f"“{station.title}” has choices and no question; write “ask: ...” above them")
    if choices and not FEWEST <= len(set(choices)) == len(choices) <= MOST:
        has = counted(len(choices), "choice")
        raise LessonError(line, f"“{station.title}” has {has}; write {FEWEST} to {MOST} different ones")
    if choices and station.right is None:
        raise LessonError(line, f"“{station.title}” has no right choice; end it with “ *”")


@once
def built_in() -> Mapping[str, str]:
    """The texts of the lessons in the folder, by name."""
    return MappingProxyType({path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))})


def of_today(link: Mapping[str, str]) -> dict[str, str]:
    """The settings of ``link``; if it names a lesson as older links do, with the name and the station that it has today."""
    if link.get(NAME) not in FORMER:
        return dict(link)
    name, stations = FORMER[link[NAME]]
    places = {str(before): str(now) for before, now in enumerate(stations, 1)}
    before = link.get(STATION, "1")
    return {**link, NAME: name, STATION: places.get(before, before)}


def find(name: str) -> str:
    """The text of lesson ``name`` of a link: a built-in one, or the whole lesson, compressed; ValueError for other names."""
    if name in built_in():
        return built_in()[name]
    if name.startswith(FIRST):
        return expand(name).get(WHOLE, "")
    raise ValueError(f"lesson {name[:30]!r} is not known; choose from {', '.join(built_in())}")


def packed(text: str) -> str:
    """The name of the lesson ``text`` in a link if it is built in, otherwise the whole text, compressed."""
    return next((name for name, shortened in built_in().items() if shortened == text), None) or compress({WHOLE: text})


def address(page: str, settings: Mapping[str, str]) -> str:
    """The text of a link in a lesson."""
    return f"/{page}?{urlencode(settings, safe='~')}" if settings else f"/{page}"
