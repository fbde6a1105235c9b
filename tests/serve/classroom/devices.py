"""A teacher's device and students over real sockets and by polls, for tests and benchmarks."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

from dml_viz.export.rehearse import Student
from dml_viz.serve.classroom.codes import Invitation

SOON = 150.0  # seconds, on a busy machine


class Teacher(Student):
    """A teacher's device, which comes back as a student's does, and restores what it has seen last."""

    token = ""
    last: dict[str, Any] = {}  # noqa: RUF012  of one teacher at a time
    counts: dict[str, Any] = {}  # noqa: RUF012

    async def say(self, **message: Any) -> None:
        if message["type"] == "hello":
            message = {"type": "hello", "role": "wall", "token": self.token}
        await super().say(**message)

    async def _take(self, message: Any) -> None:
        if message["type"] == "welcome" and self.last:
            await self.say(type="restore", state=self.last)
        elif message["type"] == "state" and (not self.last or message["epoch"] >= self.last["epoch"]):
            self.last = message
        elif message["type"] == "count":
            self.counts = message
        self.state = self.last.get("state", "")


async def until(condition: Callable[[], object], seconds: float = SOON) -> float:
    """Wait for ``condition``; the seconds that it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds
        await asyncio.sleep(0.01)
    return time.monotonic() - began


async def come(url: str, given: Invitation, count: int) -> tuple[Teacher, list[Student], list[asyncio.Task[None]]]:
    """A teacher, and students once the teacher is there."""
    teacher = Teacher(url, given.code)
    teacher.token = given.token
    tasks = [asyncio.create_task(teacher.stay())]
    await until(lambda: teacher.state)
    students = [Student(url, given.code, spread=0.2) for _ in range(count)]
    tasks += [asyncio.create_task(student.stay()) for student in students]
    await until(lambda: teacher.counts.get("people") == count)
    return teacher, students, tasks


async def leave(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def poll(url: str, code: str, hello: dict[str, str], *messages: dict[str, Any]) -> dict[str, Any]:
    """The newest message of each type that a server has for a device without a socket, which says ``messages``."""
    body = {"hello": hello, "server": "", "seen": 0, "wait": 0, "messages": messages}
    headers = {"Content-Type": "application/json", "Origin": url}
    with urlopen(Request(f"{url}/classroom/{code}/live", json.dumps(body).encode(), headers)) as answer:
        return {each["type"]: each for each in json.load(answer)["messages"]}


def says(url: str, code: str, value: float, student: str = "") -> None:
    """Let a ``student``, by default a new one, lock an answer in the vote that is open."""
    hello = {"type": "hello", "role": "student", "id": student or secrets.token_urlsafe(16), "ticket": ""}
    vote = poll(url, code, hello)["state"]["votes"][-1]
    assert "taken" in poll(url, code, hello, {"type": "answer", "epoch": vote, "value": value, "receipt": ""})
