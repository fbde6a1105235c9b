"""Who counts as one visitor, and how many sockets one has."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from dml_viz.app.web.socket_limit import FULL, MOST, SocketLimit
from dml_viz.app.web.visitors import visitor_of
from dml_viz.engine.visitor import Visitor

BROWSER = b"0123456789abcdef"


def scope(token: bytes = b"", address: str = "192.0.2.1", kind: str = "websocket", raw: str = "") -> dict[str, Any]:
    cookie = raw or (generate_xsrf_token_string(token) if token else "")
    headers = [(b"cookie", f"_streamlit_xsrf={cookie}".encode()), (b"accept", b"text/html")]
    return {
        "type": kind,
        "path": "/",
        "headers": headers,
        "client": (address, 1),
        "query_string": b"",
        "subprotocols": [],
    }


def test_the_tabs_of_a_browser_are_one_visitor_wherever_it_is() -> None:
    tabs = [visitor_of(HTTPConnection(scope(BROWSER, address))) for address in ("192.0.2.1", "192.0.2.2", "127.0.0.1")]
    assert set(tabs) == {Visitor(BROWSER.hex())}
    assert visitor_of(HTTPConnection(scope(b"another browser!"))) not in tabs


@pytest.mark.parametrize("raw", ["", "x", "2|", "2|zz|zz|zz", "2|00|00|x", "0" * 4000])
def test_who_has_no_cookie_or_a_broken_one_is_known_by_the_address(raw: str) -> None:
    found = visitor_of(HTTPConnection(scope(raw=raw)))
    assert found == Visitor("192.0.2.1", crowd=True) or raw.startswith("0")
    assert visitor_of(HTTPConnection(scope(address="::1"))) == Visitor("", crowd=True)


def test_a_visitor_with_too_many_sockets_is_refused_in_a_sentence_until_one_closes() -> None:
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def opened() -> None:
        leave = asyncio.Event()

        async def app(*_: object) -> None:
            await leave.wait()

        limit = SocketLimit(app)
        tabs = [asyncio.create_task(limit(scope(BROWSER), receive, send)) for _ in range(MOST)]
        await asyncio.sleep(0)
        await limit(scope(BROWSER), receive, send)
        assert [message["type"] for message in sent] == ["websocket.accept", "websocket.close"]
        assert (sent[1]["code"], sent[1]["reason"]) == (4429, FULL)
        assert len(FULL.encode()) <= 123, "what a closing frame holds"
        sent.clear()
        await limit(scope(BROWSER, kind="http"), receive, send)
        assert (sent[0]["status"], sent[1]["body"].decode()) == (429, FULL)
        sent.clear()
        other = asyncio.create_task(limit(scope(b"another browser!"), receive, send))
        await asyncio.sleep(0)
        assert not other.done()
        leave.set()
        await asyncio.gather(*tabs, other)
        await limit(scope(BROWSER), receive, send)
        assert not sent
        assert not limit._open, "nothing is remembered of who has left"

    asyncio.run(opened())
