"""Documents for a frame that shows one figure: nothing of the page is seen before the figure is there."""

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ONLY = "only"  # the setting that names the figure
# The page's own styles come with its elements, and so too late; they are there when the presenter's script has begun
# (assets/src/components/presenter.js). A page that fails says so.
STYLE = b"""<style>
html:not([data-dml-presents]):not(:has([data-testid="stException"], [data-testid="stAlert"], [role="dialog"])) #root {
  visibility: hidden; }
</style>"""
END = b"</head>"


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
