"""What a page will need, told to the browser with the page itself, so that it is there when the first component asks."""

from __future__ import annotations

from functools import cache

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dml_viz.app.component_loader import address
from dml_viz.assets import ASSETS


class Preload:
    """Adds to each HTML document a Link header that names the components' modules and Plotly, relative to the site's root."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Link"] = _links(scope.get("root_path", ""))
            await send(message)

        return await self.app(scope, receive, told)


@cache
def _links(root: str) -> str:
    modules = (
        address("live"),
        *(f"live-assets/{path.name}" for path in sorted(ASSETS.glob("*.js")) if path.stem != "live"),
    )
    return ", ".join(
        [f"<{root}/live-assets/plotly.min.js>; rel=preload; as=script"]
        + [f"<{root}/{module}>; rel=modulepreload" for module in modules]
    )
