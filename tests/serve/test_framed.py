"""The document of a page has its title, and for a frame hides the page until its figure is there; other answers are left."""

import asyncio

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from dml_viz.app import frontend
from dml_viz.assets import component_file
from dml_viz.serve.files import address
from dml_viz.serve.page_requests import ALONE, STILL, PageTitles

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
    titles = {"fastap": "FastAP & more · dml-viz"}
    asyncio.run(PageTitles(answered, frontend, titles.get)(scope, receive, send))
    start, *parts = sent
    whole, found = b"".join(part["body"] for part in parts), dict(start["headers"])
    assert int(found[b"content-length"]) == len(whole)
    return whole, found


def test_the_document_of_a_page_has_its_title_and_still_placeholders_and_that_of_a_framed_figure_hides_the_page() -> None:
    words = "FastAP &amp; more · dml-viz"
    script = f'<script type="module" src="./{address(component_file("presenter"))}"></script>\n'
    title = f'<title>{words}</title>\n<meta property="og:title" content="{words}" />\n{script}'.encode() + STILL
    named = PAGE.encode().replace(b"<title>x</title>", b"").replace(b"</head>", title + b"</head>")
    body, headers = answer("/fastap", "fastap.bins=20")
    assert body == named
    assert headers[b"asked"] == b"", "a compressed document could not be changed"
    assert answer("/fastap", "only=fastap")[0] == named.replace(b"</head>", ALONE + b"</head>")
    assert answer("/unknown", "only=fastap")[0] == PAGE.encode().replace(b"</head>", ALONE + b"</head>")


@pytest.mark.parametrize(("path", "query"), [("/unknown", ""), ("/unknown", "lonely=1"), ("/a.txt", "only=fastap")])
def test_other_answers_stay_as_they_are(path: str, query: str) -> None:
    assert answer(path, query)[0] == PAGE.encode()
