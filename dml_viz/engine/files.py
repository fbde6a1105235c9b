"""Files for the browser: the components' scripts and styles, Plotly's own library, scripts written here, recorded runs."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dml_viz.assets import ASSETS, PLOTLY

TYPES = {".js": "text/javascript", ".css": "text/css", ".bin": "application/octet-stream", ".ttf": "font/ttf"}
YEAR = 31_536_000
Written: TypeAlias = Mapping[str, Callable[[], str]]
Packed: TypeAlias = tuple[bytes, bytes, str]  # bytes, the same compressed, and a tag
NOTHING: Written = MappingProxyType({})


def file_routes(assets: Path = ASSETS, written: Written = NOTHING) -> list[Route]:
    """``/live-assets/{name}`` for scripts and styles, ``/live-assets/fonts/{name}``, ``/recorded/{name}`` for recorded runs.

    Scripts are those of ``assets``, plotly.min.js, and by name what ``written`` gives when it is first asked for.
    """
    scripts = partial(_listed, assets, (".js", ".css"), (PLOTLY,))
    fonts = partial(_listed, assets / "fonts", (".ttf",), ())
    recordings = partial(_listed, assets / "recorded", (".bin",), ())
    return [
        Route("/live-assets/{name}", partial(_serve, scripts, written)),
        Route("/live-assets/fonts/{name}", partial(_serve, fonts, NOTHING)),
        Route("/recorded/{name}", partial(_serve, recordings, NOTHING)),
    ]


def _listed(folder: Path, suffixes: tuple[str, ...], others: tuple[Path, ...]) -> dict[str, Path]:
    """The files that may be served, by name; nothing else is looked for, so no name leads elsewhere."""
    files = folder.iterdir() if folder.is_dir() else ()
    return {path.name: path for path in (*others, *files) if path.suffix in suffixes}


def _serve(listed: Callable[[], dict[str, Path]], written: Written, request: Request) -> Response:
    name = request.path_params["name"]
    if name in written:
        body, squeezed, tag = _packed_text(written[name]())
    elif path := listed().get(name):
        stamp = path.stat()
        body, squeezed, tag = _content(path, stamp.st_mtime_ns, stamp.st_size)
    else:
        return Response("There is no such file.", 404, media_type="text/plain")
    media_type = TYPES[Path(name).suffix]
    # Under an address that names the version (?v=...) a file never changes; else the browser asks whether it has.
    kept = f"public, max-age={YEAR}, immutable" if "v" in request.query_params else "no-cache"
    headers = {"ETag": tag, "Cache-Control": kept, "Vary": "Accept-Encoding", "X-Content-Type-Options": "nosniff"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(squeezed, headers={**headers, "Content-Encoding": "gzip"}, media_type=media_type)
    return Response(body, headers=headers, media_type=media_type)


@lru_cache(maxsize=128)
def _content(path: Path, modified: int, size: int) -> Packed:
    """The file's bytes; read again once the file is another."""
    del modified, size
    return _packed(path.read_bytes())


@lru_cache
def _packed_text(text: str) -> Packed:
    return _packed(text.encode())


def _packed(body: bytes) -> Packed:
    return body, gzip.compress(body, 6), f'"{hashlib.sha256(body).hexdigest()[:20]}"'
