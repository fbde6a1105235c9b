"""Requests for pages: redirects, from below a page or from its earlier address, titles, and figures alone in a frame."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote

from starlette.datastructures import URL, Headers, MutableHeaders, QueryParams
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dml_viz.assets import component_file
from dml_viz.figure_files.spec import address_today
from dml_viz.serve.files import address
from dml_viz.serve.frontend import Frontend

ONLY = "only"  # the setting that names the figure
# Where there is no graphics card, Streamlit's pulsing placeholders take a third of a core from what they wait for.
STILL = b"""<style>[data-testid="stSkeleton"] { animation: none !important; }</style>
"""
# The page's own styles come with its elements, and so too late; they are there when the presenter's script has begun
# (assets/src/components/presenter.js). A page that fails says so.
ALONE = b"""<style>
html:not([data-dml-presents]):not(:has([data-testid="stException"], [data-testid="stAlert"], [role="dialog"])) #root {
  visibility: hidden; }
</style>"""
END = b"</head>"
TITLE = re.compile(rb"<title>[^<]*</title>\s*")
CLASSROOM = "classroom"  # whose documents are no pages of the app


class PageRedirects:
    """Redirects a request for an HTML document below a page, or at its earlier address, to that page, with its query."""

    def __init__(self, app: ASGIApp, frontend: Frontend) -> None:
        self.app, self._frontend = app, frontend

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = _page_of(scope["path"], self._frontend.base_path()) if scope["type"] == "http" else None
        if page is None:
            return await self.app(scope, receive, send)
        redirected = False

        async def send_or_redirect(message: Message) -> None:
            nonlocal redirected
            if message["type"] == "http.response.start":
                headers = Headers(raw=message["headers"])
                to_be_shown = "content-disposition" not in headers  # a file to be saved has one
                redirected = to_be_shown and headers.get("content-type", "").startswith("text/html")
                if redirected:
                    url = URL(page).replace(query=scope["query_string"].decode("latin-1"))
                    await RedirectResponse(url)(scope, receive, send)
            if not redirected:
                await send(message)

        return await self.app(scope, receive, send_or_redirect)


def _page_of(path: str, base: str) -> str | None:
    """The address of the page that ``path`` is below, or was the address of; None for any other path."""
    segments = [segment for segment in path.removeprefix(f"/{base}").split("/") if segment]
    if not segments or segments[0] == CLASSROOM:
        return None
    page = address_today(segments[0])
    return quote(f"{base and '/'}{base}/{page}") if segments != [page] else None


class PageTitles:
    """Writes the title of its page into an HTML document, for bookmarks, link previews and what reads no scripts.

    The style `STILL` and the presenter's script, which must be there before the first address of a page comes, are written into
    it, too, and `ALONE` where its address has the setting `ONLY`. ``title_of`` returns the whole title of the page at an
    address, None where there is none.
    """

    def __init__(self, app: ASGIApp, frontend: Frontend, title_of: Callable[[str], str | None]) -> None:
        self.app, self._frontend, self._title_of = app, frontend, title_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = self._head(scope) if scope["type"] == "http" and scope["method"] == "GET" else b""
        if not head:
            await self.app(scope, receive, send)
            return
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        start: Message | None = None
        body = b""

        async def send_written(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                if not Headers(raw=message["headers"]).get("content-type", "").startswith("text/html"):
                    start = None
                    await send(message)
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    rest = TITLE.sub(b"", body, count=1) if b"<title>" in head else body
                    written = rest.replace(END, head + END, 1)
                    headers = MutableHeaders(raw=start["headers"])
                    if "content-length" in headers and body:
                        headers["content-length"] = str(len(written))
                    await send({**start, "headers": headers.raw})
                    await send({**message, "body": written})

        await self.app({**scope, "headers": plain}, receive, send_written)

    def _head(self, scope: Scope) -> bytes:
        """What is written into the document, if ``scope`` asks for one; empty for nothing."""
        title = self._title_of(scope["path"].removeprefix(f"/{self._frontend.base_path()}").strip("/"))
        words, script = escape(title or ""), address(component_file("presenter"))
        named = (
            f'<title>{words}</title>\n<meta property="og:title" content="{words}" />\n'
            f'<script type="module" src="./{script}"></script>\n'.encode()
            + STILL
        )
        return (named if title else b"") + (ALONE if ONLY in QueryParams(scope["query_string"]) else b"")
