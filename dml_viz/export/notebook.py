"""Pictures of the app in Jupyter and marimo: a loop that is watched, as it trains, and any figure, of your embeddings too."""

import base64
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from threading import Lock, Thread
from typing import Any

import anywidget
import traitlets

from dml_viz.assets import ASSETS, PLOTLY
from dml_viz.data.wire import pack
from dml_viz.engine.limits import Limits
from dml_viz.engine.messages import fed_message, subject_message
from dml_viz.engine.watched import MOST_BYTES
from dml_viz.engine.watched_job import QUIET, WatchedJob, WatchedLoop
from dml_viz.export.command_host import CommandHost
from dml_viz.export.compose import names_file, spec_of_link
from dml_viz.export.look import errors_of_arrays, save_arrays
from dml_viz.export.picture import BrowserPicture, browser_picture
from dml_viz.plot.style import palette
from dml_viz.room.component_data import LiveData
from dml_viz.room.terms import TERMS
from dml_viz.serve.watch_route import parts_for_later_frames
from dml_viz.training.watch.frames import Received, received
from dml_viz.training.watch.hook import Watching
from dml_viz.training.watch.sender import Sender

STYLES = ("live", "gradients", "export")


class Widget(anywidget.AnyWidget):
    """What a component of assets/src/components draws; it brings the scripts, as a notebook has no server of ours."""

    _esm = ASSETS / "dist" / "js" / "notebook.js"
    _css = "".join((ASSETS / "css" / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
    module = traitlets.Unicode().tag(sync=True)
    scripts = traitlets.Dict().tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    packed = traitlets.Bytes().tag(sync=True)  # the data, where it has arrays
    fed = traitlets.Bytes().tag(sync=True)  # the newest frame

    def __init__(self, module: str, **state: Any) -> None:
        texts = {"parts": ASSETS / "dist" / "js" / "notebook_parts.js", "plotly": PLOTLY}
        scripts = {name: path.read_text(encoding="utf-8") for name, path in texts.items()}
        super().__init__(module=module, scripts=scripts, **state)
        self.on_msg(lambda _, report, __: self.receive(report))

    def receive(self, report: dict[str, Any]) -> None:
        """Take up what the browser reports."""


class _InProcess(Sender):
    """Hands frames over in this process."""

    def __init__(self, take: Callable[[bytes], bool]) -> None:
        super().__init__("notebook")
        self._take, self.thread_type = take, _thread_type()

    def _hand_over(self, body: bytes) -> bool:
        self.wants_images = self._take(body)
        return True

    def _end(self) -> None:
        self._take(b"")


class Live(Widget):
    """The live picture of a loop, as *Train live* has it."""

    def __init__(self, loop: Watching) -> None:
        super().__init__("live")
        self._job: WatchedJob | None = None
        self._step: int | None = None
        self._status = ""
        self._lock = Lock()
        self._sender = loop.sender = _InProcess(self._take)

    def receive(self, report: dict[str, Any]) -> None:
        if "shown" in report:
            self.send_state(["data", "fed"])
        if "step" in report:
            self._step = report["step"]["value"]
            self._show()
        if "points" in report:
            self._show(report["points"])

    def _take(self, body: bytes) -> bool:
        """Take in a frame, or with none the end of the loop; whether images are still wanted."""
        new = received(body, *parts_for_later_frames(self._job)) if body else None
        if isinstance(new, Received) and not self._job:
            self._job = WatchedJob(self._sender.run, WatchedLoop(new, replace(Limits(), history=MOST_BYTES)))
            _thread_type()(target=self._rest, daemon=True).start()
        if new and self._job:
            self._job.add(new)
        elif self._job:
            self._job.end()
        self._show()
        return not (self._job and self._job.loop.subject.images.size)

    def _rest(self) -> None:
        """Say so when the loop stops, and when it goes on."""
        while (job := self._job) and not job.wait_for(lambda one: one.status == "done", QUIET):
            if job.status != self._status:
                self._show()

    def _show(self, points: str = "") -> None:
        """Send the frame, and the ``points`` of key frames between two steps, if they are asked for."""
        if not (job := self._job):
            return
        with self._lock:
            if not self.data:
                self.data = dict(self._settings(job))
            self._status = job.status
            self.fed = fed_message(job, self.data["url"], self._step, points)

    def _settings(self, job: WatchedJob) -> LiveData:
        subject = subject_message(job)
        assert subject is not None  # it has a frame
        return {
            "mode": "bytes",
            "url": f"/live/{job.id}",
            "subject": base64.b64encode(subject).decode(),
            "palette": palette(),
            "theme": "light",
            "layout": "train",
            "picture": "map",
            "terms": TERMS,
            "view": None,
            "step": None,
            "query": None,
            "status": job.status,
            "setting": "step",
            "recipe": None,
        }


class Still(Widget):
    """A figure, made again where the notebook has another theme than it was made for."""

    def __init__(self, made: Callable[[str], BrowserPicture]) -> None:
        self._made = made
        first = made("light")
        super().__init__(first.module, **_state(first))

    def receive(self, report: dict[str, Any]) -> None:
        if report.get("theme") in ("light", "dark"):
            for name, value in _state(self._made(report["theme"])).items():
                setattr(self, name, value)


def live(loop: Watching) -> Widget:
    """The live picture of ``loop``, which ``watch(loss)`` returned: the last line of a cell, before that which trains.

    In marimo the cell that makes the picture has to show it; shown by another cell, it does not follow the steps.
    """
    return Live(loop)


def figure(link: str, z: Any | None = None, y: Any = None, *, images: Any = None, names: Sequence[str] | None = None) -> Widget:
    """A notebook's widget with the figure that ``link`` names behind ``#``, of rows z (N, d) with labels y (N,), if given.

    Rows and labels are arrays or tensors. ``link`` is such as "fastap?fastap.bins=20#fastap-pipeline"; *Share* and the gallery
    have it. ``images`` and ``names`` are as for `dml_viz.look`. ValueError or LookupError, with a sentence, for what cannot be
    made.
    """
    if y is None and not (z is None and images is None):
        raise ValueError("rows and images need labels here: figure(link, z, y)")
    with tempfile.TemporaryDirectory() as folder, errors_of_arrays(), ExitStack() as stack:
        files = [] if y is None else [save_arrays(folder, z=z, y=y, images=images, names=names)]
        host = CommandHost(stack, data=files)
        spec = spec_of_link(link, tuple(host.own))
        if host.own and not names_file(spec.link):
            raise ValueError(f"the figures of the page {spec.page!r} draw no rows of yours; leave z and y out")
        return Still(lambda theme: browser_picture(replace(spec, theme=theme), host))


def _thread_type() -> type[Thread]:
    """The threads that may speak to the notebook: marimo has its own."""
    marimo = sys.modules.get("marimo")
    return marimo.Thread if marimo and marimo.running_in_notebook() else Thread


def _state(picture: BrowserPicture) -> dict[str, Any]:
    if picture.arrays is not None:
        return {"packed": pack({**picture.data, "recipe": None}, picture.arrays)}
    return {"data": {**picture.data, "recipe": None}}
