"""The order in which answers are made, and those that are never made."""

import asyncio
from collections.abc import Callable, Iterator
from threading import Event

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message

from dml_viz.engine.limits import Visitor
from dml_viz.serve import answering
from dml_viz.serve.answering import AT_ONCE, MOST_WAITING, Answers

SOON = 60.0


class BusyAnswers:
    """Answers whose threads are busy until `free`."""

    def __init__(self) -> None:
        self.answers, self._free, self._busy = Answers(), Event(), [Event() for _ in range(AT_ONCE)]

    async def begin(self) -> list[asyncio.Task[bool]]:
        tasks = [asyncio.create_task(self.answers.make(Visitor("busy"), "", self._hold, busy)) for busy in self._busy]
        for busy in self._busy:
            await asyncio.to_thread(busy.wait, SOON)
        return tasks

    def _hold(self, busy: Event) -> bool:
        busy.set()
        return self._free.wait(SOON)

    def free(self) -> None:
        self._free.set()


@pytest.fixture
def busy_answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[BusyAnswers]:
    made = BusyAnswers()
    monkeypatch.setattr(answering, "answer_queue", lambda: made.answers)
    yield made
    made.free()


def request(address: str, receive: Callable[[], Message] | None = None) -> Request:
    async def waits() -> Message:
        if receive:
            return receive()
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    return Request({"type": "http", "method": "GET", "path": "/", "headers": [], "client": (address, 1)}, waits)


def test_an_answer_is_not_computed_for_a_visitor_who_has_left(busy_answers: BusyAnswers) -> None:
    made: list[str] = []

    async def ask() -> tuple[list[Response], Response]:
        await busy_answers.begin()
        leaving = [answering.respond(request("192.0.2.1", lambda: {"type": "http.disconnect"}), make) for _ in range(50)]
        gone = await asyncio.gather(*leaving)
        there = asyncio.create_task(answering.respond(request("192.0.2.2"), make))
        busy_answers.free()
        return gone, await there

    def make(asked: Request) -> Response:
        assert asked.client
        made.append(asked.client.host)
        return PlainTextResponse("made")

    gone, there = asyncio.run(ask())
    assert {response.status_code for response in gone} == {answering.LEFT}
    assert (there.status_code, made) == (200, ["192.0.2.2"])


def test_visitors_take_turns_and_each_has_a_limit_of_waiting_answers(busy_answers: BusyAnswers) -> None:
    order: list[str] = []

    def make(asked: Request) -> Response:
        assert asked.client
        order.append(asked.client.host)
        return PlainTextResponse("made")

    async def ask() -> list[Response]:
        await busy_answers.begin()
        greedy = [asyncio.create_task(answering.respond(request("192.0.2.1"), make)) for _ in range(MOST_WAITING + 6)]
        while busy_answers.answers._queue.waiting("192.0.2.1") < MOST_WAITING:
            await asyncio.sleep(0)
        other = asyncio.create_task(answering.respond(request("192.0.2.2"), make))
        while not busy_answers.answers._queue.waiting("192.0.2.2"):
            await asyncio.sleep(0)
        busy_answers.free()
        return [await task for task in (other, *greedy)]

    answers = asyncio.run(ask())
    assert order.index("192.0.2.2") <= AT_ONCE
    assert [response.status_code for response in answers].count(answering.TOO_MANY) == 6
    assert b"are on their way; ask again" in answers[-1].body
