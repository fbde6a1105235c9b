"""Answers that take time to make: in threads, so that the server's event loop is free, and in turn, visitor by visitor."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dml_viz.engine.fair_queue import FairQueue
from dml_viz.engine.visitor import Visitor

T = TypeVar("T")
# Two threads that compute hold the event loop up for tens of milliseconds each time that it wakes, one does not.
AT_ONCE = 1
MOST_WAITING = 64  # of one visitor; a page shows some twenty figures


class TooManyQuestionsError(RuntimeError):
    """As many answers to the visitor wait as may."""


class Answers:
    """The answers of one kind, of about the same length, to all visitors of a server."""

    def __init__(self) -> None:
        self._queue = FairQueue(ThreadPoolExecutor(AT_ONCE, "answers").submit, lambda: AT_ONCE)

    async def make(self, visitor: Visitor, place: str, fn: Callable[..., T], *args: object) -> T:
        """The result of ``fn(*args)``, asked for at a ``place`` of the visitor's; not made if cancelled before its turn.

        `TooManyQuestionsError`, in words for the visitor, where too much of the visitor waits.
        """
        if self._queue.waiting(visitor.name) >= MOST_WAITING:
            raise TooManyQuestionsError(f"{MOST_WAITING} answers to you are on their way; ask again when one is there.")
        call = self._queue.submit((visitor.name, place), fn, *args)
        self._queue.go_on()
        answer: T = await asyncio.wrap_future(call)
        return answer
