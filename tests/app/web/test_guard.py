"""The requests that the server refuses, the headers of its documents, and the files of an installation."""

import asyncio
import re

import pytest
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import Message
from streamlit import config

from dml_viz.app.web import descriptors, serve
from dml_viz.app.web.guard import Guard


def answer(path: str, method: str = "GET", kind: str = "http", **headers: str) -> tuple[int, Headers, str]:
    """Status, headers and body of the answer to a request behind the guard, whose body is never read."""
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("the body was read")

    async def send(message: Message) -> None:
        sent.append(message)

    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "path": path, "method": method, "headers": given}
    asyncio.run(Guard(HTMLResponse("a page"))(scope, receive, send))
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), sent[1]["body"].decode()


@pytest.mark.parametrize("base", ["", "/class"])
@pytest.mark.parametrize("route", ["metrics", "agent/openapi.json"])
def test_routes_that_no_page_uses_are_closed(base: str, route: str) -> None:
    status, headers, text = answer(f"{base}/_stcore/{route}", "PUT")
    assert (status, headers["X-Content-Type-Options"]) == (403, "nosniff")
    assert text.endswith("it is closed.")


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [("/", "lab.example.org:8501", 200), ("/", "localhost", 200), ("/", "elsewhere.example", 421), ("/", "", 421),
     ("/", "lab.example.org@elsewhere.example", 421), ("/live/id", "elsewhere.example", 421),
     ("/_stcore/health", "10.0.0.7:8501", 200)],
)  # fmt: skip
def test_the_hosts_that_the_server_answers_as_are_configured(path: str, host: str, status: int) -> None:
    assert answer(path, host=host)[0] == 200, "by default it answers as any"
    config.set_option("server.allowedHosts", ["localhost", "*.example.org"])
    try:
        assert answer(path, host=host)[0] == status
        if status != 200:
            assert answer(path, kind="websocket", host=host)[0] == status
    finally:
        config.set_option("server.allowedHosts", [])


@pytest.mark.parametrize("route", ["upload_file", "upload_file/stranger/file"])
def test_uploads_are_closed_to_a_session_whose_page_asks_for_no_file(route: str) -> None:
    status, _, text = answer(f"/_stcore/{route}", "PUT")
    assert status == 403
    assert text.endswith("uploads are closed.")


def test_a_page_loads_nothing_from_elsewhere() -> None:
    policy = answer("/fastap")[1]["Content-Security-Policy"]
    sources = dict(part.split(" ", 1) for part in policy.split("; "))
    assert sources["default-src"] == "'self'"
    assert not re.search(r"https?://", policy)
    assert sources["frame-ancestors"] == "'self' *"


def test_the_sites_that_may_hold_a_page_in_a_frame_are_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DML_VIZ_EMBEDDED_BY", "https://slides.example.org; script-src *")
    policy = answer("/")[1]["Content-Security-Policy"]
    assert policy.endswith("frame-ancestors 'self' https://slides.example.org  script-src *"), "one directive, not two"


def test_a_class_is_given_the_address_that_the_app_listens_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serve.net_util, "get_internal_ip", lambda: "192.0.2.7")
    begun: list[str] = []
    monkeypatch.setattr(serve.os, "execv", lambda _, command: begun.extend(command))
    serve.main(["8600", "--theme.base=dark"])
    assert "http://192.0.2.7:8600" in capsys.readouterr().out
    assert {"--server.address=0.0.0.0", "--server.port=8600", "--theme.base=dark"} <= set(begun)


@pytest.mark.parametrize(
    ("limits", "raised", "words"),
    [((256, 1 << 20), (4096, 1 << 20), ""), ((1 << 20, 1 << 20), None, ""), ((256, 512), (512, 512), "512 .* about 36 visitors"),
     ((512, 512), None, "512 .*`ulimit -Hn 4096`")],
)  # fmt: skip
def test_descriptors_are_provided_or_a_sentence_names_the_lack(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], raised: tuple[int, int] | None, words: str
) -> None:
    resource = pytest.importorskip("resource", reason="Windows knows no such limit")
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: calls.append(wanted))
    found = descriptors.provide()
    assert calls == ([raised] if raised else [])
    assert re.search(words, found) if words else found == ""
