"""The picture of a spec: the page's own figure, with the settings of the link, without the page."""

import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from weakref import ref

import numpy as np
import plotly.graph_objects as go

from dml_viz import explain
from dml_viz.data.datasets.own import FILE
from dml_viz.data.files import OwnEmbeddings, OwnImages
from dml_viz.data.own import Scored, scored
from dml_viz.data.own_images import opened
from dml_viz.data.wire import messages, unpack
from dml_viz.engine import Engine, Job, start
from dml_viz.engine.messages import embeddings_message
from dml_viz.engine.recordings import EMBEDDINGS, FOLDER, RECORDED, recording_of
from dml_viz.engine.results import again_of, table_of
from dml_viz.engine.store import Store
from dml_viz.explain.beyond_one_loss import ROOM as BEYOND
from dml_viz.explain.beyond_one_loss.model_training import TOGETHER, race_of
from dml_viz.explain.race import settings as race_page
from dml_viz.explain.start import settings as start_page
from dml_viz.explain.sweep import ROOM as SWEEP
from dml_viz.explain.sweep import model as sweeps
from dml_viz.explain.sweep import settings as sweep_page
from dml_viz.explain.train import settings as train_page
from dml_viz.explain.your_data import ROOM as OWN
from dml_viz.explain.your_data import model as own
from dml_viz.explain.your_data.example import scored_example
from dml_viz.export.training import Progress, recording, train, train_sweep
from dml_viz.figure_files import spec as specs
from dml_viz.figure_files.caption import caption
from dml_viz.figure_files.chrome import HeadlessChrome
from dml_viz.figure_files.spec import DECLARED, Spec, declared, declared_race, declared_run
from dml_viz.losses import Loss
from dml_viz.params import Domain, Param
from dml_viz.plot.display import Display
from dml_viz.plot.style import FAINT, INK, palette
from dml_viz.room.ask import Setting
from dml_viz.room.fingerprint import FINGERPRINT, FIRST, LENGTH, SECOND, named, named_images
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.link_version import AT
from dml_viz.room.room import NoModelError, Room, Subject, figure_name
from dml_viz.room.run_form import run_form
from dml_viz.room.run_settings import PLANE, RunSubject
from dml_viz.serve.prediction_models import read_scene
from dml_viz.training.race import MOST_RACERS, Race, Racer
from dml_viz.training.run import STEPS_CAP, Run
from dml_viz.training.sweep import Sweep

NEWEST = NO_POINT = -1
METHODS_PAGE = "beyond_one_loss"
# Settings of a link that change no figure: those of a lesson, the speed of a live picture, and where the page is scrolled to.
CHANGE_NO_FIGURE = ("ask", "answer", "lock", "hide", "predict", "speed", AT)


@dataclass(frozen=True)
class Picture:
    """A picture for a browser: the ``module`` of assets/src/components and its ``data``, with the ``spec`` of the figure.

    ``others`` are modules and data of components on which it depends. With ``arrays``, both are sent as one message
    (dml_viz/data/wire.py).
    """

    module: str
    data: dict[str, Any]
    spec: Spec
    others: tuple[tuple[str, dict[str, Any]], ...] = ()
    arrays: Mapping[str, np.ndarray] | None = None


class Workshop:
    """The engine that trains and the headless Chrome that all figures of one call share, each started when first needed."""

    def __init__(self, stack: ExitStack, store: Store | None = None, data: Sequence[Path] = ()) -> None:
        """``data`` are the visitor's own files that figures may show; FileError for one that cannot be used."""
        self._stack, self._store = stack, store
        self.own: dict[str, OwnEmbeddings] = {}  # by fingerprint
        self._images: dict[str, OwnImages] = {}
        for path in data:
            content, images = opened(path)
            if isinstance(content, OwnEmbeddings):
                self.own[content.fingerprint[:LENGTH]] = content
            if images:
                self._images[images.name] = images
        self._chrome: HeadlessChrome | None = None
        self._engine: Engine | None = None

    def chrome(self) -> HeadlessChrome:
        """The headless Chrome."""
        if self._chrome is None:
            self._chrome = HeadlessChrome()
            self._stack.callback(self._chrome.close)
        return self._chrome

    def engine(self) -> Engine:
        """The engine that trains runs and races."""
        if self._engine is None:
            self._engine = start(store=self._store)
            self._stack.callback(self._engine.close)
        return self._engine

    def train(self, wanted: Run | Race, step: int, progress: Progress, plane: int = 0) -> Job:
        """The job of ``wanted``, trained to ``step``; see `dml_viz.export.training.train`."""
        return train(self.engine(), wanted, step, progress, plane)

    def own_file(self, fingerprint: str) -> Scored:
        """The visitor's file with that fingerprint; ValueError if it was not named."""
        if fingerprint not in self.own:
            raise ValueError(f"it shows your file with fingerprint {fingerprint or 'unknown'}; name it: --data FILE")
        return scored(self.own[fingerprint])

    def own_images(self, name: str) -> OwnImages:
        """The visitor's images with that name in a run; ValueError if they were not named."""
        if name not in self._images:
            raise ValueError(f"it shows your images with fingerprint {name or 'unknown'}; name them: --data FILE")
        return self._images[name]


class SpecReader(LinkReader):
    """Reader of the settings of a spec's link; ``read`` has the values of those that were asked for."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec.asked, written=spec.run is not None)
        self.read: dict[str, Any] = {}
        self._spec = spec

    def setting(self, key: str, knob: Setting) -> Any:
        """The value of the link under ``key``."""
        self.read[key] = super().setting(key, knob)
        return self.read[key]

    def rename(self, old: str, new: str) -> None:
        """Read the link's setting ``old`` as the setting ``new``."""
        if old in self._link:
            self._link = {new: self._link[old], **{key: text for key, text in self._link.items() if key != old}}

    def finish(self) -> None:
        """Raise ValueError for a link with settings that were not asked for."""
        unknown = set(self._link) - set(self.read) - set(CHANGE_NO_FIGURE)
        if unknown:
            raise ValueError(f"the link asks for {', '.join(sorted(unknown))}, which {self._spec.page!r} does not know")


def picture_of(spec: Spec, workshop: Workshop, progress: Progress) -> Picture:
    """The picture of ``spec``; a run is trained to its step, and ``progress`` is called with (step, last step).

    LookupError without such a page or figure; ValueError for settings that are not allowed, or if the run fails.
    """
    reader = SpecReader(spec)
    if spec.figure == TOGETHER and spec.page == METHODS_PAGE:
        made = _of_method(spec, reader, workshop, progress)
    elif spec.page in LIVE:
        made = LIVE[spec.page](spec, reader, workshop, progress)
    else:
        made = _of_room(_room(spec.page), spec, reader, workshop, progress)
    reader.finish()
    return made


def _room(page: str) -> Room[Any, Any]:
    rooms = [info.name for info in iter_modules(explain.__path__)]
    found = getattr(import_module(f"{explain.__name__}.{page}"), "ROOM", None) if page in rooms else None
    if not isinstance(found, Room):
        raise LookupError(f"there is no page {page!r} with figures; there are {', '.join(sorted({*LIVE, *rooms}))}")
    return found


def _of_room(room: Room[Any, Any], spec: Spec, reader: SpecReader, workshop: Workshop, progress: Progress) -> Picture:
    """The picture of a figure of an explanatory page, or of its scene editor."""
    run, step, scene, job, at, shows = None, None, None, None, None, ""
    for old, new in room.old_keys.items():
        reader.rename(old, new)
    source = reader.choice("subject", "Look at", ("scene", "live run", "your file"), "scene")
    if source == "scene":
        scene, settings = read_scene(room, reader)
        embeddings, names, shows = scene.scene.subject(scene.provenance), scene.scene.names(), scene.name
    else:
        if source == "your file":
            found = workshop.own_file(reader.setting(FIRST, FINGERPRINT))
            embeddings, names, shows = found.embeddings, found.file.names, named(found)
        else:
            run = run_form(reader)
            step = _step(spec, reader, run)
            job = workshop.train(run, step, progress, reader.setting(PLANE.name, PLANE))
            frame = job.at(step)
            assert frame is not None  # the job has come to that step
            assert job.subject is not None
            groups = RunSubject.GROUPS
            subject = RunSubject(run, job.subject, reader.choice("points", "Points", groups, groups[0]))
            embeddings, names, at = subject.embeddings(frame), subject.names, subject.embeddings
        shown = Subject(embeddings, ref(job) if job else None, step, at)
        embeddings, settings = room.from_run(shown, room.settings(reader, shown))
    title, losses = spec.title or room.title, room.losses(settings)
    whole = _spec(spec, reader, room.title, title, losses, run=run, step=step, scene=shows)
    editor: tuple[tuple[str, dict[str, Any]], ...] = ()
    if scene:
        data = scene.data(*room.drawn(settings), spec.theme)
        if spec.figure == room.key:
            return Picture("scene_editor", {**data, "lesson": {}}, whole)
        editor = (("scene_editor", {**data, "lesson": {}, "recipe": replace(whole, figure=room.key).write()}),)
    name = _name(room, spec)
    try:
        model = room.model(embeddings, settings)
    except NoModelError as none:
        raise ValueError(f"the page says: {none}") from none
    display = Display(spec.theme, tuple(names), tuple(embeddings.y.tolist()), scene is None)
    if name in room.components:
        component = room.components[name](model, display)
        return Picture(component.module, dict(component.data), whole, editor, component.arrays)
    return _chart(room.figures[name](model, display), spec, whole)


def _chart(chart: go.Figure, spec: Spec, whole: Spec) -> Picture:
    """The picture of a figure of Plotly."""
    data = {
        "figure": chart.to_json(),
        "alt": chart.layout.meta["alt"],
        "height": int(chart.layout.height),
        "link": None,
        "clickable": False,
        "theme": spec.theme,
        "ink": INK[spec.theme],
        "faint": FAINT[spec.theme],
        "palette": palette(),
    }
    return Picture("figure", data, whole)


def _of_start(spec: Spec, reader: SpecReader, workshop: Workshop, progress: Progress) -> Picture:
    del workshop, progress
    return _recorded(spec, reader, "start", "start", start_page.TITLE, start_page.CLAIM)


def _of_train(spec: Spec, reader: SpecReader, workshop: Workshop, progress: Progress) -> Picture:
    run, title = run_form(reader), train_page.TITLE
    branch = reader.setting(train_page.KEY, train_page.Written())
    if branch:
        race = Race(run, (Racer(run.loss), train_page.fork_racer(branch)))
        return _live(spec, reader, workshop, progress, "fork", "race", race, title, title)
    if _plays_recording(spec, run):
        reader.setting("step", _param("step", STEPS_CAP))
        return _recorded(spec, reader, _recording(spec), "train", title, title)
    return _live(spec, reader, workshop, progress, "train", "train", run, title, title)


def _of_race(spec: Spec, reader: SpecReader, workshop: Workshop, progress: Progress) -> Picture:
    race = race_page.race_settings(reader)
    if _plays_recording(spec, race) and (recorded := recording_of(race)):
        step = _step(spec, reader, race.run, "race.step")
        of_step = replace(spec, step=step)
        return _recorded(of_step, reader, recorded, "race", race_page.TITLE, race_page.CLAIM)
    return _live(spec, reader, workshop, progress, "race", "race", race, race_page.TITLE, race_page.claim(race))


def _of_sweep(spec: Spec, reader: SpecReader, workshop: Workshop, progress: Progress) -> Picture:
    sweep = sweep_page.sweep_settings(reader)
    score, look = sweep_page.shown_settings(reader)
    results = train_sweep(workshop.engine(), sweep, progress)
    table = sweeps.ScoreTable(table_of(sweep, results), again_of(sweep, results))
    model = sweeps.Model(sweeps.Settings(sweep, table, score, look))
    title = spec.title or sweep_page.TITLE
    whole = _spec(spec, reader, sweep_page.TITLE, title, [sweep.run.loss], run=sweep, step=model.step)
    return _figure(SWEEP, model, spec, whole)


def _of_own(spec: Spec, reader: SpecReader, workshop: Workshop, progress: Progress) -> Picture:
    del progress
    first, second = (reader.setting(key, FINGERPRINT) for key in (FIRST, SECOND))
    name = reader.setting("own.file", FILE)
    if spec.figure in [figure_name(OWN, name) for name in ("trained_on", "never_seen")]:
        images = workshop.own_images(name)
        model, shows = own.Model((), images), named_images(images)
    else:
        files = tuple(map(workshop.own_file, [first, *filter(None, [second])])) if first else scored_example()
        model = own.Model(files)
        shows = named(*model.files)
    return _figure(OWN, model, spec, _spec(spec, reader, OWN.title, spec.title or OWN.title, (), scene=shows))


def _figure(room: Room[Any, Any], model: Any, spec: Spec, whole: Spec) -> Picture:
    """The picture of a figure of a page without a scene."""
    return _chart(room.figures[_name(room, spec)](model, Display(spec.theme)), spec, whole)


def _name(room: Room[Any, Any], spec: Spec) -> str:
    """The room's name of the figure of ``spec``; LookupError if the room does not have it."""
    names = {figure_name(room, name): name for name in (*room.figures, *room.components)}
    if spec.figure not in names:
        raise LookupError(f"the page {spec.page!r} has no figure {spec.figure!r}; it has {', '.join(names)}")
    return names[spec.figure]


def _of_method(spec: Spec, reader: SpecReader, workshop: Workshop, progress: Progress) -> Picture:
    """The live picture of a method and the plain loss, trained together."""
    _, settings = read_scene(BEYOND, reader)
    race, title = race_of(settings), BEYOND.title
    return _live(spec, reader, workshop, progress, TOGETHER, "race", race, title, title)


LIVE: Mapping[str, Callable[[Spec, SpecReader, Workshop, Progress], Picture]] = {
    "start": _of_start,
    "train": _of_train,
    "race": _of_race,
    "sweep": _of_sweep,
    "your_data": _of_own,
}


def _plays_recording(spec: Spec, wanted: Run | Race) -> bool:
    """Whether the page plays a recording: as the spec says or, for a link alone, if these settings were recorded."""
    return bool(recording_of(wanted)) if spec.run is None else bool(spec.run.get(specs.RECORDED))


def _recording(spec: Spec) -> str:
    """The name of the recording that a training page plays: that of the run of ``spec``, or else of the default run."""
    runs = {name: declared_run(run) for name, run in RECORDED.items() if isinstance(run, Run)}
    return next((name for name, run in runs.items() if spec.run and {**spec.run, **run} == spec.run), "start")


def _recorded(spec: Spec, reader: SpecReader, name: str, key: str, page: str, title: str) -> Picture:
    """The live picture ``key`` of a recorded run or race, at the step of ``spec``, or else at its end."""
    body, trained = (FOLDER / f"{name}.bin").read_bytes(), RECORDED[name]
    *_, last = messages(body)
    losses = [racer.loss for racer in trained.racers] if isinstance(trained, Race) else [trained.loss]
    run = declared_race(trained) if isinstance(trained, Race) else declared_run(trained)
    end = unpack(last)[0]["step"]
    whole = replace(
        _spec(spec, SpecReader(spec), page, title, losses),
        figure=key,
        step=end,
        link=spec.link if isinstance(trained, Race) else spec.link.partition("?")[0],
        run={**run, specs.RECORDED: True},
    )
    whole = replace(whole, caption=f"Recorded. {caption(whole, page)}")
    del reader
    layout = "race" if isinstance(trained, Race) else key
    path = (FOLDER / name).with_suffix(EMBEDDINGS)
    z = path.read_bytes() if path.exists() else None
    return _played(spec, whole, layout, body, end if spec.step is None else spec.step, None, "step", z)


def _live(
    spec: Spec,
    reader: SpecReader,
    workshop: Workshop,
    progress: Progress,
    key: str,
    layout: str,
    wanted: Run | Race,
    page: str,
    title: str,
) -> Picture:
    """The live picture ``key`` of ``wanted``, trained to the step of ``spec``, with all of its frames as a recording."""
    setting, point = ("step", "query") if key == "train" else (f"{key}.step", f"{key}.point")
    step = _step(spec, reader, wanted.run if isinstance(wanted, Race) else wanted, setting)
    if key == "fork":
        reader.setting("step", _param("step", STEPS_CAP))
        reader.setting("query", _param("query", 499))
    query = reader.setting(point, _param(point, 499 if key == "train" else MOST_RACERS * 500 - 1))
    plane = reader.setting(PLANE.name, PLANE) if key != "race" else PLANE.default
    job = workshop.train(wanted, step, progress, plane)
    body, z = recording(job), embeddings_message(job, step) if key == "train" else None
    losses = [racer.loss for racer in wanted.racers] if isinstance(wanted, Race) else [wanted.loss]
    whole = replace(_spec(spec, reader, page, title, losses, run=wanted, step=step), figure=key)
    return _played(spec, whole, layout, body, step, None if query == NO_POINT else query, setting, z)


def _played(
    spec: Spec, whole: Spec, layout: str, body: bytes, step: int, query: int | None, setting: str, z: bytes | None
) -> Picture:
    key = whole.figure
    if spec.figure != key and not spec.figure.startswith(f"{key}-"):
        raise LookupError(f"the page {spec.page!r} has no figure {spec.figure!r}; it has {key} and its panels")
    url = f"data:application/octet-stream;base64,{base64.b64encode(body).decode()}"
    data = {
        "mode": "recorded",
        "url": url,
        "subject": None,
        "palette": palette(),
        "theme": spec.theme,
        "layout": layout,
        "step": step,
        "query": query,
        "status": None,
        "setting": setting,
        "embeddings": base64.b64encode(z).decode() if z else None,
    }
    return Picture("live", data, whole)


def _step(spec: Spec, reader: SpecReader, run: Run, setting: str = "step") -> int:
    """The step of the picture: that of the spec or its link, or else the last of the run."""
    asked = int(reader.setting(setting, _param(setting, STEPS_CAP)))
    step = asked if spec.step is None else spec.step
    return run.steps if step < 0 else step


def _param(name: str, most: int) -> Param:
    return Param(name, NEWEST, "", name.replace(".", " "), domain=Domain(NEWEST, most, False, False))


def _spec(
    spec: Spec,
    reader: SpecReader,
    page: str,
    title: str,
    losses: Sequence[Loss],
    *,
    run: Run | Race | Sweep | None = None,
    step: int | None = None,
    scene: str = "",
) -> Spec:
    """The full spec of the picture of ``spec``, with all settings and a new caption."""
    query = next((value for key, value in reader.read.items() if key.rpartition(".")[2] == "query"), None)
    trained = None if run is None else DECLARED[type(run)](run)
    made = Spec(
        spec.figure,
        spec.page,
        spec.link,
        title,
        theme=spec.theme,
        loss=tuple(map(declared, dict.fromkeys(losses))),
        run=trained,
        step=step,
        query=query if isinstance(query, int) and query >= 0 else None,
        settings=dict(reader.read),
    )
    return replace(made, caption=caption(made, page, scene))
