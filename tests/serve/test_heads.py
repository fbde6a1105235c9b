"""A request whose head does not come to an end is given up, and no other one."""

import socket
import time
from collections.abc import Iterator
from threading import Thread

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from dml_viz.serve import connections

WHOLE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server that waits a fifth of a second for a head."""
    for name in ("connection_made", "data_received"):
        monkeypatch.setattr(H11Protocol, name, getattr(H11Protocol, name))
    monkeypatch.setattr(connections, "HEAD_WITHIN", 0.2)
    connections.close_slow_requests()
    listens = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(PlainTextResponse("here"), http="h11", lifespan="off", log_level="critical"))
    thread = Thread(target=server.run, kwargs={"sockets": [listens]})
    thread.start()
    yield listens.getsockname()
    server.should_exit = True
    thread.join()


def test_a_connection_is_closed_where_no_whole_head_comes_in_time(address: tuple[str, int]) -> None:
    sockets = [socket.create_connection(address, timeout=10) for _ in range(3)]
    _silent, half, later = sockets
    half.sendall(WHOLE[:20])
    later.sendall(WHOLE)
    assert later.recv(1000).endswith(b"here")
    later.sendall(WHOLE[:20])
    for waits in sockets:
        assert waits.recv(1000) == b""
        waits.close()


def test_a_head_in_pieces_and_many_requests_on_one_connection_are_answered(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=10) as slow:
        began = time.monotonic()
        while time.monotonic() - began < 0.5:
            slow.sendall(WHOLE[:20])
            slow.sendall(WHOLE[20:])
            assert slow.recv(1000).endswith(b"here")
