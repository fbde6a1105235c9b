"""The limit of open sockets of a visitor, and of an address: a tab has one, and up to three more for a live picture."""

from collections import Counter

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from dml_viz.engine.limits import Limits
from dml_viz.engine.visitor import Visitor
from dml_viz.serve.stream import TOO_MANY
from dml_viz.serve.visitors import visitor_of

MOST, MOST_OF_ADDRESS = 60, 1200
FULL = "This browser has as many connections to the app as it may. Close another tab, then reload this one."


class SocketLimit:
    """Refuses, with a sentence, sockets beyond `MOST` of a visitor or `MOST_OF_ADDRESS`, and pages to such visitors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._open: Counter[Visitor | str] = Counter()  # of visitors, and of addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        connection = HTTPConnection(scope)
        visitor = visitor_of(connection)
        full = self._open[visitor] >= MOST * (Limits().crowd if visitor.crowd else 1)
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
