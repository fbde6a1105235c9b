"""Turns of visitors at work that takes a while: a few at a time, one of each visitor, in the order in which they came."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Condition

from dml_viz.engine.pool import spare_cores
from dml_viz.threads import once

LOOKS = 1.0  # seconds from one look of a waiting page, whose tab may be closed, to the next


class Turns:
    """At most ``most`` turns at a time. Safe to use from any thread."""

    def __init__(self, most: int) -> None:
        self._most, self._changed = most, Condition()
        self._waiting: list[tuple[Hashable, object]] = []
        self._working: set[Hashable] = set()

    @contextmanager
    def of(self, visitor: Hashable, waits: Callable[[], object] = lambda: None) -> Iterator[None]:
        """The visitor's turn, once it has come; ``waits`` is called every second until then, and may raise to give up."""
        ticket = (visitor, object())
        with self._changed:
            self._waiting.append(ticket)
            try:
                while not self._changed.wait_for(lambda: self._next() is ticket, LOOKS):
                    waits()
                self._working.add(visitor)
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._working.discard(visitor)
                self._changed.notify_all()

    def _next(self) -> object:
        free = len(self._working) < self._most
        return next((ticket for ticket in self._waiting if free and ticket[0] not in self._working), None)


@once
def file_turns() -> Turns:
    """The turns of this server process at reading and scoring files."""
    return Turns(max(2, spare_cores()))


@once
def openml_turns() -> Turns:
    """The turns of this server process at fetching data sets: a slow answer of OpenML keeps no file waiting."""
    return Turns(max(2, spare_cores()))
