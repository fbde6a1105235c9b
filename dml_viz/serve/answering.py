"""Answers of routes that take time: computed in turn, visitor by visitor, and not for those who have left."""

import asyncio
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dml_viz.serve.answers import Answers, TooManyQuestionsError
from dml_viz.serve.visitors import visitor_of
from dml_viz.threads import once

LOOK = 0.25  # seconds between two checks whether the sender has left
LEFT, TOO_MANY = 499, 429


@once
def answers() -> Answers:
    """The queue of answers with figures and files, which take long."""
    return Answers()


@once
def messages() -> Answers:
    """The queue of messages to sockets, which are short."""
    return Answers()


async def respond(request: Request, make: Callable[[Request], Response]) -> Response:
    """The response of ``make``, called in a thread in its turn; it is not called if the sender leaves before."""
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
