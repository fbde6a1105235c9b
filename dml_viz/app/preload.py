"""What a page will need, named to the browser with the page itself, so that it is there when the first component asks."""

from __future__ import annotations

from functools import cache

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dml_viz.assets import PLOTLY, component_file
from dml_viz.engine.files import address


class Preload:
    """Adds to each HTML document a Link header that names Plotly and the largest components' modules."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def send_with_links(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Link"] = _links(scope.get("root_path", ""))
            await send(message)

        return await self.app(scope, receive, send_with_links)


@cache
def _links(root: str) -> str:
    modules = (address(component_file(name)) for name in ("live", "figure", "scene_editor"))
    return ", ".join(
        [f"<{root}/{address(PLOTLY.name)}>; rel=preload; as=script"]
        + [f"<{root}/{module}>; rel=modulepreload" for module in modules]
    )
