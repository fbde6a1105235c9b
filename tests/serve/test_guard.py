"""The requests that the server refuses, the headers of its documents, and the files of an installation."""

import asyncio
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from streamlit import config, net_util
from streamlit.runtime.state.query_params import CLIENT_STATE_QUERY_STRING_MAX_FIELDS as MOST
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

from dml_viz.app import frontend
from dml_viz.data.files._base import MOST_BYTES
from dml_viz.export import serve
from dml_viz.serve import connections, guard
from dml_viz.serve.guard import Guard
from dml_viz.serve.hosts import same_origin
from dml_viz.serve.uploads import Uploads
from tests.samples import for_each


def answer(
    path: str, method: str = "GET", kind: str = "http", app: Any = None, body: Any = None, **headers: Any
) -> tuple[int, Headers, str]:
    """Status, headers and body of the answer to a request behind the guard, whose ``body`` is read only where it is given."""
    sent: list[Message] = []

    async def receive() -> Message:
        assert body, "the body was read"
        return await body()  # type: ignore[no-any-return]

    async def send(message: Message) -> None:
        sent.append(message)

    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    path, _, query = path.partition("?")
    scope = {"type": kind, "path": path, "query_string": query.encode(), "method": method, "headers": given}
    asyncio.run(Guard(app or HTMLResponse("a page"), frontend)(scope, receive, send))
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), sent[1]["body"].decode()


@contextmanager
def options(**wanted: Any) -> Iterator[None]:
    """Streamlit with other options; their names are written with ``__`` for a point."""
    names = {name: name.replace("__", ".") for name in wanted}
    before = {name: config.get_option(name) for name in names.values()}
    for name, value in wanted.items():
        config.set_option(names[name], value)
    yield
    for name, value in before.items():
        config.set_option(name, value)


@pytest.mark.parametrize("base", ["", "/class"])
@pytest.mark.parametrize("route", ["metrics", "agent/openapi.json"])
def test_routes_that_no_page_uses_are_closed(base: str, route: str) -> None:
    status, headers, text = answer(f"{base}/_stcore/{route}", "PUT")
    assert (status, headers["X-Content-Type-Options"]) == (403, "nosniff")
    assert text.endswith("it is closed.")


@pytest.mark.parametrize(("count", "status"), [(MOST, 200), (MOST + 1, 414)])
def test_a_link_of_more_settings_than_streamlit_reads_is_refused(count: int, status: int) -> None:
    assert answer("/fastap?" + "&".join(f"k{k}=1" for k in range(count)))[0] == status


@for_each(
    ("path", "host", "status"),
    [
        ("/", "lab.example.org:8501", 200),
        ("/", "localhost", 200),
        ("/", "elsewhere.example", 421),
        ("/", "10.0.0.7", 421),
        ("/", "lab.example.org@elsewhere.example", 421),
        ("/live/id", "elsewhere.example", 421),
        ("/_stcore/health", "10.0.0.7:8501", 200),
    ],
)
def test_the_hosts_that_the_server_answers_as_are_configured(path: str, host: str, status: int) -> None:
    with options(server__allowedHosts=["localhost", "*.example.org"]):
        assert answer(path, host=host)[0] == status
        if status != 200:
            assert answer(path, kind="websocket", host=host, origin=f"http://{host}")[0] == status


@for_each(
    ("host", "alone", "open_"),
    [("localhost:8501", True, True), ("127.0.0.1:8501", True, True), ("[::1]:8501", True, True), ("192.0.2.7:8501", True, True),
     ("dml.localhost", True, True), ("", True, True), ("LAB", False, True), ("lab.local:8501", False, True),
     ("lab.internal.", False, True), ("lab", False, True),
     ("rebind.example", False, False), ("127.0.0.1.rebind.example", False, False),
     ("evillocalhost.example", False, False), ("a@localhost", False, False),
     ("localhost:8501@rebind.example", False, False), ("localhost:x", False, False), ("local/../host", False, False)],
)  # fmt: skip
def test_a_server_answers_only_as_a_host_that_no_stranger_can_name(host: str, alone: bool, open_: bool) -> None:
    for address, may in (("localhost", alone), ("127.0.0.1", alone), (None, open_), ("0.0.0.0", open_)):
        with options(server__address=address):
            assert answer("/", host=host)[0] == (200 if may else 421), address
            socket = answer("/_stcore/stream", kind="websocket", host=host, origin=f"http://{host}")[0]
            assert socket in ((200, 403) if may else (421,)), address
            assert answer("/_stcore/health", host=host)[0] == 200, "a monitor may use any name"


def test_a_server_answers_as_the_host_that_a_proxy_passes_on_or_its_operator_names() -> None:
    forwarded = {"host": "lab.example.org", "x-forwarded-for": "192.0.2.1", "origin": "https://lab.example.org"}
    assert answer("/", **forwarded)[0] == answer("/live/id", kind="websocket", **forwarded)[0] == 200
    with options(browser__serverAddress="Lab.example.org"):
        assert answer("/", host="lab.example.org:8501")[0] == 200
        assert answer("/", host="rebind.example")[0] == 421


@for_each("path", ["/_stcore/stream", "/live/id", "/class/_stcore/stream"])
@for_each(
    ("origin", "status"),
    [("http://localhost:8501", 200), ("http://LOCALHOST:8501", 200), ("http://localhost:3000", 403), ("http://localhost", 403),
     ("http://127.0.0.1:8501", 403), ("https://evil.example", 403), ("http://localhost:8501.evil.example", 403),
     ("http://localhost:8501@evil.example", 403), ("null", 403), ("file://", 403), ("", 403), ("chrome-extension://abc", 403)],
)  # fmt: skip
def test_a_page_of_another_origin_opens_no_socket(path: str, origin: str, status: int) -> None:
    given = {"host": "localhost:8501", **({"origin": origin} if origin else {})}
    assert answer(path, kind="websocket", **given)[0] == status


def test_the_origins_whose_pages_may_open_sockets_are_configured() -> None:
    given = {"host": "localhost:8501", "origin": "https://portal.example.org"}
    assert answer("/live/id", kind="websocket", **given)[0] == 403
    with options(server__corsAllowedOrigins=["https://portal.example.org"]):
        assert answer("/live/id", kind="websocket", **given)[0] == 200
    with options(server__enableCORS=False):
        assert answer("/live/id", kind="websocket", **given)[0] == 200


@for_each(
    ("headers", "same"),
    [
        ({"origin": "http://lab:8501", "host": "lab:8501"}, True),
        ({"origin": "https://lab.example", "host": "lab.example:443"}, True),
        ({"origin": "http://LAB:80", "host": "lab"}, True),
        ({"origin": "https://lab.example", "host": "127.0.0.1:8501", "x-forwarded-host": "lab.example"}, True),
        ({"origin": "http://lab:8502", "host": "lab:8501"}, False),
        ({"origin": "http://lab.example.evil", "host": "lab.example"}, False),
        ({"origin": "http://", "host": ""}, False),
        ({"origin": "http://[", "host": "["}, False),
        ({"origin": "file://lab", "host": "lab"}, False),
        ({"host": "lab"}, False),
    ],
)
def test_the_origin_is_the_host_that_the_server_was_reached_by(headers: dict[str, str], same: bool) -> None:
    assert same_origin(Headers(headers)) == same


def test_streamlit_asks_nobody_for_the_address_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, **_: asked.append(url))
    monkeypatch.setattr(net_util, "_external_ip", None)
    reached: list[str] = []

    async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        assert _is_origin_allowed(headers.get("origin"), headers.get("host"))
        reached.append(headers["host"])
        await PlainTextResponse("", 101)(scope, receive, send)

    of_proxy = {"host": "127.0.0.1:8501", "x-forwarded-host": "lab.example.org", "origin": "https://lab.example.org"}
    for headers in (
        of_proxy,
        {"host": "192.0.2.7:80", "origin": "http://192.0.2.7"},
        {"host": "lab", "origin": "http://elsewhere.example"},
    ):
        answer("/_stcore/stream", kind="websocket", app=streamlit, **headers)
    assert (reached, asked) == (["127.0.0.1:8501", "192.0.2.7:80"], [])


def page_headers(**more: str) -> dict[str, str]:
    """The headers of an upload from a page of this server."""
    token = generate_xsrf_token_string(b"x" * 16)
    return {"cookie": f"_streamlit_xsrf={token}", "x-xsrftoken": token, **more}


def test_an_upload_counts_only_while_it_is_one_of_a_page_and_brings_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Uploads()
    own.allow_session("tab", "visitor")
    monkeypatch.setattr(guard, "uploads", lambda: own)
    path, most = "/_stcore/upload_file/tab/file", str(MOST_BYTES)

    async def leaves(*_: object) -> None:
        assert own._unread["tab"] == {"file": MOST_BYTES}, "it counts while it is on the way"
        raise ClientDisconnect

    assert answer(path, "PUT", **{"content-length": most})[::2] == (
        403,
        "This is no upload of a page of this server; reload the page.",
    )
    assert answer(path, "PUT", **page_headers(**{"content-length": str(1 << 30)}))[::2] == (403, "A file has at most 160 MB.")
    assert answer(path, "PUT", app=PlainTextResponse("", 400), **page_headers(**{"content-length": most}))[0] == 400
    with pytest.raises(IndexError):  # no answer, and no fault in the log, for one who has left
        answer(path, "PUT", app=leaves, **page_headers(**{"content-length": most}))
    assert own._unread["tab"] == {}
    assert answer(path, "PUT", app=PlainTextResponse("", 200), **page_headers(**{"content-length": most}))[0] == 200
    assert own._unread["tab"] == {"file": MOST_BYTES}
    answer(path, "DELETE")
    assert own._unread["tab"] == {}


def test_an_upload_of_which_nothing_more_comes_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Uploads()
    own.allow_session("tab", "visitor")
    monkeypatch.setattr(guard, "uploads", lambda: own)
    monkeypatch.setattr(guard, "STALLED", 0.01)

    async def reads(scope: Scope, receive: Receive, _: Send) -> None:
        await Request(scope, receive).body()

    path = "/_stcore/upload_file/tab/file"
    status, _, text = answer(path, "PUT", app=reads, body=asyncio.Event().wait, **page_headers())
    assert (status, text) == (408, "Nothing more of this file came; send it again.")
    assert own._unread["tab"] == {}


@pytest.mark.parametrize("route", ["upload_file", "upload_file/stranger/file"])
def test_uploads_are_closed_to_a_session_whose_page_asks_for_no_file(route: str) -> None:
    status, _, text = answer(f"/_stcore/{route}", "PUT", **page_headers())
    assert status == 403
    assert text.endswith("uploads are closed.")


def test_a_page_loads_nothing_from_elsewhere() -> None:
    policy = answer("/fastap")[1]["Content-Security-Policy"]
    sources = dict(part.split(" ", 1) for part in policy.split("; "))
    assert sources["default-src"] == "'self'"
    assert not re.search(r"https?://", policy)
    assert sources["frame-ancestors"] == "'self' *"


class InlineScripts(HTMLParser):
    """The scripts that a document holds itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script" and "src" not in dict(attrs):
            self.found.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script" and self.found:
            self.found[-1] += data


def test_no_script_of_a_page_runs_but_those_of_streamlits_document() -> None:
    answered = answer("/fastap")[1]["Content-Security-Policy"]
    (scripts,) = re.findall(r"script-src ([^;]*)", answered)
    inline = InlineScripts(frontend.document()).found
    assert inline
    hashes = {f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in inline}
    assert set(scripts.split()) == {"'self'", "'wasm-unsafe-eval'", "blob:", *hashes}


def test_the_sites_that_may_hold_a_page_in_a_frame_are_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DML_VIZ_EMBEDDED_BY", "https://slides.example.org; script-src *")
    policy = answer("/")[1]["Content-Security-Policy"]
    assert policy.endswith("frame-ancestors 'self' https://slides.example.org  script-src *"), "one directive, not two"


def test_a_class_is_given_the_address_that_the_app_listens_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serve, "address_in_network", lambda: "192.0.2.7")
    begun: list[str] = []
    monkeypatch.setattr(serve.os, "execv", lambda _, command: begun.extend(command))
    serve.main(["--port", "8600", "--theme.base=dark"])
    assert "http://192.0.2.7:8600" in capsys.readouterr().out
    assert {"--server.address=0.0.0.0", "--server.port=8600", "--theme.base=dark"} <= set(begun)
    serve.main(["--port", "8600", "--server.allowedHosts=*.example.org", "--server.allowedHosts=lab.example.org"])
    assert "http://lab.example.org:8600" in capsys.readouterr().out, "the only hosts that it then answers as"


@pytest.mark.parametrize(
    ("limits", "raised", "words"),
    [
        ((256, 1 << 20), (8192, 1 << 20), ""),
        ((1 << 20, 1 << 20), None, ""),
        ((256, 512), (512, 512), "512 .* about 36 visitors"),
        ((512, 512), None, "512 .*`ulimit -Hn 8192`"),
    ],
)
def test_descriptors_are_provided_or_a_sentence_names_the_lack(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], raised: tuple[int, int] | None, words: str
) -> None:
    resource = pytest.importorskip("resource", reason="Windows knows no such limit")
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: calls.append(wanted))
    found = connections.raise_file_limit()
    assert calls == ([raised] if raised else [])
    assert re.search(words, found) if words else found == ""
