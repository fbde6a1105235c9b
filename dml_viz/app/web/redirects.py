"""Redirects from an address below a page to that page, because there the browser would not find the app's files."""

from urllib.parse import quote

from starlette.datastructures import URL, Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config


class PageRedirects:
    """Redirects a request for an HTML document below a page to that page, with its query."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = _page_above(scope["path"]) if scope["type"] == "http" else None
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


def _page_above(path: str) -> str | None:
    """The address of the page above ``path``; None if ``path`` is not below a page."""
    base = config.get_option("server.baseUrlPath").strip("/")
    segments = [segment for segment in path.removeprefix(f"/{base}").split("/") if segment]
    return quote(f"{base and '/'}{base}/{segments[0]}") if len(segments) > 1 else None
