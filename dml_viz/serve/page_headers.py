"""Headers of pages: the content security policy, and the scripts that a page needs, so that a browser loads them early.

The policy says what a browser loads and runs for pages, and who may show them in a frame. The configured ``embedded_by``,
addresses separated by spaces, names the sites that may show a page in a frame: ``https://slides.example.org``. By default every
site may: the app has no accounts, and a frame is a visitor like any other.

No script in a page runs, no ``javascript:`` address and no ``onclick``, but the scripts of Streamlit's own document: they are
named by the hashes of those in the document that is installed.
"""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from types import MappingProxyType

from dml_viz.assets import PLOTLY, component_files
from dml_viz.serve.configuration import value_of
from dml_viz.serve.files import address

INLINE = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
# Streamlit writes styles into its document and loads components as blobs; Plotly and the exports make images, files and
# workers in it.
SOURCES = (
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "media-src 'self' data: blob:",
    "connect-src 'self' data: blob: ws: wss:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
)
# The components that a page certainly shows, by its address; those of all other pages are in OTHER.
LIVE, SCENE = ("", "train", "race", "papers"), ("pairs", "ranked_list", "angular", "proxies", "fastap", "gradients")
PARTS = MappingProxyType({**dict.fromkeys(LIVE, ("live",)), **dict.fromkeys(SCENE, ("figure", "scene_editor"))})
OTHER = ("figure",)
CHARTLESS = ("", "race")  # pages without a chart of Plotly's


def policy(document: str) -> str:
    """The value of the header for pages that are all ``document``."""
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in INLINE.findall(document))
    scripts = " ".join(("'self' 'wasm-unsafe-eval' blob:", *(f"'sha256-{each}'" for each in hashes)))
    frames = value_of("embedded_by").replace(";", " ").replace(",", " ")
    return "; ".join((*SOURCES, f"script-src {scripts}", f"frame-ancestors 'self' {frames}"))


def preload_links(path: str, base: str = "") -> str:
    """The Link header of the page at ``path`` below ``base``: modules of what it shows first, and Plotly if that has a chart."""
    page = path.removeprefix(f"/{base}").rstrip("/").rpartition("/")[2]
    return _links(PARTS.get(page, OTHER), page not in CHARTLESS)


@cache
def _links(parts: tuple[str, ...], charts: bool) -> str:
    # Relative to the page, as the loader's own: behind a proxy the app does not know its prefix.
    modules = dict.fromkeys(address(path) for name in parts for path in component_files(name))
    return ", ".join(
        [f"<{address(PLOTLY.name)}>; rel=preload; as=script"] * charts + [f"<{module}>; rel=modulepreload" for module in modules]
    )
