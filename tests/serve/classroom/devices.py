"""A teacher's device and students over real sockets, for tests and benchmarks."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

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
