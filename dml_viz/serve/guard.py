"""Requests that the server refuses, and security headers of its documents.

Hosts and origins are checked here for pages, routes and all sockets, and no longer by Streamlit: at a socket of another origin
it asks the internet for the server's own address, and the whole server waits. Here a connection gets its browser, too, by which
`visitor_of` knows its visitor.
"""

import asyncio
import logging
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dml_viz.data.files._base import MOST_BYTES
from dml_viz.serve.classroom.route import is_live
from dml_viz.serve.frontend import Frontend
from dml_viz.serve.hosts import is_own_host, is_own_origin
from dml_viz.serve.page_headers import policy, preload_links
from dml_viz.serve.uploads import UNREAD, uploads
from dml_viz.serve.visitors import BROWSER

LOG = logging.getLogger(__name__)
WRAPPING = 1 << 20  # bytes of a request around a file
STALLED = 60.0  # seconds without a byte of a file after which its upload ends
LOGGED = 20  # refused sockets of which the operator reads
HEALTH = "/_stcore/health"  # requested by monitors of the machine, which may use any host name
MISDIRECTED = (
    "This server does not answer as that host. Open it by its address, or start it with the host's name: "
    "--server.allowedHosts=NAME."
)
MOST_SETTINGS = 1_000  # of a link; with more of them, Streamlit reads none
CLOSED = ("_stcore/metrics", "_stcore/agent")
UPLOAD = re.compile(r".*/_stcore/upload_file(?:/([^/]*)/([^/]*))?")


class Guard:
    """Closes the routes that no page uses, before a byte is read, and adds the headers of security and `links`."""

    def __init__(self, app: ASGIApp, frontend: Frontend) -> None:
        self.app, self._frontend, self._logged, self.policy = app, frontend, 0, policy(frontend.document())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        scope = {**scope, BROWSER: self._frontend.browser_of(HTTPConnection(scope).cookies)}
        if not (scope["path"].endswith(HEALTH) or is_own_host(headers, self._frontend)):
            return await PlainTextResponse(MISDIRECTED, 421)(scope, receive, send)
        if scope["query_string"].count(b"&") >= MOST_SETTINGS:
            return await PlainTextResponse(f"A link has at most {MOST_SETTINGS:,} settings.", 414)(scope, receive, send)
        if scope["type"] == "websocket":
            if not is_own_origin(headers, self._frontend):
                self._log(headers)
                return await PlainTextResponse("A page of another origin opens no socket here.", 403)(scope, receive, send)
            forwarded = [(name, value) for name, value in scope["headers"] if name != b"origin"]
            forwarded.append((b"origin", b"http://" + headers.get("host", "").encode("latin-1")))  # what Streamlit lets in
            return await self.app({**scope, "headers": forwarded}, receive, send)
        if scope["method"] == "POST" and is_live(scope["path"]) and not is_own_origin(headers, self._frontend):
            return await PlainTextResponse("A page of another origin takes no part in a classroom.", 403)(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Content-Security-Policy"] = self.policy
                    headers.setdefault("Link", preload_links(scope["path"], self._frontend.base_path()))
            await send(message)

        if any(f"/{route}" in scope["path"] for route in CLOSED):
            closed = PlainTextResponse("No page of this app uses this route; it is closed.", 403)
            return await closed(scope, receive, send_with_headers)
        if upload := UPLOAD.match(scope["path"]):
            return await self._take(scope, receive, send_with_headers, *upload.groups(""))
        return await self.app(scope, receive, send_with_headers)

    async def _take(self, scope: Scope, receive: Receive, send: Send, session: str, file: str) -> None:
        """Pass an upload on if it is allowed, and count it until its page reads it, or it ends without a file."""
        arrived = stalled = False

        async def receive_in_time() -> Message:
            nonlocal stalled
            try:
                return await asyncio.wait_for(receive(), STALLED)
            except TimeoutError:
                stalled = True
                return {"type": "http.disconnect"}

        async def send_and_see(message: Message) -> None:
            nonlocal arrived
            arrived |= message["type"] == "http.response.start" and message["status"] < 300
            await send(message)

        if refusal := self._refusal(scope, session, file):
            return await PlainTextResponse(refusal, 403)(scope, receive, send)
        try:
            await self.app(scope, receive_in_time, send_and_see)
        except ClientDisconnect:  # a tab was closed, or a file taken back
            if stalled:
                await PlainTextResponse("Nothing more of this file came; send it again.", 408)(scope, receive, send)
        finally:
            if arrived and scope["method"] != "DELETE":
                uploads().note_arrival(session, file)
            else:
                uploads().end(session, file)
            asyncio.get_running_loop().call_later(UNREAD + 1, uploads().tidy, self._frontend.delete_upload)

    def _refusal(self, scope: Scope, session: str, file: str) -> str:
        """The reason why an upload is refused, before a byte of it is read; "" if it is allowed, and then it is counted."""
        if scope["method"] != "PUT":
            return ""
        request = HTTPConnection(scope)
        if not self._frontend.comes_from_page(request.headers.get("x-xsrftoken"), request.cookies):
            return "This is no upload of a page of this server; reload the page."
        size = request.headers.get("content-length", "")
        if size.isdecimal() and int(size) > MOST_BYTES + WRAPPING:
            return f"A file has at most {MOST_BYTES >> 20} MB."
        return uploads().begin(session, file, *([int(size)] if size.isdecimal() else []))

    def _log(self, headers: Headers) -> None:
        """Log the first refused sockets, for who sets a proxy up."""
        if self._logged < LOGGED:
            self._logged += 1
            LOG.warning(
                "A socket to %.100r was refused to a page of %.100r. A proxy has to pass the Host on, or "
                "server.corsAllowedOrigins has to name the page's origin.",
                headers.get("host", ""),
                headers.get("origin", ""),
            )
