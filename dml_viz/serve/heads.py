"""A time limit for the heads of requests: uvicorn waits for the rest of a head as long as its sender stays."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, h11  # type: ignore[attr-defined]

SECONDS = 20.0  # a browser sends a head at once; a connection that it opens in advance is opened again
begin, take = H11Protocol.connection_made, H11Protocol.data_received


def limit() -> None:
    """From now on, close connections on which the head of a request is not there after `SECONDS`."""
    H11Protocol.connection_made = _begin  # type: ignore[method-assign]
    H11Protocol.data_received = _take  # type: ignore[method-assign]


def _begin(self: H11Protocol, transport: asyncio.Transport) -> None:
    begin(self, transport)
    _wait(self, self.loop.time())


def _take(self: H11Protocol, data: bytes) -> None:
    began = getattr(self, "head_began", None)
    take(self, data)  # ends uvicorn's own wait for another request
    _wait(self, self.loop.time() if began is None else began)


def _wait(self: H11Protocol, began: float) -> None:
    """Wait for the rest of a head that ``began``, if it is not there."""
    waits = self.conn.their_state is h11.IDLE
    self.head_began = began if waits else None  # type: ignore[attr-defined]
    if waits and self.timeout_keep_alive_task is None:
        self.timeout_keep_alive_task = self.loop.call_at(began + SECONDS, self.timeout_keep_alive_handler)
