"""An address below a page leads to that page, since the browser would look for the app beside it, where it is not."""

from urllib.parse import quote

from starlette.datastructures import URL, Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config


class Shallow:
    """Answers with a redirect to the page wherever an HTML document would be served from below one; the query is kept."""

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
    """The address of the page that ``path`` lies below; None where it lies below none."""
    base = config.get_option("server.baseUrlPath").strip("/")
    segments = [segment for segment in path.removeprefix(f"/{base}").split("/") if segment]
    return quote(f"{base and '/'}{base}/{segments[0]}") if len(segments) > 1 else None
