"""Redirects to a page: from an address below it, where a browser would not find the app's files, and from its earlier address."""

from urllib.parse import quote

from starlette.datastructures import URL, Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dml_viz.figure_files.spec import address_today
from dml_viz.serve.frontend import Frontend


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
    if not segments:
        return None
    page = address_today(segments[0])
    return quote(f"{base and '/'}{base}/{page}") if segments != [page] else None
