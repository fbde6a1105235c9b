"""Answers of routes that take time: made in turn, visitor by visitor, and not for those who have left."""

import asyncio
from collections.abc import Callable
from functools import cache

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dml_viz.app.web.visitors import visitor_of
from dml_viz.engine.answers import Answers, TooManyQuestionsError

LOOK = 0.25  # seconds from one look at whether the sender is still there to the next
LEFT, TOO_MANY = 499, 429


@cache
def answers() -> Answers:
    """The figures and files of this server process, which take long."""
    return Answers()


@cache
def messages() -> Answers:
    """The messages to its sockets, which are short."""
    return Answers()


async def respond(request: Request, make: Callable[[Request], Response]) -> Response:
    """What ``make`` answers to a request, in a thread; for a sender who leaves before its turn it is not made."""
    making = asyncio.create_task(answers().make(visitor_of(request), "requests", make, request))
    while not making.done():
        await asyncio.wait({making}, timeout=LOOK)
        if not making.done() and await request.is_disconnected():
            making.cancel()
            return Response(status_code=LEFT)
    try:
        return making.result()
    except TooManyQuestionsError as error:
        return PlainTextResponse(str(error), TOO_MANY)
