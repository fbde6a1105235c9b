"""The document for a frame hides the page until its figure is there; any other answer is left as it is."""

import asyncio

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from dml_viz.serve.page_requests import STYLE, FramedPages

PAGE = "<html><head><title>x</title></head><body></body></html>"


async def answered(scope: Scope, receive: Receive, send: Send) -> None:
    kind = PlainTextResponse if scope["path"].endswith(".txt") else HTMLResponse
    await kind(PAGE, headers={"asked": ",".join(name.decode() for name, _ in scope["headers"])})(scope, receive, send)


def answer(path: str, query: str) -> tuple[bytes, dict[bytes, bytes]]:
    """The body and the headers of the answer."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"accept-encoding", b"gzip")]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": headers}
    asyncio.run(FramedPages(answered)(scope, receive, send))
    start, *parts = sent
    whole, found = b"".join(part["body"] for part in parts), dict(start["headers"])
    assert int(found[b"content-length"]) == len(whole)
    return whole, found


def test_the_document_of_a_framed_figure_hides_the_page() -> None:
    body, headers = answer("/fastap", "fastap.bins=20&only=fastap")
    assert body == PAGE.encode().replace(b"</head>", STYLE + b"</head>")
    assert headers[b"asked"] == b"", "a compressed document could not be changed"


@pytest.mark.parametrize(("path", "query"), [("/fastap", ""), ("/fastap", "lonely=1"), ("/a.txt", "only=fastap")])
def test_other_answers_stay_as_they_are(path: str, query: str) -> None:
    assert answer(path, query)[0] == PAGE.encode()
