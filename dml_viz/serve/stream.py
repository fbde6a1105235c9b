"""The stream of jobs to browsers: over a WebSocket a browser asks for frames, so that it gets them as fast as it draws."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from dml_viz.engine.engine import Engine
from dml_viz.engine.job_view import JobView
from dml_viz.engine.limits import Visitor
from dml_viz.engine.messages import embeddings_message, frame_message, points_message, subject_message, tick_message
from dml_viz.serve.answering import Answers, TooManyQuestionsError
from dml_viz.serve.files import file_routes

MALFORMED, UNKNOWN, NOT_BEGUN, TOO_MANY = 4400, 4404, 4409, 4429
PATIENCE = 1.0  # seconds that a question waits for news
# Seconds between two questions read from a socket, and between two answers: too short to be noticed in a browser.
READING, ANSWERING = 0.005, 0.02
LONGEST = 4096  # characters of a question


def routes(
    engine: Callable[[], Engine], answers: Callable[[], Answers], visitor: Callable[[HTTPConnection], Visitor]
) -> list[BaseRoute]:
    """``/live/{run_id}`` for the jobs of ``engine()``, and the files that show them; ``visitor(connection)`` is who asks."""
    return [WebSocketRoute("/live/{run_id}", partial(_converse, engine, answers, visitor)), *file_routes()]


async def _converse(
    engine: Callable[[], Engine], answers: Callable[[], Answers], visitor: Callable[[HTTPConnection], Visitor], socket: WebSocket
) -> None:
    """Answer each question with one message, until the browser leaves or sends a malformed question, or the run is closed."""
    # A socket must be accepted first: otherwise the browser does not learn why it is closed.
    await socket.accept()
    job = engine().job_view(socket.path_params["run_id"])
    if job is None:
        await socket.close(UNKNOWN, "there is no such run")
    else:
        with suppress(WebSocketDisconnect):
            await Conversation(socket, job, answers(), visitor(socket)).hold()


async def until_one_ends(*parts: Coroutine[Any, Any, None]) -> None:
    """Run ``parts`` at once until one of them ends, whose error is raised; then cancel the others."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    for task in done:
        task.result()


@dataclass(frozen=True)
class Question:
    """A browser's question about a live run: "subject"; "next", the newest frame after step ``after``; "step", the frame at or
    before ``step``; "embeddings", all coordinates of that frame; or "points", those of all key frames between ``after`` and
    ``step``, in whole numbers. A frame comes with the curve rows from the ``rows``-th on.
    """

    want: Literal["subject", "next", "step", "embeddings", "points"]
    after: int = -1
    step: int = 0
    rows: int = 0

    @classmethod
    def parse(cls, text: str) -> "Question":
        """The question written as ``text``; ValueError, which says what is wrong, for other texts."""
        if len(text) > LONGEST:
            raise ValueError(f"the question has {len(text)} characters; ask in {LONGEST} at most")
        try:
            fields = json.loads(text)
        except RecursionError as error:
            raise ValueError("the question is nested too deeply; ask with one object") from error
        if not isinstance(fields, dict) or fields.get("want") not in get_args(cls.__annotations__["want"]):
            raise ValueError(
                'ask {"want": "subject"}, {"want": "next", "after": step}, {"want": "step", "step": step}, '
                '{"want": "embeddings", "step": step} or {"want": "points", "step": step, "after": step}'
            )
        numbers = {name: _whole(fields, name, -1 if name == "after" else 0) for name in ("after", "step", "rows")}
        return cls(fields["want"], **numbers)


def _whole(fields: dict[str, Any], name: str, least: int) -> int:
    value = fields.get(name, least)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} = {value!r} is not allowed; ask with a whole number, {least} or more")
    return value


class Conversation:
    """A socket's questions about a job, answered one at a time; of waiting questions only the newest of each kind."""

    def __init__(self, socket: WebSocket, job: JobView, answers: Answers, visitor: Visitor) -> None:
        self._socket, self._job = socket, job
        self._reader = Reader(job, partial(answers.make, visitor, f"socket {id(socket)}"))
        self._asked: dict[str, Question] = {}
        self._news = asyncio.Event()

    async def hold(self) -> None:
        """Listen and answer until one of the two ends; then cancel the other."""
        await until_one_ends(self._listen(), self._answer())

    async def _listen(self) -> None:
        while (message := await self._socket.receive())["type"] != "websocket.disconnect":
            try:
                question = Question.parse(message.get("text") or "")
            except ValueError as error:
                await self._socket.close(MALFORMED, str(error)[:100])
                return
            self._asked[question.want] = question
            self._news.set()
            await asyncio.sleep(READING)

    async def _answer(self) -> None:
        while await self._news.wait():
            question = self._asked.pop(next(iter(self._asked)))
            if not self._asked:
                self._news.clear()
            try:
                answer = await self._reader.answer(question)
            except TooManyQuestionsError as error:
                await self._socket.close(TOO_MANY, str(error))
                return
            if self._job.closed or answer is None:
                why = (UNKNOWN, "the run was closed") if self._job.closed else (NOT_BEGUN, self._job.reason[:100])
                await self._socket.close(*why)
                return
            await self._socket.send_bytes(answer)
            await asyncio.sleep(ANSWERING)


class Reader:
    """The reader of a job for one browser, which remembers the status key that it sent last, so that it sends what is new.

    ``make`` computes a message in another thread than the event loop's.
    """

    def __init__(self, job: JobView, make: Callable[..., Awaitable[bytes | None]]) -> None:
        self._job, self._make = job, make
        self._sent, self._frames_version = job.status_key, job.frames_version

    async def answer(self, question: Question) -> bytes | None:
        """The answer, within about a second, if only a tick; None for the subject of a job that could not begin."""
        self._job.watch(frame_drawn=question.want == "next" and self._job.latest_step <= question.after)
        if question.want == "subject":
            return await self._subject()
        if question.want == "embeddings":
            return await self._make(embeddings_message, self._job, question.step)
        if question.want == "step":
            return await self._make(frame_message, self._job, question.step, question.rows)
        if question.want == "points":
            return await self._make(points_message, self._job, question.step, question.after)
        return await self._make(await self._next(question))

    async def _subject(self) -> bytes | None:
        job = self._job
        await _until(job, lambda: job.subject is not None or job.status == "failed" or job.closed, PATIENCE)
        if job.subject is None and job.status == "failed":
            return None
        return await self._make(subject_message if job.subject else tick_message, job)

    async def _next(self, question: Question) -> Callable[[], bytes]:
        """A function that makes the next message, returned when there is news, or after `PATIENCE`."""
        job = self._job
        if job.frames_version == self._frames_version:
            await _until(job, lambda: job.closed or job.latest_step > question.after or job.status_key != self._sent, PATIENCE)
        before, self._sent, self._frames_version = self._frames_version, job.status_key, job.frames_version
        if self._frames_version != before and question.after >= 0:
            return partial(tick_message, job, afresh=True)
        new = job.latest_step > question.after
        return partial(frame_message, job, None, question.rows) if new else partial(tick_message, job)


async def _until(job: JobView, condition: Callable[[], bool], patience: float) -> None:
    """Wait until ``condition()`` is true, at most ``patience`` seconds; it is checked whenever the run has news."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        # At the server's end its loop may close before the last slice lands.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(news.set)

    with job.listening(wake), suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while not condition():
                await news.wait()
                news.clear()
