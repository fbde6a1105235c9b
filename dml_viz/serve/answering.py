"""Answers that take time: computed in a thread, so that the event loop is free, visitor by visitor, and not for who has left."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dml_viz.engine.fair_queue import FairQueue
from dml_viz.engine.limits import Visitor
from dml_viz.serve.visitors import visitor_of
from dml_viz.threads import once

T = TypeVar("T")
# Threads. Two threads that compute delay the event loop by tens of milliseconds each time that it wakes; one does not.
AT_ONCE = 1
MOST_WAITING = 64  # of one visitor; a page shows some twenty figures
LOOK = 0.25  # seconds between two checks whether the sender has left
LEFT, TOO_MANY = 499, 429


class TooManyQuestionsError(RuntimeError):
    """The visitor waits for as many answers as allowed."""


class Answers:
    """The answers of one kind, of about the same length, to all visitors of a server."""

    def __init__(self) -> None:
        self._queue = FairQueue(ThreadPoolExecutor(AT_ONCE, "answers").submit, lambda: AT_ONCE)

    async def make(self, visitor: Visitor, source: str, fn: Callable[..., T], *args: object) -> T:
        """The result of ``fn(*args)``, asked for by a ``source`` of the visitor's; not computed if cancelled before its turn.

        `TooManyQuestionsError`, in words for the visitor, where the visitor waits for too many answers.
        """
        if self._queue.waiting(visitor.name) >= MOST_WAITING:
            raise TooManyQuestionsError(f"{MOST_WAITING} answers to you are on their way; ask again when one is there.")
        call = self._queue.submit((visitor.name, source), fn, *args)
        self._queue.dispatch()
        answer: T = await asyncio.wrap_future(call)
        return answer


@once
def answer_queue() -> Answers:
    """The queue of answers with figures and files, which take long."""
    return Answers()


@once
def message_queue() -> Answers:
    """The queue of messages to sockets, which are short."""
    return Answers()


async def respond(request: Request, make: Callable[[Request], Response]) -> Response:
    """The response of ``make``, called in a thread in its turn; it is not called if the sender leaves before."""
    making = asyncio.create_task(answer_queue().make(visitor_of(request), "requests", make, request))
    while not making.done():
        await asyncio.wait({making}, timeout=LOOK)
        if not making.done() and await request.is_disconnected():
            making.cancel()
            return Response(status_code=LEFT)
    try:
        return making.result()
    except TooManyQuestionsError as error:
        return PlainTextResponse(str(error), TOO_MANY)
