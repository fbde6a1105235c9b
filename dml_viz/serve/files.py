"""Files for the browser: the components' scripts and styles, Plotly's own library, the losses as a script, recorded runs."""

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dml_viz import to_javascript
from dml_viz.assets import LOSSES, browser_files
from dml_viz.threads import once

TYPES = {".js": "text/javascript", ".css": "text/css", ".bin": "application/octet-stream", ".map": "application/json"}
TYPES |= {".ttf": "font/ttf", ".woff2": "font/woff2", ".py": "text/x-python"}
YEAR = 31_536_000
Packed: TypeAlias = tuple[bytes, bytes, str]  # bytes, the same compressed, and a tag


@once
def version() -> str:
    """A digest of all files that a page may load, which changes with any of them."""
    digest = hashlib.sha256(to_javascript.javascript_of_losses().encode())
    for name, path in browser_files().items():
        digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def address(name: str) -> str:
    """The path below the site's root at which the file ``name`` of ``assets/`` is served; it contains the version."""
    return f"live-assets/{version()}/{name}"


def file_routes() -> list[Route]:
    """``/live-assets/{version}/{name}`` for scripts, styles, fonts, Plotly and recorded runs."""
    return [Route("/live-assets/{version}/{name:path}", _serve)]


def _serve(request: Request) -> Response:
    """One of the `browser_files` by name, or the losses; a name is only looked up, so it cannot lead to other files."""
    name = request.path_params["name"]
    if name == LOSSES:
        body, squeezed, tag = _packed_text(to_javascript.javascript_of_losses())
    elif (path := browser_files().get(name)) and path.is_file():  # a folder under work may lose one
        stamp = path.stat()
        body, squeezed, tag = _content(path, stamp.st_mtime_ns, stamp.st_size)
    else:
        return Response("There is no such file.", 404, media_type="text/plain")
    media_type = TYPES[Path(name).suffix]
    # Under this version's address a file never changes; a page of another version must ask again.
    lasting = request.path_params["version"] == version()
    caching = f"public, max-age={YEAR}, immutable" if lasting else "no-cache"
    headers = {"ETag": tag, "Cache-Control": caching, "Vary": "Accept-Encoding", "X-Content-Type-Options": "nosniff"}
    # A browser asks for the map of a script once its developer tools are open.
    if f"{name}.map" in browser_files():
        headers["SourceMap"] = f"{Path(name).name}.map"
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(squeezed, headers={**headers, "Content-Encoding": "gzip"}, media_type=media_type)
    return Response(body, headers=headers, media_type=media_type)


@lru_cache(maxsize=256)
def _content(path: Path, modified: int, size: int) -> Packed:
    """The file's bytes; a changed file has another key, and is read again."""
    del modified, size
    return _packed(path.read_bytes())


@lru_cache
def _packed_text(text: str) -> Packed:
    return _packed(text.encode())


def _packed(body: bytes) -> Packed:
    return body, gzip.compress(body, 9), f'"{hashlib.sha256(body).hexdigest()[:20]}"'
