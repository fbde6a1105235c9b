"""Who is in a classroom: students by a random id, and the teacher's devices, by a socket or by polling."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from dml_viz.serve.classroom.messages import Role

MALFORMED, FORBIDDEN, UNKNOWN, REPLACED, MOVED, GONE, FULL = 4400, 4403, 4404, 4408, 4409, 4410, 4429
MOST, MOST_TEACHERS = 200, 8
POLLED = 20.0  # seconds after its last poll that a device counts as there
ELSEWHERE = "This classroom is open in another tab of yours."


class TurnedAwayError(Exception):
    """A device is refused or has to leave: the code with which its socket is closed, and a sentence on why."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code, self.why = code, why


@dataclass(eq=False)
class Member:
    """A device, the number of the newest message that it has, and why it has to leave, if it has to."""

    role: Role
    id: str = ""
    seen: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    ended: TurnedAwayError | None = None

    def end(self, code: int, why: str) -> None:
        """Make the device leave."""
        self.ended = TurnedAwayError(code, why)
        self.news.set()

    @property
    def teaches(self) -> bool:
        """Whether it is a device of the teacher's."""
        return self.role != "student"


class Members:
    """The devices that are there; a student is one person, however often the device reconnects."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._there: set[Member] = set()
        self._polled: dict[str, float] = {}  # the last poll of students

    def __len__(self) -> int:
        return len(self._there)

    def enter(self, member: Member) -> None:
        """Let a device in, in the place of an earlier socket of the same student; `TurnedAwayError` where all are there."""
        people = self.people()
        if not member.teaches and member.id not in people and len(people) >= MOST:
            raise TurnedAwayError(FULL, f"{MOST} people are in this classroom, as many as may be.")
        if member.teaches and sum(each.teaches for each in self._there) >= MOST_TEACHERS:
            raise TurnedAwayError(FULL, f"{MOST_TEACHERS} devices teach in this classroom, as many as may.")
        for other in [each for each in self._there if each.id and each.id == member.id]:
            other.end(REPLACED, ELSEWHERE)
            self._there.discard(other)
        self._there.add(member)

    def poll(self, member: Member) -> None:
        """Note a poll of a student's, who enters with the first."""
        if member.id not in self._polled:
            self.enter(member)
        self._there.add(member)
        self._polled[member.id] = self._clock()

    def leave(self, member: Member) -> None:
        """Let a device go; one that polls is there a while longer."""
        self._there.discard(member)

    def people(self) -> set[str]:
        """The ids of the students who are there."""
        now = self._clock()
        self._polled = {each: when for each, when in self._polled.items() if now - when <= POLLED}
        return {each.id for each in self._there if each.id} | self._polled.keys()

    def tell(self, role: Role) -> None:
        """Wake the devices of a role."""
        for each in self._there:
            if each.role == role:
                each.news.set()

    def disconnect_all(self, code: int, why: str) -> None:
        """Make all devices leave."""
        for each in self._there:
            each.end(code, why)


def whole(message: Mapping[str, Any], key: str) -> int:
    """A whole number of a message; ValueError for anything else."""
    if type(value := message.get(key)) is not int or value < 0:
        raise ValueError(f"{key} = {str(value)[:40]} is not allowed; send a whole number, 0 or more.")
    return value


def number(message: Mapping[str, Any], key: str) -> float:
    """A number of a message; ValueError for anything else."""
    value = message.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < inf:
        raise ValueError(f"{key} = {str(value)[:40]} is not allowed; send a number.")
    return value
