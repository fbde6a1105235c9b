"""Take a scene, a run or a lesson along as one HTML file that needs no server: ``dml-viz take LINK -o lesson.html``."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dml_viz.app.frame import titles
from dml_viz.app.lessons.bar import FIRST_LESSON
from dml_viz.data.files import FileError
from dml_viz.export.command import draw_progress_bar
from dml_viz.export.command_host import CommandHost
from dml_viz.export.lesson_file import lesson_data, lesson_html
from dml_viz.export.lesson_stations import LessonResources, can_be_file, station_of, svg_drawer
from dml_viz.export.parser import WRONG_CALL, CommandParser, address
from dml_viz.figure_files.spec import Spec, address_today
from dml_viz.room import lesson_text
from dml_viz.room.short_link import SHORT, expand
from dml_viz.room.source import Host

LESSON = "lesson"
FIRST = "first"  # the name of the lesson of those who come for the first time
SUFFIX = ".txt"  # of the text of a lesson


def lesson_file_of_link(link: str, host: Host, resources: LessonResources, *, base: str = "") -> bytes:
    """The HTML file of the page or lesson that ``link`` opens; ValueError or LookupError for no such link.

    ``link`` is a page's, relative or whole, with a lesson in it or not, the name of a lesson, or the path of a lesson's text.
    ``base`` is the address of the app, if others can open it; notes of ``resources`` say what is left out.
    """
    data, first = page_data_of_link(link, host, resources, base=base)
    return lesson_html(data, first.write())


def page_data_of_link(link: str, host: Host, resources: LessonResources, *, base: str = "") -> tuple[dict[str, Any], Spec]:
    """The data of the file of ``link``, and the spec of its first figure."""
    text = _lesson_in(link)
    more: dict[str, Any] = {"saved": date.today().isoformat(), "base": base or _base_of(link), "whole": bool(text)}
    if text:
        lesson = lesson_text.read(text, titles())
        made = [_numbered(number, each, host, resources) for number, each in enumerate(lesson.stations, 1)]
        title, about = lesson.title, lesson.about
    else:
        page, settings = _page_in(link)
        made = [station_of(page, settings, host, resources)]
        title, about = f"{made[0][0]['name']}", ""
    stations, specs = zip(*made, strict=True)
    return lesson_data(title, stations, resources.runs, about=about, **more), specs[0]


def _numbered(number: int, station: lesson_text.Station, host: Host, resources: LessonResources) -> tuple[dict[str, Any], Spec]:
    """A station of a lesson; ValueError, which names the station, if it cannot be had."""
    try:
        return station_of(station.page, station.settings, host, resources, station)
    except (ValueError, LookupError) as error:
        raise ValueError(f"station {number}, {station.title!r}: {error.args[0]}") from error


def _base_of(link: str) -> str:
    """The address of the app in a whole link; empty for another link."""
    parts = urlsplit(link)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rpartition('/')[0]}/" if parts.scheme in ("http", "https") else ""


def _page_in(link: str) -> tuple[str, dict[str, str]]:
    """The page of a link and its settings, those of its short form, too."""
    parts = urlsplit(link)
    page = address_today(parts.path.rpartition("/")[2].removeprefix("."))
    settings = dict(parse_qsl(parts.query, keep_blank_values=True))
    if SHORT in settings:
        settings = {**expand(settings.pop(SHORT)), **settings}
    known = titles()
    page = "" if page == "start" else page
    if page not in known:
        if page.endswith(SUFFIX):
            raise LookupError(f"there is no file {link}")
        choices = [*lesson_text.built_in(), *filter(can_be_file, filter(None, known))]
        raise LookupError(f"there is no page or lesson {page[:40]!r}; choose {', '.join(choices)}")
    return page, settings


def _lesson_in(link: str) -> str:
    """The text of the lesson of a link, of a name or of a file; empty without one."""
    path = Path(link)
    if path.suffix == SUFFIX and path.is_file():
        try:
            return path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise FileError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    called = lesson_text.of_today({lesson_text.NAME: link})[lesson_text.NAME]
    if called in lesson_text.built_in():
        return lesson_text.find(called)
    page, settings = _page_in(link)
    if name := settings.get(lesson_text.NAME):
        return lesson_text.find(lesson_text.of_today({lesson_text.NAME: name})[lesson_text.NAME])
    return lesson_text.find(FIRST_LESSON) if page == LESSON else ""


def main(arguments: Sequence[str]) -> int:
    """Run ``dml-viz take``: write a link or a lesson to one HTML file; the exit code is 1 if that fails, 2 for a wrong call."""
    options = parser().parse_args(arguments)
    if options.output.exists() and not options.force:
        print(f"{options.output} is there already; --force writes over it", file=sys.stderr)
        return WRONG_CALL
    if options.output.is_dir() or not options.output.parent.is_dir():
        reason = f"{options.output} is a folder" if options.output.is_dir() else f"there is no folder {options.output.parent}"
        print(f"-o: {reason}; name the file to write, in a folder that is there", file=sys.stderr)
        return WRONG_CALL
    try:
        with ExitStack() as stack:
            host = CommandHost(stack, data=options.data, progress=draw_progress_bar)
            resources = LessonResources(svg_drawer(host))
            body = lesson_file_of_link(options.link, host, resources, base=options.base or "")
    except (FileError, ValueError, LookupError, RuntimeError) as error:
        print(error.args[0] if isinstance(error, LookupError) and error.args else error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or options.link}: {error.strerror}", file=sys.stderr)
        return 1
    try:
        options.output.write_bytes(body)
    except OSError as error:
        print(f"-o: {options.output} cannot be written ({error.strerror})", file=sys.stderr)
        return WRONG_CALL
    for note in resources.notes:
        print(note, file=sys.stderr)
    print(f"{options.output}: {len(body):,} bytes")
    return 0


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz take``."""
    about = (
        "Make one HTML file of a scene, a run or a lesson, which needs no server. LINK is a page's address, or the name or "
        "the text (.txt) of a lesson."
    )
    examples = ("dml-viz take fastap -o fastap.html", "dml-viz take first -o lesson.html")
    made = CommandParser("take", about, *examples, usage="LINK [OPTIONS]")
    add = made.add_argument
    add("link", metavar="LINK", help=argparse.SUPPRESS)
    add("-o", "--output", type=Path, default=Path("lesson.html"), metavar="FILE", help="the file to write (default: lesson.html)")
    add("--data", type=Path, action="append", default=[], metavar="FILE", help="a file of yours that the link shows")
    add("--base", type=address, metavar="ADDRESS", help="the address of an app that readers can open, for links to it")
    add("--force", action="store_true", help="write over a file that is there already")
    return made
