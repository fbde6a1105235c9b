"""Which sessions count as one visitor, how many sockets a visitor may have, and when no server starts for any."""

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from dml_viz.app import frontend
from dml_viz.engine.limits import Visitor
from dml_viz.serve import connections, server, visitors
from dml_viz.serve.connections import FULL, MOST_OF_BROWSER, SocketLimit
from dml_viz.serve.guard import Guard
from dml_viz.serve.visitors import SeatsByAddress, visitor_of
from tests.samples import for_each

BROWSER = b"0123456789abcdef"


def scope(token: bytes = b"", address: str = "192.0.2.1", kind: str = "websocket", raw: str = "") -> dict[str, Any]:
    cookie = raw or (generate_xsrf_token_string(token) if token else "")
    headers = [(b"cookie", f"_streamlit_xsrf={cookie}".encode()), (b"accept", b"text/html")]
    made = {
        "type": kind,
        "method": "GET",
        "path": "/",
        "headers": headers,
        "client": (address, 1),
        "query_string": b"",
        "subprotocols": [],
    }
    return {**made, visitors.BROWSER: frontend.browser_of(HTTPConnection(made).cookies)}


def test_the_tabs_of_a_browser_are_one_visitor_wherever_it_is() -> None:
    tabs = [visitor_of(HTTPConnection(scope(BROWSER, address))) for address in ("192.0.2.1", "192.0.2.2", "127.0.0.1")]
    assert set(tabs) == {Visitor(BROWSER.hex())}
    assert visitor_of(HTTPConnection(scope(b"another browser!"))) not in tabs


def test_the_guard_knows_a_browser_by_its_cookie_alone() -> None:
    found: list[Visitor] = []

    async def app(connection: dict[str, Any], *_: object) -> None:
        found.append(visitor_of(HTTPConnection(connection)))

    for token in (BROWSER, b""):
        sent = {**scope(token, kind="http"), visitors.BROWSER: b"another browser!"}
        asyncio.run(Guard(app, frontend)(sent, None, None))  # type: ignore[arg-type]
    assert found == [Visitor(BROWSER.hex()), Visitor("192.0.2.1", crowd=True)]


@for_each("raw", ["", "x", "2|", "2|zz|zz|zz", "2|00|00|x", "0" * 4000])
def test_a_visitor_without_a_valid_cookie_is_identified_by_address(raw: str) -> None:
    found = visitor_of(HTTPConnection(scope(raw=raw)))
    assert found == Visitor("192.0.2.1", crowd=True)
    assert visitor_of(HTTPConnection(scope(address="::1"))) == Visitor("127.0.0.1", crowd=True)


def test_one_clients_invented_cookies_count_as_at_most_a_class_and_others_keep_their_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    own = SeatsByAddress(30, lambda: now)
    monkeypatch.setattr(visitors, "seats", lambda: own)

    def come(browser: int, address: str = "192.0.2.1") -> Visitor:
        return visitor_of(HTTPConnection(scope(browser.to_bytes(16, "big"), address)))

    pupils = [come(k) for k in range(30)]
    assert len(set(pupils)) == 30
    assert not any(each.crowd for each in pupils), "thirty behind one address are thirty visitors"
    assert {come(k) for k in range(100, 400)} == {Visitor("192.0.2.1", crowd=True)}, "all that comes beyond is one crowd"
    assert [come(k) for k in range(30)] == pupils
    assert not come(100, "192.0.2.2").crowd, "another address has seats of its own"
    now = visitors.FREED + 1
    assert [come(k) for k in range(29)] == pupils[:29]
    assert not come(100).crowd, "the seat of one who has gone is free"
    assert come(101).crowd, "once"
    assert come(29) == pupils[29], "who was there before has it again"
    assert come(100).crowd
    now += visitors.FORGOTTEN + 1
    assert not come(100).crowd
    assert not any(come(k).crowd for k in range(29))
    assert come(29).crowd, "all but one came back before"
    hosts = [come(500 + k, f"2001:db8::{k:x}") for k in range(40)]
    assert {each.address for each in hosts} == {"2001:db8::/64"}, "who has one address of IPv6 has all of its network"
    assert sum(each.crowd for each in hosts) == 10
    assert come(600, "::ffff:192.0.2.2").address == "192.0.2.2"
    for k in range(visitors.ADDRESSES + 5):
        own.has(str(k), BROWSER)
    assert len(own._seen) == visitors.ADDRESSES
    for k in range(1000):
        own.has("192.0.2.3", k.to_bytes(16, "big"))
    assert len(own._seen["192.0.2.3"]) == 30 * visitors.WAITING, "what is remembered is bounded"


def test_how_many_browsers_of_an_address_are_visitors_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DML_VIZ_SEATS", "many")
    with pytest.raises(ValueError, match="write a whole number"):
        visitors.seats.__wrapped__()


def test_a_server_that_cannot_have_its_configuration_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "thesis.txt").touch()
    monkeypatch.setenv("DML_VIZ_STORE", str(tmp_path))
    with pytest.raises(SystemExit, match=r"^The app cannot start: the store .* holds thesis\.txt, .* an empty folder\.$"):
        server.check()
    monkeypatch.delenv("DML_VIZ_STORE")
    server.check()
    for name, value, says in (
        *(
            ("WORKERS", count, f"workers = '{count}' .* write local, a whole number from 1 to 256")
            for count in ("-2", "0", "257")
        ),
        ("WATCH_FROM", "everywhere", "choose this machine or anywhere"),
        ("LOOK", str(tmp_path / "none.npz"), r"none\.npz"),
    ):
        monkeypatch.setenv(f"DML_VIZ_{name}", value)
        server.files_to_look_at.forget()
        with pytest.raises(SystemExit, match=f"^The app cannot start: .*{says}"):
            server.check()
        monkeypatch.delenv(f"DML_VIZ_{name}")


class Sockets:
    """Sockets that stay open behind a `SocketLimit` until they `leave`, and the messages to them."""

    def __init__(self) -> None:
        self.sent: list[MutableMapping[str, Any]] = []
        self.limit, self._leave = SocketLimit(self._app), asyncio.Event()
        self._tabs: list[asyncio.Task[None]] = []

    async def _app(self, *_: object) -> None:
        await self._leave.wait()

    async def _receive(self) -> MutableMapping[str, Any]:
        return {"type": "websocket.connect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        self.sent.append(message)

    async def request(self, token: bytes, **options: str) -> None:
        await self.limit(scope(token, **options), self._receive, self._send)

    async def open(self, *tokens: bytes, **options: str) -> None:
        """Begin a socket of each browser; those that are let in stay open."""
        self._tabs += [asyncio.create_task(self.request(token, **options)) for token in tokens]
        await asyncio.sleep(0)

    async def leave(self) -> None:
        self._leave.set()
        await asyncio.gather(*self._tabs)
        assert not self.limit._open, "nothing is remembered of who has left"


def test_an_address_has_so_many_sockets_whatever_cookies_come_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_OF_ADDRESS", 5)

    async def opened() -> None:
        sockets = Sockets()
        await sockets.open(*(k.to_bytes(16, "big") for k in range(8)))
        await sockets.open(BROWSER, address="192.0.2.9")
        assert [message["code"] for message in sockets.sent if message["type"] == "websocket.close"] == [4429] * 3
        await sockets.leave()

    asyncio.run(opened())


def test_a_visitor_with_too_many_sockets_is_refused_in_a_sentence_until_one_closes() -> None:
    async def opened() -> None:
        sockets = Sockets()
        await sockets.open(*[BROWSER] * MOST_OF_BROWSER)
        await sockets.request(BROWSER)
        assert [message["type"] for message in sockets.sent] == ["websocket.accept", "websocket.close"]
        assert (sockets.sent[1]["code"], sockets.sent[1]["reason"]) == (4429, FULL)
        assert len(FULL.encode()) <= 123, "what a closing frame holds"
        sockets.sent.clear()
        await sockets.request(BROWSER, kind="http")
        assert (sockets.sent[0]["status"], sockets.sent[1]["body"].decode()) == (429, FULL)
        sockets.sent.clear()
        await sockets.open(b"another browser!")
        assert not sockets._tabs[-1].done(), "another browser is let in"
        await sockets.leave()
        await sockets.request(BROWSER)
        assert not sockets.sent

    asyncio.run(opened())
