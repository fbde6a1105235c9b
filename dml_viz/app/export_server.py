"""What the server adds to exports: files drawn by its own Chrome, and losses as PyTorch."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from functools import cache
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from dml_viz.engine.stream import same_origin
from dml_viz.figure_files.chrome import BusyError, Press, PressError, found, how_to_get_one
from dml_viz.figure_files.options import Wish
from dml_viz.losses import LOSSES
from dml_viz.params import params
from dml_viz.to_pytorch import snippet

LARGEST = 12_000_000  # bytes of a question
TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


@cache
def press() -> Press:
    """The one press of this server process."""
    return Press()


@cache
def _secret() -> bytes:
    return secrets.token_bytes(32)


def signature(figure: str) -> str:
    """The server's mark on a figure of its own: nothing else is drawn by its Chrome."""
    return hmac.new(_secret(), figure.encode(), hashlib.sha256).hexdigest()


def routes() -> list[BaseRoute]:
    """``/export/status``, ``/export/figure`` and ``/export/pytorch/{loss}``."""
    return [
        Route("/export/status", _status),
        Route("/export/figure", _figure, methods=["POST"]),
        Route("/export/pytorch/{loss}", _pytorch),
    ]


def close() -> None:
    """Ends the Chrome, if there is one."""
    if press.cache_info().currsize:
        press().close()
        press.cache_clear()


async def _status(_: Request) -> Response:
    there = await run_in_threadpool(found)
    return JSONResponse({"chrome": there is not None, "how": "" if there else how_to_get_one()})


async def _figure(request: Request) -> Response:
    if not same_origin(request.headers):
        return PlainTextResponse("This page is of another origin.", 403)
    if int(request.headers.get("content-length") or LARGEST + 1) > LARGEST:
        return PlainTextResponse(f"The figure is larger than {LARGEST // 1_000_000} MB.", 413)
    try:
        ask = _asked(json.loads(await request.body()), str(request.base_url))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return PlainTextResponse(f"The server did not understand what to draw: {str(error)[:200]}", 400)
    try:
        body = await press().drawn_for(ask)
    except BusyError as busy:
        return PlainTextResponse(str(busy), 503)
    except PressError as error:
        return PlainTextResponse(str(error), 502)
    return Response(body, media_type=TYPES[ask["format"]], headers={"Cache-Control": "no-store"})


def _asked(told: Any, base: str) -> dict[str, Any]:
    """What the press is asked for; ValueError or KeyError where it cannot be."""
    figure, recipe, words = told["figure"], told["recipe"], told["words"]
    if not (isinstance(figure, str) and hmac.compare_digest(str(told["signature"]), signature(figure))):
        raise ValueError("it is no figure of this server, or the server was restarted; reload the page")
    if told["format"] not in TYPES:
        raise ValueError(f"the format {told['format']!r} is not known; choose {', '.join(TYPES)}")
    if not (isinstance(recipe, dict) and isinstance(words, str) and isinstance(recipe.get("figure"), str)):
        raise ValueError("it has no recipe")
    size = {name: min(max(float(told[name]), 50.0), 4000.0) for name in ("width", "height")}
    theme = "dark" if recipe.get("theme") == "dark" else "light"
    data = {"figure": figure, "alt": words, "theme": theme, "recipe": recipe}
    return figure_ask(data, told["format"], Wish.of(told["wish"]), size, base=base)


def figure_ask(
    data: dict[str, Any], form: str, wish: Wish | None, size: dict[str, float], *, scale: int = 3, base: str = ""
) -> dict[str, Any]:
    """What to ask a press for a Plotly figure whose component has ``data``, in a frame of ``size`` (px)."""
    from dml_viz.plot.style import FAINT, INK, palette

    theme = data["theme"]
    whole = {**data, "height": size["height"], "ink": INK[theme], "faint": FAINT[theme], "palette": palette(), "link": None,
             "clickable": False}  # fmt: skip
    return {"module": "figure", "data": whole, "figure": data["recipe"]["figure"], "width": size["width"], "format": form,
            "wish": wish.write() if wish else None, "scale": scale, "base": base}  # fmt: skip


async def _pytorch(request: Request) -> Response:
    kind = LOSSES.get(request.path_params["loss"])
    if kind is None:
        return PlainTextResponse("There is no such loss.", 404)
    known = {knob.name: knob for knob in params(kind)}
    try:
        values = {name: _value(known[name], text) for name, text in request.query_params.items() if name in known}
        code = await run_in_threadpool(snippet, kind(**values))
    except ValueError as error:
        return PlainTextResponse(str(error)[:300], 400)
    return PlainTextResponse(code, headers={"X-Content-Type-Options": "nosniff"})


def _value(knob: Any, text: str) -> Any:
    """A knob's value, anywhere in its domain; ValueError where it is not."""
    if knob.kind is bool:
        return knob.read(text)
    try:
        value = knob.kind(float(text)) if knob.kind in (int, float) else text
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{knob.name} = {text[:30]!r} is no number") from error
    if wrong := knob.complaint(value):
        raise ValueError(wrong)
    return value
