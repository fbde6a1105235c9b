"""What the server refuses, what its documents say to browsers, and what an installation gets."""

import asyncio
import re

import pytest
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import Message

from dml_viz.app.web import serve
from dml_viz.app.web.guard import Guard


def answer(path: str, method: str = "GET") -> tuple[int, Headers, str]:
    """Status, headers and body of the answer to a request behind the guard, whose body is never read."""
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("the body was read")

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "method": method, "headers": []}
    asyncio.run(Guard(HTMLResponse("a page"))(scope, receive, send))
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), sent[1]["body"].decode()


@pytest.mark.parametrize("base", ["", "/class"])
@pytest.mark.parametrize("route", ["upload_file/session/file", "metrics", "agent/openapi.json"])
def test_routes_that_no_page_uses_are_closed(base: str, route: str) -> None:
    status, headers, text = answer(f"{base}/_stcore/{route}", "PUT")
    assert (status, headers["X-Content-Type-Options"]) == (403, "nosniff")
    assert text.endswith("it is closed.")


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
