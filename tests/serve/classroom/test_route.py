"""Classrooms over real sockets and by polling: who gets in, who stays, and that both ways say the same."""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from dml_viz.engine.limits import Visitor
from dml_viz.serve.classroom import classrooms as all_of_them
from dml_viz.serve.classroom import members
from dml_viz.serve.classroom.classroom import ENDED
from dml_viz.serve.classroom.classrooms import WRONG, Classrooms
from dml_viz.serve.classroom.codes import Invitation
from dml_viz.serve.classroom.members import FORBIDDEN, FULL, GONE, MALFORMED, MOVED, REPLACED, UNKNOWN, TurnedAwayError
from tests.serve.classroom.lessons import CHOICE, needs
from tests.serve.classroom.replica import Replica

SOON = 30.0  # seconds, on a busy machine
STUDENT = {"type": "hello", "role": "student", "ticket": ""}


def name(number: int) -> str:
    return f"a-students-random-id-{number:03}"


class Device:
    """A device with a socket, and the newest message of each type."""

    def __init__(self, replica: Replica, code: str, hello: dict[str, Any], origin: str = "") -> None:
        url = f"ws://{replica.host}/classroom/{code}/live"
        self.socket: ClientConnection = connect(
            url, origin=origin or f"http://{replica.host}", open_timeout=SOON, close_timeout=1, proxy=None, legacy=True
        )
        self.heard: dict[str, dict[str, Any]] = {}
        self.say(**hello)

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def next(self, kind: str, **wanted: Any) -> dict[str, Any]:
        """The next message of a type with these values."""
        while True:
            message = json.loads(self.socket.recv(timeout=SOON))
            self.heard[message["type"]] = message
            if message["type"] == kind and all(message[key] == value for key, value in wanted.items()):
                return message

    def closed(self) -> tuple[int, str]:
        with pytest.raises(ConnectionClosed) as closed:
            self.next("never")
        assert closed.value.rcvd
        return closed.value.rcvd.code, closed.value.rcvd.reason


@pytest.fixture(scope="module")
def replica() -> Iterator[Replica]:
    one = Replica()
    yield one
    one.close()


@contextmanager
def taught(replica: Replica, role: str = "wall") -> Iterator[tuple[Invitation, Device]]:
    """A classroom with its teacher."""
    given = replica.needs.signer.invite()
    teacher = Device(replica, given.code, {"type": "hello", "role": role, "token": given.token})
    teacher.next("state")
    yield given, teacher
    with suppress(ConnectionClosed):  # it has moved, or ended
        teacher.say(type="end")
        teacher.closed()


def student(replica: Replica, code: str, number: int = 0, **more: Any) -> Device:
    return Device(replica, code, {**STUDENT, "id": name(number), **more})


def poll(replica: Replica, code: str, asked: object, origin: str = "") -> tuple[int, dict[str, Any]]:
    connection = HTTPConnection(replica.host, timeout=SOON)
    body = asked if isinstance(asked, bytes) else json.dumps(asked).encode()
    connection.request("POST", f"/classroom/{code}/live", body, {"Origin": origin or f"http://{replica.host}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text) if text.startswith("{") else {}


def test_a_question_is_asked_answered_and_revealed_over_sockets_and_by_polling(replica: Replica) -> None:
    with taught(replica) as (given, wall):
        students = [student(replica, given.code, number) for number in range(5)]
        polls = {"hello": {**STUDENT, "id": name(9)}, "server": "", "seen": 0, "wait": 0, "messages": []}
        status, first = poll(replica, given.code, polls)
        assert status == 200
        assert [each["type"] for each in first["messages"]] == ["welcome", "state"]
        assert first["messages"][0]["ticket"]
        wall.next("count", people=6)
        wall.say(type="open", epoch=0, ask=CHOICE)
        _, news = poll(replica, given.code, {**polls, "server": first["server"], "seen": first["seen"], "wait": 10})
        assert [each["type"] for each in news["messages"]] == ["state"]
        assert news["messages"][0]["question"] == students[0].next("state", state="open 1")["question"]
        answer = {"type": "answer", "epoch": 1, "value": 2, "receipt": ""}
        _, taken = poll(
            replica, given.code, {**polls, "server": first["server"], "seen": news["seen"], "wait": 10, "messages": [answer]}
        )
        assert taken["messages"][0]["type"] == "taken"
        for number, each in enumerate(students):
            each.say(**{**answer, "value": number % 2})
            assert each.next("taken")["value"] == number % 2
        assert wall.next("count", answered=6)["people"] == 6
        wall.say(type="close", epoch=1)
        wall.next("state", state="closed 1")
        wall.say(type="reveal", epoch=2, right=0)
        bars = [each.next("reveal") for each in (wall, *students)]
        _, late = poll(replica, given.code, polls)
        assert late["messages"][-1] == bars[0] == bars[3]
        assert late["messages"][1] == taken["messages"][0], "who comes again is told which answer is counted"
        assert bars[0]["votes"][0]["counts"] == [3, 2, 1]
        for each in students:
            each.socket.close()
        left = wall.next("count", people=1)
        assert (left["answered"], left["silent"]) == (6, 0)


def test_two_devices_of_a_teacher_act_once(replica: Replica) -> None:
    with taught(replica) as (given, wall):
        console = Device(replica, given.code, {"type": "hello", "role": "console", "token": given.token})
        assert {"name", "title", "page"} == set(console.next("welcome")["questions"][0])
        for device in (wall, console):
            device.say(type="open", epoch=0, ask={"prediction": "ranked_list.share"})
        assert console.next("state", state="open 1")["suggestion"] == ""
        refusals = [device.heard["refused"]["why"] for device in (wall, console) if "refused" in device.heard]
        for device in (wall, console):
            device.say(type="close", epoch=99)
            while (refused := device.next("refused"))["what"] != "close":
                refusals.append(refused["why"])
        assert refusals == ["The classroom has moved on: it is open 1 now."]


def test_a_student_comes_back_ten_times_and_is_one_person(replica: Replica) -> None:
    with taught(replica) as (given, wall):
        wall.say(type="open", epoch=0, ask=CHOICE)
        mine = student(replica, given.code)
        ticket = mine.next("welcome")["ticket"]
        mine.next("state", state="open 1")
        mine.say(type="answer", epoch=1, value=1, receipt="")
        taken = mine.next("taken")
        for _ in range(10):
            again = student(replica, given.code, ticket=ticket)
            again.next("state", state="open 1")
            assert again.heard["taken"] == taken
            again.say(type="answer", epoch=1, value=1, receipt=taken["receipt"])
            assert again.next("taken") == taken
            assert mine.closed() == (REPLACED, members.ELSEWHERE)
            mine = again
        other = student(replica, given.code, 1)
        other.next("welcome")
        assert wall.next("count", people=2)["votes"] == [1]


def test_who_is_not_let_in_is_told_why(replica: Replica) -> None:
    with taught(replica) as (given, _):
        token = given.token[:-1] + ("A" if given.token[-1] != "A" else "B")
        for hello, code in (
            ({"type": "hello", "role": "wall", "token": token}, FORBIDDEN),
            ({"type": "hello", "role": "console"}, FORBIDDEN),
            ({"type": "hello", "role": "student", "id": "short", "ticket": ""}, MALFORMED),
            ({"type": "hello", "role": "head"}, MALFORMED),
            ({"type": "answer"}, MALFORMED),
        ):
            closed, why = Device(replica, given.code, hello).closed()
            assert closed == code
            assert why.endswith(("anew. Open the classroom anew from Share.", "digits.", "console."))
            assert poll(replica, given.code, {"hello": hello})[0] == {FORBIDDEN: 403, MALFORMED: 400}[code]
        assert student(replica, "BCDFGH").closed() == (UNKNOWN, all_of_them.NO_CODE)
        back = {**STUDENT, "id": name(0), "ticket": "of before the server was started anew"}
        assert Device(replica, "BCDFGH", back).closed() == (UNKNOWN, all_of_them.OVER)
        assert poll(replica, "x", {"hello": {**STUDENT, "id": name(0)}}) == (404, {"code": UNKNOWN, "why": all_of_them.NO_CODE})
        for asked in (
            b"",
            b"[]",
            b"\xff",
            b"[" * 100_000,
            {},
            {"hello": STUDENT, "messages": [1]},
            {"hello": STUDENT, "seen": None},
        ):
            assert poll(replica, given.code, asked)[0] == 400


def test_a_page_of_another_origin_takes_no_part(replica: Replica) -> None:
    with taught(replica) as (given, _):
        asked = {"hello": {**STUDENT, "id": name(0)}}
        assert poll(replica, given.code, asked, "https://evil.example")[0] == 403
        with pytest.raises(Exception, match="403"):
            Device(replica, given.code, STUDENT, "https://evil.example")


def test_a_classroom_that_moves_or_ends_tells_all_to_come_again_or_go(replica: Replica) -> None:
    with taught(replica) as (given, wall):
        mine = student(replica, given.code)
        ticket = mine.next("welcome")["ticket"]
        wall.say(type="move")
        assert mine.closed()[0] == wall.closed()[0] == MOVED
        wall = Device(replica, given.code, {"type": "hello", "role": "wall", "token": given.token})
        wall.next("state", state="idle")
        back = student(replica, given.code, ticket=ticket)
        back.next("state")
        wall.say(type="end")
        assert back.closed()[0] == wall.closed()[0] == GONE
        assert student(replica, given.code, ticket=ticket).closed()[0] == GONE
        again = Device(replica, given.code, {"type": "hello", "role": "console", "token": given.token})
        assert again.closed() == (GONE, ENDED), "what its teacher has ended is not begun anew"


def test_a_ticket_lets_a_student_wait_for_the_teacher_on_another_server(replica: Replica) -> None:
    given = replica.needs.signer.invite()
    ticket = replica.needs.signer.timed("student", given.code, given.expires)
    mine = student(replica, given.code, ticket=ticket)
    assert mine.next("state")["waits"]
    wall = Device(replica, given.code, {"type": "hello", "role": "wall", "token": given.token})
    wall.next("welcome")
    restored = {"epoch": 7, "state": "open 1", "votes": [7], "shown": False, "ask": CHOICE, "follow": False, "link": ""}
    wall.say(type="restore", state=restored)
    assert mine.next("state", epoch=7)["question"]["by"]["options"] == CHOICE["by"]["options"]  # type: ignore[index]
    wall.say(type="end")
    mine.closed()


def test_the_log_names_no_device_of_a_classroom(replica: Replica) -> None:
    told: list[str] = []
    handler, log = logging.Handler(), logging.getLogger("uvicorn.error")
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    level = log.level
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    try:
        with taught(replica) as (given, _):
            student(replica, given.code).next("state")
            student(replica, "BCDFGH").closed()
        with pytest.raises(Exception, match="403"):
            connect(f"ws://{replica.host}/elsewhere", origin=f"http://{replica.host}", proxy=None, legacy=True)
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
    assert any("/elsewhere" in each for each in told), "other sockets are logged"
    assert not any("classroom" in each or given.code in each for each in told)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def enter(rooms: Classrooms, code: str, hello: dict[str, Any], visitor: str = "somebody", crowd: bool = False) -> Any:
    return rooms.enter(code, hello, Visitor(visitor, crowd))


async def _quiet(rooms: Classrooms, clock: Clock) -> None:
    given = rooms._needs.signer.invite()
    teacher = {"type": "hello", "role": "wall", "token": given.token}
    hello = {**STUDENT, "id": name(0)}
    for crowd, most in ((False, WRONG), (True, 4 * WRONG)):
        for _ in range(most):
            with pytest.raises(TurnedAwayError, match="no classroom with this code"):
                enter(rooms, "BCDFGH", hello, crowd=crowd)
        enter(rooms, given.code, teacher, "teacher")
        with pytest.raises(TurnedAwayError, match="Too many wrong codes"):
            enter(rooms, given.code, hello, crowd=crowd)
        welcome = enter(rooms, given.code, hello, "another")[2]
        enter(rooms, given.code, {**hello, "ticket": welcome["ticket"]}, crowd=crowd)
    with pytest.raises(TurnedAwayError, match="Too many wrong codes"):
        enter(rooms, given.code, {"type": "hello", "role": "wall", "token": "1.A"})
    clock.now += 61
    room, member, _ = enter(rooms, given.code, hello)
    assert room.members.people() == set()
    room.members.enter(member)
    room.taught = True
    clock.now += all_of_them.IDLE - 60
    rooms._tidy()
    assert len(rooms) == 1
    clock.now += 61
    rooms._tidy()
    assert member.ended
    assert member.ended.why == all_of_them.IDLED
    clock.now += 61
    rooms._tidy()
    assert len(rooms) == 0
    given = rooms._needs.signer.invite()
    for number in range(all_of_them.MOST):
        other = rooms._needs.signer.invite()
        hello = {"type": "hello", "role": "wall", "token": other.token}
        enter(rooms, other.code, hello, f"teacher {number // all_of_them.MOST_OF_VISITOR}")
    with pytest.raises(TurnedAwayError, match="As many classrooms are open"):
        enter(rooms, given.code, {"type": "hello", "role": "wall", "token": given.token}, "one more")
    full = enter(rooms, other.code, hello)[0]
    for number in range(members.MOST):
        polling = enter(rooms, other.code, {**STUDENT, "id": name(number)})[1]
        full.members.poll(polling)
        full.members.leave(polling)
    with pytest.raises(TurnedAwayError, match="200 people are in this classroom"):
        full.members.enter(enter(rooms, other.code, {**STUDENT, "id": name(200)})[1])
    clock.now += members.POLLED + 1
    assert not full.members.people()
    full.closed = True
    full.end(GONE, ENDED)
    for _ in range(2):
        clock.now += all_of_them.LASTS - 1
        rooms._tidy()
        for coming in (
            hello,
            {**STUDENT, "id": name(0), "ticket": rooms._needs.signer.timed("student", other.code, other.expires)},
        ):
            with pytest.raises(TurnedAwayError, match=ENDED):
                enter(rooms, other.code, coming)
    clock.now += 2
    rooms._tidy()
    assert not rooms._closed


def test_codes_are_tried_classrooms_opened_and_filled_and_kept_within_limits() -> None:
    clock = Clock()

    async def play() -> None:
        await _quiet(Classrooms(needs(clock=clock)), clock)

    asyncio.run(play())


def test_a_sentence_for_a_closed_socket_is_as_short_as_the_protocol_wants() -> None:
    names = ("NO_CODE", "OVER", "NO_TOKEN", "IDLED", "TOO_OFTEN", "TOO_MANY")
    assert all(len(getattr(all_of_them, each).encode()) <= 123 for each in names)
    assert FULL == 4429
