"""Answers that take time: computed in a thread, so that the server's event loop is free, and visitor by visitor in turn."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dml_viz.engine.fair_queue import FairQueue
from dml_viz.engine.visitor import Visitor

T = TypeVar("T")
# Threads. Two threads that compute delay the event loop by tens of milliseconds each time that it wakes; one does not.
AT_ONCE = 1
MOST_WAITING = 64  # of one visitor; a page shows some twenty figures


class TooManyQuestionsError(RuntimeError):
    """The visitor waits for as many answers as allowed."""


class Answers:
    """The answers of one kind, of about the same length, to all visitors of a server."""

    def __init__(self) -> None:
        self._queue = FairQueue(ThreadPoolExecutor(AT_ONCE, "answers").submit, lambda: AT_ONCE)

    async def make(self, visitor: Visitor, source: str, fn: Callable[..., T], *args: object) -> T:
        """The result of ``fn(*args)``, asked for at a ``place`` of the visitor's; not computed if cancelled before its turn.

        `TooManyQuestionsError`, in words for the visitor, where the visitor waits for too many answers.
        """
        if self._queue.waiting(visitor.name) >= MOST_WAITING:
            raise TooManyQuestionsError(f"{MOST_WAITING} answers to you are on their way; ask again when one is there.")
        call = self._queue.submit((visitor.name, source), fn, *args)
        self._queue.go_on()
        answer: T = await asyncio.wrap_future(call)
        return answer
