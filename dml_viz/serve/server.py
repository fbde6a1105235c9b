"""The server's shared parts for all visitors: the engine with its workers, and the routes beside Streamlit's own."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import plotly.graph_objects  # noqa: F401  imported before the first visitor waits for it
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from threadpoolctl import threadpool_limits
from uvicorn.protocols.http import h11_impl

from dml_viz.data.files import OwnEmbeddings, OwnImages
from dml_viz.data.own_images import read_and_register_images
from dml_viz.engine import Engine, start, workers_at
from dml_viz.engine.limits import Visitor
from dml_viz.engine.store import store_at
from dml_viz.losses import KNOWN
from dml_viz.losses.formula import Formula
from dml_viz.params import params
from dml_viz.serve import connections, figure_store, stream, watch_route
from dml_viz.serve.answering import answer_queue, message_queue, respond
from dml_viz.serve.classroom import codes, documents, route
from dml_viz.serve.classroom.classrooms import Classrooms
from dml_viz.serve.classroom.codes import Signer
from dml_viz.serve.classroom.needs import ClassroomNeeds
from dml_viz.serve.classroom.questions import PagePrediction
from dml_viz.serve.configuration import WATCH_FROM, value_of
from dml_viz.serve.files import version
from dml_viz.serve.visitors import seats, visitor_of
from dml_viz.threads import once
from dml_viz.to_pytorch import snippet

LONGEST_LINK = 1 << 20  # bytes; a longer one is refused before it is read


def check() -> None:
    """End the program with a sentence, in place of a server, where the configuration cannot be used."""
    try:
        seats()
        store_at(value_of("store"))
        codes.check(value_of("classroom_secret"))
        workers_at(value_of("workers"))
        if (watch_from := value_of("watch_from")) not in WATCH_FROM:
            raise ValueError(f"watch_from = {watch_from!r} is not allowed; choose {' or '.join(WATCH_FROM)}")
        files_to_look_at()
    except (OSError, ValueError) as error:
        sys.exit(f"The app cannot start: {error}.")


@once
def files_to_look_at() -> tuple[tuple[OwnEmbeddings | OwnImages, OwnImages | None], ...]:
    """The content of each file that the configuration names, and its images; FileError for one that cannot be used."""
    return tuple(read_and_register_images(Path(name)) for name in value_of("look").split(os.pathsep) if name)


@once
def engine() -> Engine:
    """The one engine of this server process."""
    return start(workers_at(value_of("workers")), store=store_at(value_of("store")))


@contextmanager
def serving(*, warm: bool = True) -> Iterator[None]:
    """Start the engine before the first visitor if ``warm``, else with the first run, and close it with the server."""
    if too_few := connections.raise_file_limit():
        print(too_few, file=sys.stderr, flush=True)
    # Pages compute little at a time, for many visitors: threads that wait for each other cost more than they give.
    threadpool_limits(1)  # of numpy, which Streamlit has loaded; one_thread.py says it to torch
    # Computing threads yield to the event loop five times as often as by default.
    sys.setswitchinterval(0.001)
    # Streamlit does not pass this setting to uvicorn, whose default refuses some long links, depending on network packets.
    h11_impl.DEFAULT_MAX_INCOMPLETE_EVENT_SIZE = LONGEST_LINK  # type: ignore[attr-defined]
    connections.close_slow_requests()
    route.keep_out_of_log()
    # The first visitors come together, a class behind one link: what every page needs is there.
    version()
    if warm:
        engine()
    try:
        yield
    finally:
        if ended := engine.forget():
            ended.close()


@once
def signer() -> Signer:
    """The signatures of all replicas: with the configured secret, or with that of the store that they share."""
    secret = value_of("classroom_secret").encode()
    return Signer(lambda new: secret or engine().store.first(codes.KEY, new))


def routes(predictions: Callable[[], Mapping[str, PagePrediction]] = dict) -> list[BaseRoute]:
    """The live stream, the components' scripts, recorded runs, losses as PyTorch, the figures that pages offer, and classrooms.

    The pages have these ``predictions`` for classrooms.
    """
    compute = partial(answer_queue().make, Visitor("classrooms"), "questions")
    classrooms = once(lambda: Classrooms(ClassroomNeeds(signer(), predictions(), lambda run: engine().get(run), compute)))
    return [
        *documents.routes(),
        *route.routes(classrooms, visitor_of),
        *stream.routes(engine, message_queue, visitor_of),
        pytorch_route(),
        watch_route.frames_route(engine),
        *figure_store.routes(),
    ]


def below(base: str, route: BaseRoute) -> BaseRoute:
    """The ``route`` below the path ``base``, where Streamlit has its own; ``route`` itself without a base."""
    if base and isinstance(route, Route):
        return Route(f"/{base}{route.path}", route.endpoint, methods=route.methods)
    if base and isinstance(route, WebSocketRoute):
        return WebSocketRoute(f"/{base}{route.path}", route.endpoint)
    return route


def pytorch_route() -> Route:
    """``/export/pytorch/{loss}``, its knobs as the query."""
    return Route("/export/pytorch/{loss}", partial(respond, make=_pytorch))


def _pytorch(request: Request) -> Response:
    kind = KNOWN.get(request.path_params["loss"])
    if kind is None:
        return PlainTextResponse("There is no such loss.", 404)
    if kind is Formula:
        return PlainTextResponse("A formula of your own has no code in PyTorch: it is computed as it is written.", 404)
    known = {knob.name: knob for knob in params(kind)}
    try:
        values = {name: _value(known[name], text) for name, text in request.query_params.items() if name in known}
        code = snippet(kind(**values))
    except ValueError as error:
        return PlainTextResponse(str(error)[:300], 400)
    return PlainTextResponse(code, headers={"X-Content-Type-Options": "nosniff"})


def _value(knob: Any, text: str) -> Any:
    """A knob's value, anywhere in its domain; ValueError for other texts."""
    if knob.kind is bool:
        return knob.read(text)
    try:
        value = knob.kind(float(text)) if knob.kind in (int, float) else text
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{knob.name} = {text[:30]!r} is no number") from error
    if wrong := knob.error_for(value):
        raise ValueError(wrong)
    return value
