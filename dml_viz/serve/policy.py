"""The content security policy of pages: what a browser loads and runs for them, and who may show them in a frame.

The configured ``embedded_by``, addresses separated by spaces, names the sites that may show a page in a frame:
``https://slides.example.org``. By default every site may: the app has no accounts, and a frame is a visitor like any other.

No script in a page runs, no ``javascript:`` address and no ``onclick``, but the scripts of Streamlit's own document: they are
named by the hashes of those in the document that is installed.
"""

import re
from base64 import b64encode
from hashlib import sha256

from dml_viz.serve.configuration import value_of

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


def policy(document: str) -> str:
    """The value of the header for pages that are all ``document``."""
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in INLINE.findall(document))
    scripts = " ".join(("'self' 'wasm-unsafe-eval' blob:", *(f"'sha256-{each}'" for each in hashes)))
    frames = value_of("embedded_by").replace(";", " ").replace(",", " ")
    return "; ".join((*SOURCES, f"script-src {scripts}", f"frame-ancestors 'self' {frames}"))
