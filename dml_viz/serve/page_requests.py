"""Requests for pages: redirects, from below a page or from its earlier address, and figures alone in a frame."""

from urllib.parse import quote

from starlette.datastructures import URL, Headers, MutableHeaders, QueryParams
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dml_viz.figure_files.spec import address_today
from dml_viz.serve.frontend import Frontend

ONLY = "only"  # the setting that names the figure
# The page's own styles come with its elements, and so too late; they are there when the presenter's script has begun
# (assets/src/components/presenter.js). A page that fails says so.
STYLE = b"""<style>
html:not([data-dml-presents]):not(:has([data-testid="stException"], [data-testid="stAlert"], [role="dialog"])) #root {
  visibility: hidden; }
</style>"""
END = b"</head>"
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


class FramedPages:
    """Adds `STYLE` to an HTML document whose address has the setting `ONLY`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or ONLY not in QueryParams(scope["query_string"]):
            await self.app(scope, receive, send)
            return
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        start: Message | None = None
        body = b""

        async def send_styled(message: Message) -> None:
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
                    styled = body.replace(END, STYLE + END, 1)
                    headers = MutableHeaders(raw=start["headers"])
                    if "content-length" in headers and body:
                        headers["content-length"] = str(len(styled))
                    await send({**start, "headers": headers.raw})
                    await send({**message, "body": styled})

        await self.app({**scope, "headers": plain}, receive, send_styled)
