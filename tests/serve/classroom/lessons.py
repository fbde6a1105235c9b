"""A classroom without sockets, for tests: a teacher, students, and every message that each of them gets."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

from dml_viz import explain
from dml_viz.engine.store import Store
from dml_viz.serve.classroom import classroom
from dml_viz.serve.classroom.classroom import Classroom
from dml_viz.serve.classroom.codes import KEY, Signer
from dml_viz.serve.classroom.members import Member
from dml_viz.serve.classroom.needs import ClassroomNeeds
from dml_viz.serve.classroom.questions import PagePrediction, predictions_of
from dml_viz.threads import once

CODE = "BCDFGH"
PACE = 0.01  # seconds from one count to the next
CHOICE = {"text": "Which?", "by": {"kind": "choice", "options": ["one", "two", "three"]}}


@once
def predictions() -> Mapping[str, PagePrediction]:
    return predictions_of(explain, "start")


async def at_once(fn: Any, *args: Any) -> Any:
    return fn(*args)


def needs(store: Store | None = None, known: Mapping[str, PagePrediction] | None = None, **given: Any) -> ClassroomNeeds:
    shared = store or Store()
    asked = predictions() if known is None else known
    return ClassroomNeeds(Signer(lambda new: shared.first(KEY, new)), asked, lambda _: None, at_once, **given)


class Lesson:
    """A classroom in which all is done and heard at once."""

    def __init__(self, store: Store | None = None) -> None:
        with patch.object(classroom, "COUNTING", PACE):
            self.room = Classroom(CODE, needs(store))
        self.heard: dict[str, list[str]] = {"student": [], "wall": [], "console": []}
        self.teacher = self.enter(Member("wall"))
        self._seen = 0

    def enter(self, member: Member) -> Member:
        self.room.members.enter(member)
        self.room.came(member)
        return member

    def student(self, number: int) -> Member:
        return self.enter(Member("student", f"participant-number-{number:04}"))

    async def hear(self) -> None:
        """Wait for what is paced, and note all that is new for each role."""
        await asyncio.sleep(2 * PACE)
        for role, heard in self.heard.items():
            heard += self.room.board.newer(role, self._seen)  # type: ignore[arg-type]
        self._seen = self.room.board.latest

    async def teach(self, kind: str, **given: Any) -> Mapping[str, Any] | None:
        """An action of the teacher's, who has seen the newest epoch; the refusal, if it is refused."""
        message = {"type": kind, "epoch": self.room.state.epoch, **given}
        reply = await self.room.take(self.teacher, message)
        await asyncio.sleep(0)
        return reply

    async def answer(self, member: Member, value: float, vote: int = -1, receipt: str = "") -> Mapping[str, Any]:
        votes = self.room.state.votes
        epoch = vote if vote >= 0 else votes[-1] if votes else 0
        reply = await self.room.take(member, {"type": "answer", "epoch": epoch, "value": value, "receipt": receipt})
        assert reply
        return reply

    def newest(self, role: str, kind: str) -> dict[str, Any]:
        """The newest message of a type for a role; {} without any."""
        texts = [json.loads(text) for text in self.room.board.newer(role, 0)]  # type: ignore[arg-type]
        return next((each for each in texts if each["type"] == kind), {})
