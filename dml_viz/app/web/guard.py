"""Requests that the server refuses, and security headers of its documents.

The configured ``embedded_by``, addresses separated by spaces, names the sites that may show a page in a frame:
``https://slides.example.org``. By default every site may: the app has no accounts, and a frame is a visitor like any other.
Streamlit's ``server.allowedHosts``, by default any, names the hosts that the server answers as; Streamlit checks it for its own
socket alone, this module for pages, routes and live streams, too.
"""

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from dml_viz.app.own.uploads import uploads
from dml_viz.app.web.preload import links
from dml_viz.engine.configuration import chosen

HEALTH = "/_stcore/health"  # requested by monitors of the machine, which may use any host name
CLOSED = ("_stcore/metrics", "_stcore/agent")
UPLOAD = re.compile(r".*/_stcore/upload_file(?:/([^/]*)/([^/]*))?")

# Streamlit writes a script and its styles into the document and loads components as blobs; Plotly and the exports make
# images, files and workers in it.
SOURCES = (
    "default-src 'self'", "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:", "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:", "font-src 'self' data:", "media-src 'self' data: blob:",
    "connect-src 'self' data: blob: ws: wss:", "worker-src 'self' blob:", "object-src 'none'", "base-uri 'self'",
    "form-action 'self'",
)  # fmt: skip


class Guard:
    """Closes the routes of Streamlit that no page uses, before a byte is read, and adds the headers of security and `links`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        frames = chosen("embedded_by").replace(";", " ").replace(",", " ")
        self.policy = "; ".join((*SOURCES, f"frame-ancestors 'self' {frames}"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        if not (scope["path"].endswith(HEALTH) or is_host_allowed(Headers(scope=scope).get("host"))):
            misdirected = PlainTextResponse("This server does not answer as that host (server.allowedHosts).", 421)
            return await misdirected(scope, receive, send)
        if scope["type"] == "websocket":
            return await self.app(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Content-Security-Policy"] = self.policy
                    headers["Link"] = links(scope)
            await send(message)

        if any(f"/{route}" in scope["path"] for route in CLOSED):
            closed = PlainTextResponse("No page of this app uses this route; it is closed.", 403)
            return await closed(scope, receive, send_with_headers)
        if (upload := UPLOAD.match(scope["path"])) and (refusal := _refusal(scope, *upload.groups(""))):
            return await PlainTextResponse(refusal, 403)(scope, receive, send_with_headers)
        return await self.app(scope, receive, send_with_headers)


def _refusal(scope: Scope, session: str, file: str) -> str:
    """The reason why an upload is refused, before a byte of it is read; "" if it is allowed. A cancelled upload is ended."""
    if scope["method"] == "PUT":
        size = Headers(scope=scope).get("content-length", "")
        return uploads().begin(session, file, *([int(size)] if size.isdecimal() else []))
    if scope["method"] == "DELETE":
        uploads().end(session, file)
    return ""
