"""What bounds connections: the files that the process may open, the time for the head of a request, sockets of a browser.

uvicorn waits for the rest of a head as long as its sender stays.
"""

import asyncio
import sys
from collections import Counter
from contextlib import suppress

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket
from uvicorn.protocols.http.h11_impl import H11Protocol, h11  # type: ignore[attr-defined]

from dml_viz.engine.limits import Limits, Visitor
from dml_viz.serve.classroom.route import is_live
from dml_viz.serve.stream import TOO_MANY
from dml_viz.serve.visitors import visitor_of

HEAD_WITHIN = 20.0  # a browser sends a head at once; a connection that it opens in advance is opened again
begin, receive = H11Protocol.connection_made, H11Protocol.data_received
FILES = 8192
OF_SERVER, OF_VISITOR = 150, 10  # descriptors: its own; a tab with a live picture and what its browser fetches at once
MOST_OF_BROWSER, MOST_OF_ADDRESS = 60, 1200
FULL = "This browser has as many connections to the app as it may. Close another tab, then reload this one."


def close_slow_requests() -> None:
    """From now on, close connections on which the head of a request is not there after `HEAD_WITHIN`."""
    H11Protocol.connection_made = _begin  # type: ignore[method-assign]
    H11Protocol.data_received = _receive  # type: ignore[method-assign]


def _begin(self: H11Protocol, transport: asyncio.Transport) -> None:
    begin(self, transport)
    _wait(self, self.loop.time())


def _receive(self: H11Protocol, data: bytes) -> None:
    began = getattr(self, "head_began", None)
    receive(self, data)  # ends uvicorn's own wait for another request
    _wait(self, self.loop.time() if began is None else began)


def _wait(self: H11Protocol, began: float) -> None:
    """Wait for the rest of a head that ``began``, if it is not there."""
    waits = self.conn.their_state is h11.IDLE
    self.head_began = began if waits else None  # type: ignore[attr-defined]
    if waits and self.timeout_keep_alive_task is None:
        self.timeout_keep_alive_task = self.loop.call_at(began + HEAD_WITHIN, self.timeout_keep_alive_handler)


def raise_file_limit() -> str:
    """Raise the limit of this process to `FILES`; return a sentence for the operator if the system allows less."""
    if sys.platform == "win32":
        return ""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    if soft == resource.RLIM_INFINITY or soft >= FILES:
        return ""
    return (
        f"This system lets the server open {soft:,} files and connections, enough for about "
        f"{max(1, (soft - OF_SERVER) // OF_VISITOR)} visitors at once. Raise its limit (`ulimit -Hn {FILES}`) for more."
    )


class SocketLimit:
    """Refuses, with a sentence, sockets beyond `MOST_OF_BROWSER` of one or `MOST_OF_ADDRESS`, and pages to such visitors.

    Those of a classroom, which may be many behind one address, have limits of their own.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._open: Counter[Visitor | str] = Counter()  # of visitors, and of addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_live(scope["path"]):
            return await self.app(scope, receive, send)
        connection = HTTPConnection(scope)
        visitor = visitor_of(connection)
        full = self._open[visitor] >= MOST_OF_BROWSER * (Limits().crowd if visitor.crowd else 1)
        full |= self._open[visitor.address] >= MOST_OF_ADDRESS
        if scope["type"] == "http":
            page = "text/html" in connection.headers.get("accept", "")
            return await (PlainTextResponse(FULL, 429) if full and page else self.app)(scope, receive, send)
        if full:
            socket = WebSocket(scope, receive, send)
            await socket.accept()
            return await socket.close(TOO_MANY, FULL)
        self._open.update((visitor, visitor.address))
        try:
            return await self.app(scope, receive, send)
        finally:
            self._open.subtract((visitor, visitor.address))
            self._open += Counter()  # removes counts of zero
