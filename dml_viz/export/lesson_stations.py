"""The stations of a lesson's file: what a link opens, with its question, its sentences and the figures beside it."""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from importlib import import_module
from typing import Any

from dml_viz.app.article import Row, Section
from dml_viz.app.explainer import Explainer
from dml_viz.app.frame import titles
from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.engine.recordings import FOLDER
from dml_viz.export.command_host import CommandHost
from dml_viz.export.lesson_file import compressed_base64, light, packed_run
from dml_viz.export.lesson_questions import prediction_of, question_of
from dml_viz.export.picture import CHANGE_NO_FIGURE, BrowserPicture, SpecReader, browser_picture, room_of
from dml_viz.export.remake import remade_files
from dml_viz.figure_files.chrome import ChromeError
from dml_viz.figure_files.spec import Spec, linked
from dml_viz.plot.canvas import Display
from dml_viz.room import words
from dml_viz.room.ask import as_link
from dml_viz.room.lesson_text import Station
from dml_viz.room.markdown import escape_except_tex
from dml_viz.room.prediction import Prediction
from dml_viz.room.room import NoModelError, Room, figure_name
from dml_viz.room.source import MAP_MISLEADS, Host, Live, Subject
from dml_viz.room.task import Task

NO_ROOM: Room[None, None] = Room("", "")  # in place of a page's own
START = "start"  # the address of the first page in specs, which is empty in links
PREDICT = "predict"
# The figures beside a scene that are no sections of their page by themselves.
FURTHER: Mapping[str, tuple[str, ...]] = {"pairs": ("weights-0",)}
CHANGED = ("scene", "base", "picked", "view", "losses", "settings")  # what an answer that is revealed changes of a scene


@dataclass
class LessonResources:
    """What the stations of a lesson share: ``draw`` makes a figure an SVG; packed runs by file name; notes on what is left out.

    Without ``draw`` a page that takes the file along puts its own figures in.
    """

    draw: Callable[[Spec], str] | None = None
    runs: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def svg_drawer(host: CommandHost) -> Callable[[Spec], str]:
    """A function that draws the figure of a spec as SVG, by the host's Chrome; ChromeError without one."""

    def draw(spec: Spec) -> str:
        ((_, body, _),) = remade_files(spec, ["svg"], host, scale=1)
        return body.decode()

    return draw


def can_be_file(page: str) -> bool:
    """Whether a page has a scene or a run, so that it can be a file by itself."""
    return bool(getattr(import_module(f"dml_viz.explain.{page or START}"), "ROOM", NO_ROOM).taken_along)


def station_of(
    page: str, settings: Mapping[str, str], host: Host, resources: LessonResources, station: Station | None = None
) -> tuple[dict[str, Any], Spec]:
    """The station that ``page`` is with ``settings``, and the spec of its figure; ValueError or LookupError for no such link.

    ``station`` has a title, a text and a question of a lesson.
    """
    path = page or START
    if not can_be_file(page):
        raise ValueError(f"the page {titles().get(page, path)!r} has no scene and no run, so that it cannot be a file by itself")
    room = room_of(path)
    given = room.opened(settings)
    prediction = prediction_of(path, given.pop(PREDICT, ""))
    opened = {**given, **as_link(prediction.settings if prediction else {})}
    later = _revealed(page, opened, prediction, station)
    task, _ = Task.read(given)
    live = room.live(room.settings(_reader(path, opened), Subject())) if room.live else None
    made = browser_picture(Spec(live.figure if live else room.key, path, linked(path, opened)), host)
    link = linked(page, {**given, **({PREDICT: prediction.name} if prediction else {})})
    whole = replace(made.spec, link=link)
    is_run = made.module == "live"
    question = question_of(room, prediction, station, task)
    content = {
        "title": escape_except_tex(station.title) if station else made.spec.title,
        "text": escape_except_tex(station.text) if station else "",
        "page": path,
        "name": titles().get(page, room.title),
        "link": "" if link == "./" else link,
        "scene": None if is_run else _scene(path, room, made, opened, later, host, task),
        "run": _run(made, resources) if is_run else None,
        "notes": _notes(path, room, live, made, opened, host),
        "question": question,
        "figures": _frozen_figures(path, room, opened, host, resources) if not is_run else [],
    }
    return content, whole


def _revealed(
    page: str, opened: Mapping[str, str], prediction: Prediction[Any] | None, station: Station | None
) -> Mapping[str, str] | None:
    """The settings with which the answer of a station is revealed; None where it changes none, or is on another page."""
    if station and station.reveals is not None:
        return station.reveals if station.page_of_answer == page else None
    return {**opened, **as_link(prediction.reveals)} if prediction and prediction.reveals else None


def _reader(path: str, settings: Mapping[str, str]) -> Any:
    return SpecReader(Spec("x", path, linked(path, settings)))


def _scene(
    path: str,
    room: Room[Any, Any],
    made: BrowserPicture,
    opened: Mapping[str, str],
    later: Mapping[str, str] | None,
    host: Host,
    task: Task,
) -> dict[str, Any]:
    """The scene of a station, the scene that its answer reveals, and the components beside it."""
    recipe = made.spec.write()
    after = browser_picture(Spec(room.key, path, linked(path, later)), host).data if later else None
    parts = {module.split("-")[-1]: _component(path, room, module, opened, host) for module in room.components}
    lesson = {part: task.state(f"{room.key}.{part}") for part in ("scene", "dim", "move", "tools", "pick")}
    return {
        "data": {**made.data, "lesson": lesson, "recipe": recipe},
        "after": {name: after[name] for name in CHANGED} if after else None,
        "panels": parts.get("panels"),
        "twin": parts.get("twin"),
        "settings": _plain(opened),
        "afterSettings": _plain(later) if later else None,
        "locked": task.locked,
        "hidden": task.hidden,
    }


def _plain(settings: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in settings.items() if key not in CHANGE_NO_FIGURE}


def _component(path: str, room: Room[Any, Any], name: str, opened: Mapping[str, str], host: Host) -> dict[str, Any]:
    picture = browser_picture(Spec(figure_name(room, name), path, linked(path, opened)), host)
    return {**picture.data, "recipe": picture.spec.write()}


def _run(made: BrowserPicture, resources: LessonResources) -> dict[str, Any]:
    """The data of a recorded run, whose frames are a file of their own."""
    body = base64.b64decode(made.data["url"].partition(",")[2])
    name = next((path.name for path in FOLDER.glob("*.bin") if path.read_bytes() == body), f"run{len(resources.runs)}.bin")
    resources.runs[f"{name}.gz"] = packed_run(body)
    return {**made.data, "url": f"lesson:{name}.gz", "embeddings": None, "recipe": made.spec.write()}


def _page(path: str) -> tuple[Explainer | None, Any]:
    module = import_module(f"dml_viz.explain.{path}.page")
    return getattr(module, "PAGE", None), module


def _notes(
    path: str, room: Room[Any, Any], live: Live | None, made: BrowserPicture, opened: Mapping[str, str], host: Host
) -> dict[str, Any]:
    """The sentences of the page in this state."""
    page, _ = _page(path)
    empty = {"claim": made.spec.title, "lead": "", "lookFor": "", "misleads": "", "line": made.spec.caption, "formulas": []}
    if _mapped(made):
        empty["misleads"] = MAP_MISLEADS.strip()
    if page is None:
        look_for, misleads = live.notes if live else ("", "")
        return {**empty, "lookFor": look_for, "misleads": misleads}
    if not (first := room.words):
        return {**empty, "lead": page.claim}
    model, settings, display, line = _model(path, room, opened, host)
    if not first.claimed_of_model:
        empty["claim"] = words.text_of(first.claim, settings)
    elif model is not None:
        empty["claim"] = words.text_of(first.claim, model)
    if model is None:
        return {**empty, "lead": page.claim, "line": line}
    notes = {"lookFor": words.text_of(first.look_for, model), "misleads": words.text_of(first.misleads, model)}
    formulas = [{"lines": list(of.lines(model, display)), "remark": words.text_of(of.remark, model)} for of in first.formulas]
    return {**empty, "lead": page.claim, **notes, "line": line, "formulas": formulas}


def _mapped(made: BrowserPicture) -> bool:
    """Whether the picture is of a run or race with a neighbour map."""
    run = made.spec.run or {}
    dims = [dict(racer["changes"]).get("dim", run["dim"]) for racer in run.get("racers", ())] or [run.get("dim", 0)]
    return made.data.get("picture") == "map" and max(dims) > DRAWN_UP_TO


def _model(path: str, room: Room[Any, Any], opened: Mapping[str, str], host: Host) -> tuple[Any, Any, Display, str]:
    """The model of a page in a state, its settings, how it is shown, and the line on its points, or why there is no model."""
    reader = _reader(path, opened)
    subject = room.source.resolve(room.source.form(reader), host)
    embeddings, settings = room.batch(reader, subject)
    display = Display("light", subject.names, tuple(embeddings.y.tolist()), subject.of_run)
    try:
        model = room.model(embeddings, settings)
    except NoModelError as none:
        return None, settings, display, str(none)
    line = words.line(room.words, embeddings.provenance, model, display) if room.words else ""
    return model, settings, display, line


def _first(page: Explainer) -> Sequence[Section]:
    """The sections of the first row of a page, the scene's first."""
    block = page.blocks[0]
    sections = block.sections if isinstance(block, Row) else (block,)
    return [section for section in sections if isinstance(section, Section)]


def _frozen_figures(
    path: str, room: Room[Any, Any], opened: Mapping[str, str], host: Host, resources: LessonResources
) -> list[dict[str, Any]]:
    """The figures beside the scene that a file does not compute, drawn as they are now; none where there is no Chrome."""
    page, module = _page(path)
    if page is None:
        return []
    model, *_ = _model(path, room, opened, host)
    if model is None:
        return []
    named = {name: section for section in _first(page)[1:] if not section.scene for name in section.figures}
    named |= {name: module.section_of_each_loss(name.rpartition("-")[0], model) for name in FURTHER.get(path, ())}
    made = []
    for name, section in named.items():
        spec = Spec(figure_name(room, name), path, linked(path, opened))
        try:
            svg = resources.draw(spec) if resources.draw else ""
        except ChromeError as error:
            resources.notes.append(f"The figure {spec.figure} is left out. {error}")
            continue
        words_of_svg = svg.partition("<desc>")[2].partition("</desc>")[0]
        made.append(
            {
                "name": spec.figure,
                "claim": words.text_of(section.claim, model),
                "svg": compressed_base64(light(svg).encode()) if svg else "",
                "words": unescape(words_of_svg),
                "recipe": spec.write(),
                "lookFor": words.text_of(section.look_for, model),
                "misleads": words.text_of(section.misleads, model),
            }
        )
    return made
