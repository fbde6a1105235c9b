"""``dml-viz rehearse``: simulated students join a running classroom, so that a teacher can rehearse.

They are as real to the server as phones are: each has a socket and an id of its own, answers every vote some seconds after it is
opened, and comes back when the connection is lost. What they answer is drawn at random; in a second vote a third thinks again.
"""

import asyncio
import json
import random
import secrets
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import websockets

from dml_viz.export.parser import CommandParser, number_in
from dml_viz.room.guesses import guess
from dml_viz.serve.classroom.codes import read_code
from dml_viz.serve.classroom.members import FORBIDDEN, FULL, GONE, MOST, REPLACED, UNKNOWN

STUDENTS, SPREAD = 30, 8.0  # students; seconds within which all have answered
PATIENCE = 5.0  # seconds within which the app answers
BACK_OFF = (0.25, 0.5, 1.0, 2.0)  # seconds before a student tries again, each times 0.5 to 1.5
FOR_GOOD = (FORBIDDEN, FULL, GONE, REPLACED, UNKNOWN)


@dataclass
class Student:
    """A simulated student: the answers that it holds, and how it comes back. ``hear`` is called with each message."""

    url: str
    code: str
    spread: float = SPREAD
    hear: Callable[["Student", Mapping[str, Any]], None] = lambda student, message: None
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    dice: random.Random = field(default_factory=random.Random)
    ticket: str = ""
    state: str = ""  # of the classroom
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)  # the answers by vote, with receipts once they have come
    taken: int = 0  # votes in which it was counted
    ended: str = ""  # why it left for good
    _socket: Any = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def stay(self) -> None:
        """Take part until the classroom ends, coming back whenever the connection is lost."""
        failed = 0
        while not self.ended:
            with suppress(OSError, TimeoutError, websockets.WebSocketException):
                async with self.connection() as self._socket:
                    await self.say(type="hello", role="student", id=self.id, ticket=self.ticket)
                    async for text in self._socket:
                        failed = 0
                        await self._take(json.loads(text))
            if self._socket and self._socket.close_code in FOR_GOOD:
                self.ended = self._socket.close_reason
                return
            await asyncio.sleep(BACK_OFF[min(failed, len(BACK_OFF) - 1)] * self.dice.uniform(0.5, 1.5))
            failed += 1

    def connection(self) -> Any:
        """A socket to the classroom, as a page of the server opens it."""
        address = f"ws{self.url.removeprefix('http')}/classroom/{self.code}/live"
        parts = urlsplit(self.url)
        return websockets.connect(
            address, origin=websockets.Origin(f"{parts.scheme}://{parts.netloc}"), compression=None, ping_interval=None
        )

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self._socket.send(json.dumps(message))

    async def _take(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "welcome":
            self.ticket = message["ticket"]
        elif message["type"] == "taken":
            self.taken += message["epoch"] in self.answers and not self.answers[message["epoch"]]["receipt"]
            self.answers[message["epoch"]] = {key: message[key] for key in ("epoch", "value", "receipt")}
        elif message["type"] == "state":
            self.state = message["state"]
            if not message["waits"]:
                self.answers = {vote: each for vote, each in self.answers.items() if vote in message["votes"]}
            for vote in message["votes"]:
                if vote in self.answers:
                    await self.say(type="answer", **self.answers[vote])
            if message["state"].startswith("open") and message["votes"][-1] not in self.answers:
                before = self.answers.get(message["votes"][0], {}).get("value")
                value = guess(message["question"]["by"], self.dice, before)
                self.answers[message["votes"][-1]] = {"epoch": message["votes"][-1], "value": value, "receipt": ""}
                task = asyncio.create_task(self._answer(message["votes"][-1]))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        self.hear(self, message)

    async def _answer(self, vote: int) -> None:
        await asyncio.sleep(self.dice.uniform(0, self.spread))
        with suppress(websockets.WebSocketException):  # it is sent again after the next connection
            if vote in self.answers:
                await self.say(type="answer", **self.answers[vote])


def main(arguments: Sequence[str] | None = None) -> int:
    """Let simulated students join a running classroom, and print how many have answered, until the teacher ends it.

    The exit code is 0 then, and 2 for a wrong code.
    """
    options = parser().parse_args(arguments)
    code = read_code(options.code)
    if not code:
        parser().error(f"{options.code[:20]!r} is no code of six letters")
    try:
        # A proxy of the environment is for other machines.
        opened = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        opened(f"{options.url.rstrip('/')}/classroom/{code}/live", timeout=PATIENCE).close()
    except (OSError, ValueError):
        parser().error(f"no app answers at {options.url[:60]}; start it, or give its address with --url")
    with suppress(KeyboardInterrupt):
        return asyncio.run(_rehearse(options.url.rstrip("/"), code, options.students, options.within))
    return 0


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz rehearse``."""
    made = CommandParser("rehearse", "Fill a classroom with simulated students.", "dml-viz rehearse BCDFGH --students 30")
    made.add_argument("code", help="code of the classroom, as the wall shows it")
    made.add_argument(
        "--students", type=number_in(1, MOST), default=STUDENTS, help=f"how many come, 1 to {MOST} (default: {STUDENTS})"
    )
    made.add_argument("--url", default="http://127.0.0.1:8501", help="address of the app (default: %(default)s)")
    made.add_argument(
        "--within", type=number_in(0.0, 3600.0), default=SPREAD, help="seconds in which all answer (default: %(default)g)"
    )
    return made


async def _rehearse(url: str, code: str, count: int, spread: float) -> int:
    messages = Counter[str]()

    def hear(student: Student, message: Mapping[str, Any]) -> None:
        messages[message["type"]] += 1
        if message["type"] in ("welcome", "taken") or (message["type"] == "state" and student is students[0]):
            here = sum(bool(each.ticket) for each in students)
            answered = sum(bool(each.answers and each.answers[max(each.answers)]["receipt"]) for each in students)
            print(
                f"\r{here} of {count} students are there; {student.state or 'idle'}; {answered} answered   ", end="", flush=True
            )

    students = [Student(url, code, spread, hear) for _ in range(count)]
    tasks = [asyncio.create_task(student.stay()) for student in students]
    await asyncio.wait(tasks)
    why = Counter(student.ended for student in students).most_common(1)[0][0]
    print(f"\n{why}")
    return 0 if messages["state"] else 2
