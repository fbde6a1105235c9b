"""The stream of live runs to browsers: a WebSocket that a browser pulls from, so that it gets frames as fast as it draws."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from dml_viz.engine.files import file_routes
from dml_viz.engine.live import Live
from dml_viz.engine.messages import frame_message, subject_message, tick_message
from dml_viz.engine.question import Question
from dml_viz.engine.race import LiveRace
from dml_viz.engine.race_messages import race_frame_message, race_subject_message, race_tick_message
from dml_viz.engine.registry import Engine

MALFORMED, FORBIDDEN, UNKNOWN, NOT_BEGUN = 4400, 4403, 4404, 4409
PATIENCE = 1.0
PORTS = {"http": ":80", "https": ":443"}


def routes(engine: Callable[[], Engine]) -> list[BaseRoute]:
    """``/live/{run_id}`` for the runs and races of ``engine()``, and the files that show them."""
    return [WebSocketRoute("/live/{run_id}", partial(_converse, engine)), *file_routes()]


async def _converse(engine: Callable[[], Engine], socket: WebSocket) -> None:
    """Answer each question with one message, until the browser leaves, asks nonsense, or the run is closed."""
    # A socket has to be accepted before a browser is told why it is closed.
    await socket.accept()
    live = engine().find(socket.path_params["run_id"])
    if not same_origin(socket.headers):
        await socket.close(FORBIDDEN, "this page is of another origin")
    elif live is None:
        await socket.close(UNKNOWN, "there is no such run")
    else:
        with suppress(WebSocketDisconnect):
            await _answer_all(socket, live)


async def _answer_all(socket: WebSocket, live: Live | LiveRace) -> None:
    reader = Reader(live)
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        try:
            question = Question.parse(message.get("text") or "")
        except ValueError as error:
            return await socket.close(MALFORMED, str(error)[:100])
        answer = await reader.answer(question)
        if live.closed:
            return await socket.close(UNKNOWN, "the run was closed")
        if answer is None:
            return await socket.close(NOT_BEGUN, live.reason[:100])
        await socket.send_bytes(answer)


class Reader:
    """A browser's view of a live run or race: what it was told last, so that it is told what is new."""

    def __init__(self, live: Live | LiveRace) -> None:
        self._live = live
        self._told = live.glance()

    async def answer(self, question: Question) -> bytes | None:
        """The message that answers; for "next" within about a second; None for the subject of a run that failed to begin."""
        self._live.watch()
        if question.want == "subject":
            return await self._subject()
        if question.want == "step":
            return step_message(self._live, question.step, question.rows) or standing_message(self._live)
        return await self._next(question)

    async def _subject(self) -> bytes | None:
        live = self._live
        await _until(live, lambda: live.subject is not None or live.status == "failed" or live.closed, None)
        return opening_message(live)

    async def _next(self, question: Question) -> bytes:
        live = self._live
        if live.glance().resets == self._told.resets:
            await _until(live, lambda: live.closed or self._news(question.after), PATIENCE)
        before, self._told = self._told, live.glance()
        if self._told.resets != before.resets and question.after >= 0:
            return standing_message(live, afresh=True)
        if live.glance().latest > question.after:
            return step_message(live, None, question.rows) or standing_message(live)
        return standing_message(live)

    def _news(self, after: int) -> bool:
        now = self._live.glance()
        return now.latest > after or now.news != self._told.news


def opening_message(live: Live | LiveRace) -> bytes | None:
    """What comes first, once there is anything."""
    return race_subject_message(live) if isinstance(live, LiveRace) else subject_message(live)


def step_message(live: Live | LiveRace, step: int | None, rows: int) -> bytes | None:
    """The frame at ``step``, the newest for None, if there is one, with the curve rows from the ``rows``-th on."""
    if isinstance(live, LiveRace):
        together = live.latest if step is None else live.at(step)
        return race_frame_message(live, together, rows) if together else None
    frame = live.latest if step is None else live.at(step)
    return frame_message(live, frame, rows) if frame else None


def standing_message(live: Live | LiveRace, *, afresh: bool = False) -> bytes:
    """How it stands, without a frame."""
    return race_tick_message(live, afresh=afresh) if isinstance(live, LiveRace) else tick_message(live, afresh=afresh)


async def _until(live: Live | LiveRace, condition: Callable[[], bool], patience: float | None) -> None:
    """Wait until ``condition`` holds, or for ``patience`` seconds, looking again whenever the run has news."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        # At the server's end its loop may close before the last slice lands.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(news.set)

    with live.listening(wake), suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while not condition():
                await news.wait()
                news.clear()


def same_origin(headers: Headers) -> bool:
    """Whether a page of this very server asks: the host of its Origin is the one that it reached us by, perhaps by a proxy."""
    try:
        origin = urlsplit(headers.get("origin", ""))
    except ValueError:
        return False
    port = PORTS.get(origin.scheme)
    if port is None or not origin.netloc:
        return False
    hosts = (headers.get("host", ""), *headers.get("x-forwarded-host", "").split(","))
    return origin.netloc.lower().removesuffix(port) in {host.strip().lower().removesuffix(port) for host in hosts}
