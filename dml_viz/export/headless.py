"""A page run without a browser, for the figure of a spec: the same script, the same settings, the same numbers."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from streamlit import config, logger
from streamlit.testing.v1 import AppTest

from dml_viz.app import figure_store, server
from dml_viz.app.frame import PAGES, rooms
from dml_viz.app.theme import WANTED
from dml_viz.assets import ASSETS
from dml_viz.engine import Job
from dml_viz.engine.messages import subject_message
from dml_viz.engine.recordings import messages
from dml_viz.engine.stream import newest_message
from dml_viz.engine.wire import unpack
from dml_viz.figure_files.spec import RECORDED, Spec

Progress = Callable[[int, int], None]
SCRIPT_WITHIN, STEP_WITHIN = 120.0, 120.0  # seconds: for one run of a page, and for a run's next step
LOOK = 0.1  # seconds between looks at a run that trains
RUNS, RACES = ("live.id",), ("race.id", "fork.id")  # where a session keeps a job
SETTLED = 4  # runs of a page at most until its figure stands still


@dataclass(frozen=True)
class Component:
    """What a page gives the browser to draw: the module of assets/src/components and its data.

    ``others`` are the same of components that tell it what to draw. ``arrays`` go with the data where both are one message
    (dml_viz/engine/wire.py).
    """

    module: str
    data: dict[str, Any]
    others: tuple[tuple[str, dict[str, Any]], ...] = ()
    arrays: Mapping[str, np.ndarray] | None = None


def prepare() -> None:
    """Once, in a process that runs pages alone: their faults are told whole, and no word is lost on the missing browser."""
    config.set_option("client.showErrorDetails", "full")
    logger.set_log_level("CRITICAL")


def component(spec: Spec, progress: Progress) -> Component:
    """What draws the figure of ``spec``; a run is trained to its step, and ``progress`` told of it (step, of how many).

    LookupError where there is no such page or figure; ValueError where its settings cannot be had, or the run cannot be made.
    """
    app = _app(spec)
    _run(app)
    if spec.run is not None and not spec.run.get(RECORDED):
        live = _job(app, RACES if "racers" in spec.run else RUNS)
        _trained(live, spec.step or 0, progress)
        for _ in range(SETTLED):
            _run(app)
            found = _found(app, spec)
            if found.data["recipe"]["step"] == spec.step:
                return _standing(found, live, spec.step)
        raise ValueError(f"the page does not show step {spec.step} of the run")
    return _standing(_found(app, spec), None, spec.step)


def _app(spec: Spec) -> AppTest:
    room = next((room for room in rooms() if room.url == spec.page), None)
    if room is None:
        raise LookupError(f"there is no page {spec.page!r}; there are {', '.join(room.url for room in rooms())}")
    app = AppTest.from_file(PAGES / room.file, default_timeout=SCRIPT_WITHIN)
    for key, value in spec.asked.items():
        app.query_params[key] = value
    app.session_state[WANTED] = spec.theme
    return app


def _run(app: AppTest) -> None:
    app.run()
    if app.exception:
        raise ValueError(f"the page fails: {app.exception[0].message}")
    if app.error:
        raise ValueError(f"the page says: {app.error[0].value}")
    complaint = next((said.value for said in app.warning if "cannot be had" in said.value), None)
    if complaint:
        raise ValueError(complaint)


def _found(app: AppTest, spec: Spec) -> Component:
    drawn = [_given(each.proto) for each in app.get("bidi_component")]
    there = [(one, one.data["recipe"]["figure"]) for one in drawn if "recipe" in one.data]
    for one, figure in there:
        # The panels of a live picture go by its name and theirs.
        if figure == spec.figure or (one.module == "live" and spec.figure.startswith(f"{figure}-")):
            alone = one.module in ("figure", "live", "scene_editor")
            others = (
                () if alone else tuple((other.module, other.data) for other in drawn if other.module == "scene_editor")
            )
            return replace(one, others=others)
    names = ", ".join(figure for _, figure in there) or "none"
    raise LookupError(f"the page {spec.page!r} has no figure {spec.figure!r}; it has {names}")


def _given(proto: Any) -> Component:
    module = proto.component_name.rpartition(".")[2]
    if proto.WhichOneof("data") != "bytes":
        return Component(module, _made(json.loads(proto.json or "{}")))
    header, arrays = unpack(proto.bytes)
    return Component(module, header, arrays=arrays)


def _made(data: dict[str, Any]) -> dict[str, Any]:
    """The data with the figure that the page offers, where it offers one."""
    if "source" not in data:
        return data
    text = figure_store.store().text(str(data["source"]).rpartition("/")[2]) or "{}"
    layout = json.loads(text)["layout"]
    return {**data, "figure": text, "alt": layout["meta"]["alt"], "height": layout["height"]}


def _job(app: AppTest, places: tuple[str, ...]) -> Job:
    keys = [key for key in places if key in app.session_state]
    job = server.engine().get(app.session_state[keys[0]]) if keys else None
    if job is None:
        raise ValueError(f"the link begins no {'run' if places == RUNS else 'race'}")
    return job


def _trained(live: Job, step: int, progress: Progress) -> None:
    """Wait until the run has come to ``step``."""
    reached, since = -1, time.monotonic()
    while live.step < step:
        live.watch()
        if live.status == "failed":
            raise ValueError(f"the run fails: {live.reason}")
        if live.step > reached:
            reached, since = live.step, time.monotonic()
            progress(reached, step)
        elif time.monotonic() - since > STEP_WITHIN:
            raise ValueError(f"the run stands still at step {reached}")
        live.wait_for(lambda run: run.step >= step, LOOK)
    progress(step, step)


def _standing(found: Component, live: Job | None, step: int | None) -> Component:
    """A live picture with its run inside, so that it needs no server; a recorded one stands at its end, unless at a step."""
    if found.module != "live":
        return found
    data = found.data
    if live is not None and data["mode"] != "recorded":
        found_bodies = [subject_message(live), *(newest_message(live, shown) for shown in live.steps)]
        bodies = [body for body in found_bodies if body]
        recording = b"".join(len(body).to_bytes(4, "little") + body for body in bodies)
    else:
        recording = (ASSETS / data["url"].lstrip("/")).read_bytes()
        if step is None:
            *_, last = messages(recording)
            step = unpack(last)[0]["step"]
    url = f"data:application/octet-stream;base64,{base64.b64encode(recording).decode()}"
    return replace(found, data={**data, "mode": "recorded", "step": step, "url": url})
