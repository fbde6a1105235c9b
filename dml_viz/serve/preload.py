"""The scripts that a page will need, in a header of the page itself, so that the browser loads them early."""

from functools import cache
from types import MappingProxyType

from starlette.types import Scope

from dml_viz.assets import PLOTLY, component_files
from dml_viz.serve.files import address

# The components that a page certainly shows, by its address; those of all other pages are in OTHER.
LIVE, SCENE = ("", "train", "race", "papers"), ("pairs", "ranked_list", "angular", "proxies", "fastap", "gradients")
PARTS = MappingProxyType({**dict.fromkeys(LIVE, ("live",)), **dict.fromkeys(SCENE, ("figure", "scene_editor"))})
OTHER = ("figure",)
CHARTLESS = ("race",)  # pages without a chart of Plotly's


def links(scope: Scope) -> str:
    """The Link header of an HTML document: the modules of what its page shows first, and Plotly unless that draws no chart."""
    page = scope["path"].rstrip("/").rpartition("/")[2]
    return _links(scope.get("root_path", ""), PARTS.get(page, OTHER), page not in CHARTLESS)


@cache
def _links(root: str, parts: tuple[str, ...], charts: bool) -> str:
    modules = dict.fromkeys(address(path) for name in parts for path in component_files(name))
    return ", ".join(
        [f"<{root}/{address(PLOTLY.name)}>; rel=preload; as=script"] * charts
        + [f"<{root}/{module}>; rel=modulepreload" for module in modules]
    )
