"""What a page will need, named to the browser with the page itself, so that it is there when the first component asks."""

from functools import cache
from types import MappingProxyType

from starlette.types import Scope

from dml_viz.assets import PLOTLY, component_file
from dml_viz.engine.files import address

# The components that a page is sure to show, by its address; those of the other pages are in OTHER.
PARTS = MappingProxyType({"": ("live",), "train": ("live",), "race": ("live",)})
OTHER = ("figure", "scene_editor")


def links(scope: Scope) -> str:
    """The Link header of an HTML document, which names Plotly and the modules that its page shows first."""
    page = scope["path"].rstrip("/").rpartition("/")[2]
    return _links(scope.get("root_path", ""), PARTS.get(page, OTHER))


@cache
def _links(root: str, parts: tuple[str, ...]) -> str:
    modules = (address(component_file(name)) for name in parts)
    return ", ".join(
        [f"<{root}/{address(PLOTLY.name)}>; rel=preload; as=script"]
        + [f"<{root}/{module}>; rel=modulepreload" for module in modules]
    )
