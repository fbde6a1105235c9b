"""Files for the browser: the components' scripts and styles, Plotly's own library, and recorded runs."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import plotly
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

ASSETS = Path(__file__).parents[2] / "assets"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
TYPES = {".js": "text/javascript", ".css": "text/css", ".bin": "application/octet-stream"}
YEAR = 31_536_000


def file_routes(assets: Path = ASSETS) -> list[Route]:
    """``/live-assets/{name}`` for scripts and styles of ``assets`` and plotly.min.js, ``/recorded/{name}`` for recorded runs."""
    scripts = partial(_listed, assets, (".js", ".css"), (PLOTLY,))
    recordings = partial(_listed, assets / "recorded", (".bin",), ())
    return [
        Route("/live-assets/{name}", partial(_serve, scripts)),
        Route("/recorded/{name}", partial(_serve, recordings)),
    ]


def _listed(folder: Path, suffixes: tuple[str, ...], others: tuple[Path, ...]) -> dict[str, Path]:
    """The files that may be served, by name; nothing else is looked for, so no name leads elsewhere."""
    files = folder.iterdir() if folder.is_dir() else ()
    return {path.name: path for path in (*others, *files) if path.suffix in suffixes}


def _serve(listed: Callable[[], dict[str, Path]], request: Request) -> Response:
    path = listed().get(request.path_params["name"])
    if path is None:
        return Response("There is no such file.", 404, media_type="text/plain")
    stamp = path.stat()
    body, squeezed, tag = _content(path, stamp.st_mtime_ns, stamp.st_size)
    # Under an address that names the version (?v=...) a file never changes; else the browser asks whether it has.
    kept = f"public, max-age={YEAR}, immutable" if "v" in request.query_params else "no-cache"
    headers = {"ETag": tag, "Cache-Control": kept, "Vary": "Accept-Encoding", "X-Content-Type-Options": "nosniff"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(squeezed, headers={**headers, "Content-Encoding": "gzip"}, media_type=TYPES[path.suffix])
    return Response(body, headers=headers, media_type=TYPES[path.suffix])


@lru_cache(maxsize=128)
def _content(path: Path, modified: int, size: int) -> tuple[bytes, bytes, str]:
    """The file's bytes, the same compressed, and its tag; read again once the file is another."""
    del modified, size
    body = path.read_bytes()
    return body, gzip.compress(body, 6), f'"{hashlib.sha256(body).hexdigest()[:20]}"'
