"""The route to which training loops send their frames; closed unless ``watch_tokens`` are configured.

Only loops on this machine may send, unless the configured ``watch_from`` is "anywhere".
"""

import asyncio
import hmac
import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dml_viz.engine import Engine
from dml_viz.engine.watched import MOST_RUNS, viewer_of
from dml_viz.engine.watched_job import WatchedJob
from dml_viz.serve.configuration import WATCH_FROM, value_of
from dml_viz.serve.visitors import LOOPBACK
from dml_viz.training.watch.frames import Received, received
from dml_viz.training.watch.steps import Losses

MOST_BYTES = 24_000_000  # of a message
SILENT, WITHIN = 10.0, 60.0  # seconds from one part of a message to the next; of a whole message
PAGE, KEY = "train", "watch"
RUN = re.compile(r"[\w-]{4,64}")
CLOSED = "This server watches no training loops; dml-viz watch starts one that does"


def frames_route(engine: Callable[[], Engine]) -> Route:
    """``/watch/{run}``, which takes a frame and answers with the page that shows it; an empty body ends the run."""
    under_way: dict[str, int] = {}

    async def receive(request: Request) -> Response:
        token, refused = _token(request)
        if refused:
            return refused
        viewer, run = viewer_of(token), request.path_params["run"]
        if under_way.get(viewer, 0) >= MOST_RUNS:
            return PlainTextResponse("Frames of as many loops are on the way as are taken.", 429)
        under_way[viewer] = under_way.get(viewer, 0) + 1
        try:
            return await _take(engine(), viewer, run, await _body(request))
        except ClientDisconnect:
            return Response(status_code=400)
        except ValueError as error:
            return PlainTextResponse(f"{error}.", 400)
        except TimeoutError:
            words = f"The frame stopped on its way: nothing came for {SILENT:g} seconds, or it took more than {WITHIN:g}."
            return PlainTextResponse(words, 408, {"Connection": "close"})
        finally:
            under_way[viewer] -= 1
            if not under_way[viewer]:
                del under_way[viewer]

    return Route("/watch/{run}", receive, methods=["POST"])


async def _take(engine: Engine, viewer: str, run: str, body: bytes) -> Response:
    job = engine.watched.job(viewer, run)
    if not body:
        if job:
            job.end()
        return JSONResponse({"page": _page(viewer), "wants_images": False})
    plane, first, images = parts_for_later_frames(job)
    new: Received | Losses = await asyncio.wrap_future(engine.submit(received, body, plane, first, images))
    if not await asyncio.to_thread(engine.watched.receive, viewer, run, new):
        return PlainTextResponse("A run begins with a frame.", 409)
    job = engine.watched.job(viewer, run)
    return JSONResponse({"page": _page(viewer), "wants_images": not (job and job.loop.subject.images.size)})


def parts_for_later_frames(job: WatchedJob | None) -> tuple[NDArray[np.float32] | None, float, NDArray[np.uint8] | None]:
    """The parts of a run that later frames need: the plane, the first value of the loss, and the images."""
    if job is None or not (frame := job.at()):
        return None, 0.0, None
    first = job.loop.history.first
    value = first.scalars.get("loss", 0.0) if first else 0.0
    return frame.plane, value if np.isfinite(value) else 0.0, job.loop.subject.images


def _token(request: Request) -> tuple[str, Response | None]:
    """The token that a loop sends, and the refusal if it may not send; decided before the message is read."""
    known = value_of("watch_tokens").split()
    if not known:
        return "", PlainTextResponse(f"{CLOSED}.", 403)
    here = request.client is not None and request.client.host in LOOPBACK and "x-forwarded-for" not in request.headers
    if not here and value_of("watch_from") != WATCH_FROM[1]:
        return "", PlainTextResponse("This server takes frames from its own machine alone (watch_from).", 403)
    sent = request.headers.get("authorization", "").removeprefix("Bearer ")
    token = next((candidate for candidate in known if hmac.compare_digest(candidate.encode(), sent.encode())), "")
    if not token:
        return "", PlainTextResponse("This is not the token of this server; dml-viz watch prints it.", 401)
    if not RUN.fullmatch(request.path_params["run"]):
        return "", PlainTextResponse("A run is called by 4 to 64 letters and digits.", 404)
    size = request.headers.get("content-length", "")
    if not size.isdecimal() or int(size) > MOST_BYTES:
        return "", PlainTextResponse(f"A frame has at most {MOST_BYTES // 1_000_000} MB, and says how many.", 413)
    return token, None


async def _body(request: Request) -> bytes:
    """The message; TimeoutError if it stops, or takes too long."""
    body, parts = bytearray(), request.stream()
    async with asyncio.timeout(WITHIN):
        while True:
            async with asyncio.timeout(SILENT):
                part = await anext(parts, None)
            if part is None:
                return bytes(body)
            body += part
            if len(body) > MOST_BYTES:
                raise ValueError(f"a frame has at most {MOST_BYTES // 1_000_000} MB")


def _page(viewer: str) -> str:
    return f"{PAGE}?{KEY}={viewer}"
