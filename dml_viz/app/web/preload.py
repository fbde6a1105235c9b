"""What a page will need, named to the browser with the page itself, so that it is there when the first component asks."""

from functools import cache
from types import MappingProxyType

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dml_viz.assets import PLOTLY, component_file
from dml_viz.engine.files import address

# The components that a page is sure to show, by its address; those of the other pages are in OTHER.
PARTS = MappingProxyType({"": ("live",), "train": ("live",), "race": ("live",)})
OTHER = ("figure", "scene_editor")


class Preload:
    """Adds to each HTML document a Link header that names Plotly and the modules that its page shows first."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def send_with_links(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    page = scope["path"].rstrip("/").rpartition("/")[2]
                    headers["Link"] = _links(scope.get("root_path", ""), PARTS.get(page, OTHER))
            await send(message)

        return await self.app(scope, receive, send_with_links)


@cache
def _links(root: str, parts: tuple[str, ...]) -> str:
    modules = (address(component_file(name)) for name in parts)
    return ", ".join(
        [f"<{root}/{address(PLOTLY.name)}>; rel=preload; as=script"]
        + [f"<{root}/{module}>; rel=modulepreload" for module in modules]
    )
