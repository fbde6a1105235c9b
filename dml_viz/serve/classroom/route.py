"""The route of classrooms: a socket, and the same messages by polling where a network lets no socket through."""

import asyncio
import json
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from dml_viz.engine.limits import Visitor
from dml_viz.serve.classroom.classroom import Classroom
from dml_viz.serve.classroom.classrooms import Classrooms
from dml_viz.serve.classroom.members import FORBIDDEN, FULL, GONE, MALFORMED, MOVED, REPLACED, UNKNOWN, Member, TurnedAwayError
from dml_viz.serve.stream import until_one_ends

LIVE = "/classroom/{code}/live"
ADDRESS = re.compile(r".*/classroom/[^/]+/live")
LONGEST, MOST_MESSAGES = 16_000, 20  # characters of a message; messages of a poll
GREETING, PATIENCE = 10.0, 10.0  # seconds in which a socket says hello; that a poll waits for news
READING = 0.02  # seconds from one message of a socket to the next that is read
SCENES = 1.0  # seconds that a poll waits for more where there is a scene alone
WAITING = 240  # sockets of a visitor that have not said hello
STATUS = {MALFORMED: 400, FORBIDDEN: 403, UNKNOWN: 404, REPLACED: 409, MOVED: 409, GONE: 410, FULL: 429}


def is_live(path: str) -> bool:
    """Whether ``path`` is the address of messages of a classroom."""
    return bool(ADDRESS.fullmatch(path))


def keep_out_of_log() -> None:
    """From now on, log no address of a device that takes part in a classroom, as uvicorn does with every socket."""
    logging.getLogger("uvicorn.error").addFilter(_is_of_no_classroom)


def _is_of_no_classroom(record: logging.LogRecord) -> bool:
    parts = record.args if isinstance(record.args, tuple) else ()
    return not any(isinstance(each, str) and is_live(each.partition("?")[0]) for each in parts)


def routes(classrooms: Callable[[], Classrooms], visitor: Callable[[HTTPConnection], Visitor]) -> list[BaseRoute]:
    """``/classroom/{code}/live`` as a socket, for polls (POST), and to learn which server answers (GET)."""

    async def where(_: Request) -> Response:
        return _response({"server": classrooms().server})

    async def poll(request: Request) -> Response:
        try:
            asked = _parsed(await _body(request), LONGEST * MOST_MESSAGES)
            return _response(await _polled(classrooms(), request.path_params["code"], asked, visitor(request)))
        except TurnedAwayError as turned_away:
            return _response({"code": turned_away.code, "why": turned_away.why}, STATUS[turned_away.code])
        except ClientDisconnect:
            return Response(status_code=400)

    greeting: dict[Visitor, int] = {}
    return [
        WebSocketRoute(LIVE, partial(_converse, classrooms, visitor, greeting)),
        Route(LIVE, where, methods=["GET"]),
        Route(LIVE, poll, methods=["POST"]),
    ]


async def _converse(
    classrooms: Callable[[], Classrooms],
    visitor: Callable[[HTTPConnection], Visitor],
    greeting: dict[Visitor, int],
    socket: WebSocket,
) -> None:
    """Hold the conversation with one device until it leaves, or has to."""
    await socket.accept()  # otherwise a browser does not learn why it is closed
    try:
        with suppress(WebSocketDisconnect):
            hello = await _greeted(socket, visitor(socket), greeting)
            classroom, member, welcome = classrooms().enter(socket.path_params["code"], hello, visitor(socket))
            classroom.members.enter(member)
            try:
                for message in (welcome, *classroom.counted(member)):
                    await socket.send_text(_written(message))
                classroom.came(member)
                await until_one_ends(_send(socket, classroom, member), _receive(socket, classroom, member))
            finally:
                classroom.members.leave(member)
                classroom.count_people()
    except TurnedAwayError as turned_away:
        with suppress(RuntimeError, WebSocketDisconnect):  # it has left meanwhile
            await socket.close(turned_away.code, turned_away.why)


async def _greeted(socket: WebSocket, visitor: Visitor, greeting: dict[Visitor, int]) -> Any:
    """The first message."""
    if greeting.get(visitor, 0) >= WAITING:
        raise TurnedAwayError(FULL, "Too many devices come from here at once.")
    greeting[visitor] = greeting.get(visitor, 0) + 1
    try:
        async with asyncio.timeout(GREETING):
            return _parsed(await socket.receive_text())
    except (TimeoutError, KeyError) as error:
        raise TurnedAwayError(REPLACED, "The first message is a hello, as text, within ten seconds.") from error
    finally:
        greeting[visitor] -= 1
        if not greeting[visitor]:
            del greeting[visitor]


async def _send(socket: WebSocket, classroom: Classroom, member: Member) -> None:
    while True:
        for text in _news(classroom, member):
            await socket.send_text(text)
        if member.ended:
            raise member.ended
        await member.news.wait()


async def _receive(socket: WebSocket, classroom: Classroom, member: Member) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        if reply := await classroom.take(member, _parsed(message.get("text") or "")):
            await socket.send_text(_written(reply))
        await asyncio.sleep(READING)


async def _polled(classrooms: Classrooms, code: str, asked: Any, visitor: Visitor) -> dict[str, Any]:
    """The answer to a poll: replies, and what is new."""
    messages, server = asked.get("messages", []), asked.get("server")
    seen, wait = (asked.get(key, 0) for key in ("seen", "wait"))
    if not isinstance(messages, list) or len(messages) > MOST_MESSAGES or not all(isinstance(each, dict) for each in messages):
        raise TurnedAwayError(MALFORMED, f"A poll has at most {MOST_MESSAGES} messages.")
    if type(seen) is not int or not isinstance(wait, int | float):
        raise TurnedAwayError(MALFORMED, "A poll has the number of the newest message seen, and how many seconds it waits.")
    classroom, member, welcome = classrooms.enter(code, asked.get("hello"), visitor)
    classroom.members.poll(member) if member.id else classroom.members.enter(member)
    try:
        classroom.came(member)
        known = server == classrooms.server
        replies: list[Any] = [] if known else [welcome, *classroom.counted(member)]
        member.seen = seen if known else 0
        for message in messages:
            if reply := await classroom.take(member, message):
                replies.append(reply)
        if not replies:
            await _news_within(classroom, member, min(max(wait, 0.0), PATIENCE))
        if member.ended:
            raise member.ended
        replies += [json.loads(text) for text in _news(classroom, member)]
        return {"server": classrooms.server, "seen": member.seen, "messages": replies}
    finally:
        classroom.members.leave(member)


async def _news_within(classroom: Classroom, member: Member, seconds: float) -> None:
    """Wait for news, and a while longer for more where there is a scene alone."""
    kinds = classroom.board.kinds(member.role, member.seen)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not kinds and not member.ended:
                await member.news.wait()
                member.news.clear()
                kinds = classroom.board.kinds(member.role, member.seen)
    if kinds == {"scene"}:
        await asyncio.sleep(min(SCENES, seconds))


def _news(classroom: Classroom, member: Member) -> list[str]:
    """The messages that a member has not seen, which it has from now on."""
    member.news.clear()
    texts = classroom.board.newer(member.role, member.seen)
    member.seen = classroom.board.latest
    return texts


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LONGEST * MOST_MESSAGES:
            raise TurnedAwayError(MALFORMED, "This poll is too long.")
    return bytes(body)


def _response(content: Any, status: int = 200) -> Response:
    return Response(_written(content), status, {"Cache-Control": "no-store"}, "application/json")


def _written(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def _parsed(text: str | bytes, longest: int = LONGEST) -> Any:
    """The object that a device sends; `TurnedAwayError` for anything else."""
    if len(text) > longest:
        raise TurnedAwayError(MALFORMED, f"A message has at most {longest} characters.")
    try:
        message = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise TurnedAwayError(MALFORMED, "A message is an object in JSON.") from error
    if not isinstance(message, dict):
        raise TurnedAwayError(MALFORMED, "A message is an object in JSON.")
    return message
