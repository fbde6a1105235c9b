"""The picture of a spec: the page's own figure, with the settings of the link, without the page."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np

from dml_viz import explain
from dml_viz.data.wire import messages, unpack
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.engine.messages import embeddings_message
from dml_viz.engine.recordings import EMBEDDINGS, FOLDER, RECORDED, recording_of
from dml_viz.engine.sweeps import recording_of_job
from dml_viz.figure_files import spec as specs
from dml_viz.figure_files.caption import caption
from dml_viz.figure_files.spec import DECLARED, Spec, declared_part, query_in
from dml_viz.losses import Loss
from dml_viz.params import Param
from dml_viz.plot.canvas import Display
from dml_viz.plot.style import palette
from dml_viz.room.ask import AT, Setting
from dml_viz.room.component_data import figure_data
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.room import NoModelError, Room, figure_name
from dml_viz.room.source import NO_POINT, PLANE, VIEW, Host, Live, Subject, losses_of
from dml_viz.training.race import Race

# Settings of a link that change no figure: those of a lesson, the speed of a live picture, and where the page is scrolled to.
CHANGE_NO_FIGURE = ("ask", "answer", "lock", "hide", "predict", "speed", AT)


@dataclass(frozen=True)
class BrowserPicture:
    """A picture for a browser: the ``module`` of assets/src/components and its ``data``, with the ``spec`` of the figure.

    ``others`` are modules and data of components on which it depends. With ``arrays``, both are sent as one message
    (dml_viz/data/wire.py).
    """

    module: str
    data: dict[str, Any]
    spec: Spec
    others: tuple[tuple[str, dict[str, Any]], ...] = ()
    arrays: Mapping[str, np.ndarray] | None = None


class SpecReader(LinkReader):
    """Reader of the settings of a spec's link; ``read`` has the values of those that were asked for."""

    def __init__(self, spec: Spec) -> None:
        # The page's recorded run was once saved with a link that has no version though it is today's.
        bare = spec.run is not None and spec.run.get(specs.RECORDED) and spec.link == "train"
        super().__init__(spec.link_settings, written=spec.run is not None and not bare)
        self.figure, self.read = spec.figure, dict[str, Any]()
        self._spec = spec

    def setting(self, key: str, knob: Setting) -> Any:
        """The value of the link under ``key``."""
        self.read[key] = super().setting(key, knob)
        return self.read[key]

    def step(self, knob: Param) -> int:
        """The step that the spec shows; without one, the link's."""
        of_link = super().step(knob)
        return of_link if self._spec.step is None else self._spec.step

    def rename(self, old: str, new: str) -> None:
        """Read the link's setting ``old`` as the setting ``new``."""
        if old in self._link:
            self._link = {new: self._link[old], **{key: text for key, text in self._link.items() if key != old}}

    def finish(self) -> None:
        """Raise ValueError for a link with settings that were not asked for."""
        unknown = set(self._link) - set(self.read) - set(CHANGE_NO_FIGURE)
        if unknown:
            raise ValueError(f"the link asks for {', '.join(sorted(unknown))}, which {self._spec.page!r} does not know")


def browser_picture(spec: Spec, host: Host) -> BrowserPicture:
    """The picture of ``spec`` as a browser draws it; ``host`` trains runs and has the visitor's files.

    LookupError without such a page or figure; ValueError for settings that are not allowed, or if a run fails.
    """
    room, reader = room_of(spec.page), SpecReader(spec)
    for old, new in room.old_keys.items():
        reader.rename(old, new)
    subject = room.source.resolve(room.source.form(reader), host)
    embeddings, settings = room.batch(reader, subject)
    live = room.live(settings) if room.live else None
    if live and f"{spec.figure}-".startswith(f"{live.figure}-"):
        picture = _live(spec, reader, room, live, host, room.variations(settings))
    else:
        picture = _still(spec, reader, room, subject, embeddings, settings)
        if live:
            _seen(reader, live)
    reader.finish()
    return picture


def room_of(page: str) -> Room[Any, Any]:
    """The room of the page ``page``; LookupError for a page without figures."""
    room = getattr(import_module(f"{explain.__name__}.{page}"), "ROOM", None) if page in pages() else None
    if not isinstance(room, Room):
        known = [name for name in pages() if hasattr(import_module(f"{explain.__name__}.{name}"), "ROOM")]
        raise LookupError(f"there is no page {page!r} with figures; there are {', '.join(known)}")
    return room


def pages() -> list[str]:
    """The addresses of all pages of explanations, most of which have figures."""
    return [info.name for info in iter_modules(explain.__path__)]


def _still(
    spec: Spec, reader: SpecReader, room: Room[Any, Any], subject: Subject, embeddings: Embeddings, settings: Any
) -> BrowserPicture:
    """The picture of a figure of the room's model, or of the scene that its page edits."""
    losses = room.losses_by_figure(settings).get(spec.figure, room.losses(settings))
    whole = _spec(spec, reader, room.title, spec.title or room.title, losses, subject, room.variations(settings))
    if (shown := room.captions_by_figure(settings).get(spec.figure)) is not None:
        whole = replace(whole, query=None)
        whole = replace(whole, caption=caption(whole, room.title, shown))
    editor: tuple[tuple[str, dict[str, Any]], ...] = ()
    if subject.scene:
        data = {**subject.scene.data(*room.drawn(settings), spec.theme), "lesson": {}}
        if spec.figure == room.key:
            return BrowserPicture("scene_editor", data, whole)
        editor = (("scene_editor", {**data, "recipe": replace(whole, figure=room.key).write()}),)
    names = {figure_name(room, name): name for name in (*room.figures, *room.components)}
    if spec.figure not in names:
        panels = [f"{room.live(settings).figure} and its panels"] if room.live else []
        raise LookupError(f"the page {spec.page!r} has no figure {spec.figure!r}; it has {', '.join([*names, *panels])}")
    name = names[spec.figure]
    try:
        model = room.model(embeddings, settings)
    except NoModelError as none:
        raise ValueError(f"the page says: {none}") from none
    labels = tuple(embeddings.y.tolist()) if subject.names else ()
    display = Display(spec.theme, subject.names, labels, subject.of_run)
    if name in room.components:
        component = room.components[name](model, display)
        return BrowserPicture(component.module, dict(component.data), whole, editor, component.arrays)
    chart = room.figures[name](model, display)
    words, height = chart.layout.meta["alt"], int(chart.layout.height)
    data = dict(figure_data(spec.theme, figure=chart.to_json(), alt=words, height=height, palette=palette()))
    return BrowserPicture("figure", data, whole)


def _live(
    spec: Spec, reader: SpecReader, room: Room[Any, Any], live: Live, host: Host, variations: Sequence[str]
) -> BrowserPicture:
    """The live picture of a run or race: its recording, or all of its frames, trained to the last step of ``spec``."""
    step, query, view = _seen(reader, live)
    plane = reader.setting(PLANE.name, PLANE) if live.view.slot == "run" else PLANE.default
    if name := recording_played_by(spec, live):
        body = (FOLDER / f"{name}.bin").read_bytes()
        *_, last = messages(body)
        path = (FOLDER / name).with_suffix(EMBEDDINGS)
        z, end = path.read_bytes() if path.exists() else None, unpack(last)[0]["step"]
        subject = Subject(trained=RECORDED[name], step=end if step < 0 else step)
        whole = _spec(spec, reader, room.title, live.title, losses_of(RECORDED[name]), subject, images=True)
        whole = replace(whole, run={**(whole.run or {}), specs.RECORDED: True}, caption=f"Recorded. {whole.caption}")
    else:
        end = live.run.steps
        step = end if step < 0 else step
        job = host.train(live.trained, step, plane, spec.last_step)
        body, z = recording_of_job(job), None if isinstance(live.trained, Race) else embeddings_message(job, step)
        subject = Subject(trained=live.trained, step=step)
        whole = _spec(spec, reader, room.title, live.title, losses_of(live.trained), subject, variations, images=True)
    data = {
        "mode": "recorded",
        "url": f"data:application/octet-stream;base64,{base64.b64encode(body).decode()}",
        "subject": None,
        "palette": palette(),
        "theme": spec.theme,
        "layout": live.layout,
        "picture": live.picture,
        "step": end if step < 0 else step,
        "query": None if query == NO_POINT else query,
        "view": view or None,
        "status": None,
        "setting": live.view.step.name,
        "embeddings": base64.b64encode(z).decode() if z else None,
    }
    return BrowserPicture("live", data, replace(whole, figure=live.figure, last_step=spec.last_step))


def _seen(reader: SpecReader, live: Live) -> tuple[int, int, str]:
    """The step, the point and the choice of points that a live picture shows."""
    for knob in live.others:
        reader.setting(knob.name, knob)
    view = reader.setting(f"{live.figure}.view", VIEW)
    return reader.step(live.view.step), reader.setting(live.view.point.name, live.view.point), view


def recording_played_by(spec: Spec, live: Live) -> str:
    """The name of the recording that ``spec`` shows, or that a link alone plays since it has these settings; empty for none."""
    if live.recording or spec.run is None:
        return live.recording or recording_of(live.trained)
    if not spec.run.get(specs.RECORDED):
        return ""
    declarations = {name: DECLARED[type(each)](each) for name, each in RECORDED.items()}
    return next((name for name, run in declarations.items() if {**spec.run, **run} == spec.run), recording_of(live.trained))


def _spec(
    spec: Spec,
    reader: SpecReader,
    page: str,
    title: str,
    losses: Sequence[Loss],
    subject: Subject,
    variations: Sequence[str] = (),
    *,
    images: bool = False,
) -> Spec:
    """The full spec of the picture of ``spec``, with all settings and a new caption, which credits the images shown."""
    trained = subject.trained
    whole = Spec(
        spec.figure,
        spec.page,
        spec.link,
        title,
        theme=spec.theme,
        loss=tuple(map(declared_part, dict.fromkeys(losses))),
        run=None if trained is None else DECLARED[type(trained)](trained),
        step=subject.step,
        query=query_in(reader.read),
        settings=dict(reader.read),
    )
    return replace(whole, caption=caption(whole, page, subject.caption, variations, images=images))
