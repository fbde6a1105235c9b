"""All classrooms of a server: who may enter which, how often wrong codes may be tried, and when a classroom is gone."""

import asyncio
import re
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Any

from dml_viz.engine.limits import Limits, Visitor
from dml_viz.serve.classroom.classroom import ENDED, Classroom
from dml_viz.serve.classroom.codes import LASTS, STUDENT, TEACHER, read_code
from dml_viz.serve.classroom.members import FORBIDDEN, FULL, GONE, MALFORMED, UNKNOWN, Member, TurnedAwayError
from dml_viz.serve.classroom.needs import ClassroomNeeds

MOST, MOST_OF_VISITOR = 20, 5  # classrooms of a server, and of one visitor
IDLE = 3 * 3600.0  # seconds without a deed after which a classroom is gone
UNTAUGHT = 300.0  # seconds after which one is gone whose students came back and whose teacher did not
REMEMBERED = 30.0  # seconds that one that is over is known, for those who poll
LOOK = 5.0  # seconds from one look for those who are gone to the next
WRONG, WITHIN, SEATS = 20, 60.0, 10_000  # wrong codes in so many seconds of one seat; seats that are remembered
ID = re.compile(r"[A-Za-z0-9_-]{22,64}")
NO_CODE = "There is no classroom with this code. Look at the screen again: a code has six letters."
TOO_OFTEN = "Too many wrong codes came from here; try again in a minute."
OVER = "This classroom is over, or the server was started anew. Ask for the new code."
NO_TOKEN = "This token is wrong or has expired, or the server was started anew. Open the classroom anew from Share."
TOO_MANY = "As many classrooms are open as this server keeps; end one of yours, or try again later."
IDLED = "Nothing has happened here for three hours: the classroom is closed."


class WrongCodes:
    """The wrong codes of each seat, that is of a browser or of the crowd of an address."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tried: OrderedDict[Visitor, deque[float]] = OrderedDict()

    def check(self, visitor: Visitor) -> None:
        """`TurnedAwayError` for who has tried too many: the next code is not even looked at."""
        tried = self._tried.get(visitor, deque())
        while tried and self._clock() - tried[0] > WITHIN:
            tried.popleft()
        if len(tried) >= WRONG * (Limits().crowd if visitor.crowd else 1):
            raise TurnedAwayError(FULL, TOO_OFTEN)

    def add(self, visitor: Visitor) -> None:
        """Note a wrong code."""
        self._tried.setdefault(visitor, deque()).append(self._clock())
        self._tried.move_to_end(visitor)
        while len(self._tried) > SEATS:
            self._tried.popitem(last=False)


class Classrooms:
    """The classrooms of this server process, which is ``server`` among its replicas. For the event loop's thread alone."""

    def __init__(self, needs: ClassroomNeeds) -> None:
        self.server = secrets.token_hex(8)
        self._needs, self._wrong = needs, WrongCodes(needs.clock)
        self._open: dict[str, Classroom] = {}
        self._visitors: dict[str, Visitor] = {}  # who opened each
        self._closed: OrderedDict[str, float] = OrderedDict()  # when teachers ended those that are gone
        self._looks: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._open)

    def enter(self, code: str, hello: Any, visitor: Visitor) -> tuple[Classroom, Member, Mapping[str, Any]]:
        """The classroom with a code, the member who says ``hello``, and the welcome; `TurnedAwayError` for who may not enter."""
        role = hello.get("role") if isinstance(hello, dict) and hello.get("type") == "hello" else None
        code = read_code(code)
        if role == "student":
            participant, ticket = str(hello.get("id", "")), str(hello.get("ticket") or "")
            if not ID.fullmatch(participant):
                raise TurnedAwayError(MALFORMED, "A student's id has 22 to 64 letters and digits.")
            classroom = self._of_student(code, ticket, visitor)
            return classroom, Member("student", participant), self._welcome(code, "")
        if role in ("wall", "console"):
            self._wrong.check(visitor)
            expires = self._needs.signer.expires(TEACHER, code, str(hello.get("token", ""))) if code else 0.0
            if not expires:
                self._wrong.add(visitor)
                raise TurnedAwayError(FORBIDDEN, NO_TOKEN)
            taught = self._open.get(code)
            if code in self._closed or (taught and taught.closed):
                raise TurnedAwayError(GONE, ENDED)
            if taught is None or taught.ended:
                taught = self._begin(code, visitor)
            return taught, Member(role), self._welcome(code, role, expires)
        raise TurnedAwayError(MALFORMED, "The first message is a hello: student, wall or console.")

    def _of_student(self, code: str, ticket: str, visitor: Visitor) -> Classroom:
        known = bool(code and self._needs.signer.expires(STUDENT, code, ticket))
        if not known:
            self._wrong.check(visitor)
        if code in self._closed:
            raise TurnedAwayError(GONE, ENDED)
        if (classroom := self._open.get(code)) is None:
            if not known:
                self._wrong.add(visitor)
                raise TurnedAwayError(UNKNOWN, OVER if ticket else NO_CODE)
            classroom = self._begin(code, visitor)
        if classroom.ended:
            raise classroom.ended
        return classroom

    def _begin(self, code: str, visitor: Visitor) -> Classroom:
        """A classroom that is new on this server."""
        self._tidy()
        going_on = [each for each, classroom in self._open.items() if not classroom.ended]
        of_visitor = sum(self._visitors[each] == visitor for each in going_on)
        if len(going_on) >= MOST or of_visitor >= MOST_OF_VISITOR * (Limits().crowd if visitor.crowd else 1):
            raise TurnedAwayError(FULL, TOO_MANY)
        self._open[code], self._visitors[code] = Classroom(code, self._needs), visitor
        if self._looks is None:
            self._look()
        return self._open[code]

    def _welcome(self, code: str, role: str, expires: float = 0.0) -> dict[str, Any]:
        """The welcome of a teacher's device with the questions, or that of a student with a ticket."""
        until = expires or self._needs.signer.now() + LASTS
        return {
            "type": "welcome",
            "server": self.server,
            "code": code,
            "expires": until,
            "ticket": "" if role else self._needs.signer.timed(STUDENT, code, until),
            "questions": [each.prepared for each in self._needs.predictions.values()] if role else [],
        }

    def _look(self) -> None:
        self._tidy()
        for classroom in self._open.values():
            classroom.count_people()  # who polled may have gone
        self._looks = asyncio.get_running_loop().call_later(LOOK, self._look) if self._open else None

    def _tidy(self) -> None:
        """Close what nobody uses."""
        now = self._needs.clock()
        while self._closed and now - next(iter(self._closed.values())) > LASTS:  # then no token of theirs is good
            self._closed.popitem(last=False)
        for code, classroom in list(self._open.items()):
            quiet = now - classroom.active
            if classroom.ended and quiet > REMEMBERED:
                del self._open[code], self._visitors[code]
                if classroom.closed:
                    self._closed[code] = now
            elif not classroom.ended and quiet > (IDLE if classroom.taught else UNTAUGHT):
                classroom.end(GONE, IDLED if classroom.taught else NO_CODE)
