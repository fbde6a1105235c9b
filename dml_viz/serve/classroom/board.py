"""The newest message of each type for each role, which is all that a slow or returning device is sent."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from dml_viz.serve.classroom.messages import Role

T = TypeVar("T")


class Board:
    """Messages with growing numbers; ``news(role)`` is called with each role that has a new one."""

    def __init__(self, news: Callable[[Role], None]) -> None:
        self._news, self.latest = news, 0
        self._texts: dict[Role, dict[str, tuple[int, str]]] = {"student": {}, "wall": {}, "console": {}}

    def post(self, roles: Iterable[Role], message: Mapping[str, Any]) -> None:
        """Take the place of the message of the same type for ``roles``."""
        self.latest += 1
        text = json.dumps({**message, "seq": self.latest}, separators=(",", ":"), allow_nan=False)
        for role in roles:
            # Newest last, so that messages are sent in the order in which they came.
            self._texts[role].pop(message["type"], None)
            self._texts[role][message["type"]] = (self.latest, text)
            self._news(role)

    def clear(self, kind: str, *roles: Role) -> None:
        """Forget the message of a type, for ``roles`` or for all."""
        for role in roles or self._texts:
            self._texts[role].pop(kind, None)

    def newer(self, role: Role, seen: int) -> list[str]:
        """The messages for a role that are newer than number ``seen``."""
        return [text for number, text in self._texts[role].values() if number > seen]

    def kinds(self, role: Role, seen: int) -> set[str]:
        """The types of these messages."""
        return {kind for kind, (number, _) in self._texts[role].items() if number > seen}


class Paced(Generic[T]):
    """Calls ``act`` with what is put, at most once in ``gap`` seconds; of what comes meanwhile with the newest alone."""

    def __init__(self, gap: float, act: Callable[[T], None]) -> None:
        self._gap, self._act = gap, act
        self._waiting: list[T] = []
        self._timer: asyncio.TimerHandle | None = None

    def put(self, value: T) -> None:
        """Act on ``value`` now or as soon as it is time."""
        self._waiting = [value]
        if self._timer is None:
            self._go_on()

    def cancel(self) -> None:
        """Act no more on what waits."""
        self._waiting = []

    def _go_on(self) -> None:
        self._timer = None
        if self._waiting:
            self._timer = asyncio.get_running_loop().call_later(self._gap, self._go_on)
            self._act(self._waiting.pop())
