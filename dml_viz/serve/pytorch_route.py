"""The route that serves a loss as PyTorch code."""

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dml_viz.losses import KNOWN
from dml_viz.losses.formula import Formula
from dml_viz.params import params
from dml_viz.serve.answering import respond
from dml_viz.to_pytorch import snippet


def route() -> Route:
    """``/export/pytorch/{loss}``, its knobs as the query."""
    return Route("/export/pytorch/{loss}", partial(respond, make=_pytorch))


def _pytorch(request: Request) -> Response:
    kind = KNOWN.get(request.path_params["loss"])
    if kind is None:
        return PlainTextResponse("There is no such loss.", 404)
    if kind is Formula:
        return PlainTextResponse("A formula of your own has no code in PyTorch: it is computed as it is written.", 404)
    known = {knob.name: knob for knob in params(kind)}
    try:
        values = {name: _value(known[name], text) for name, text in request.query_params.items() if name in known}
        code = snippet(kind(**values))
    except ValueError as error:
        return PlainTextResponse(str(error)[:300], 400)
    return PlainTextResponse(code, headers={"X-Content-Type-Options": "nosniff"})


def _value(knob: Any, text: str) -> Any:
    """A knob's value, anywhere in its domain; ValueError for other texts."""
    if knob.kind is bool:
        return knob.read(text)
    try:
        value = knob.kind(float(text)) if knob.kind in (int, float) else text
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{knob.name} = {text[:30]!r} is no number") from error
    if wrong := knob.complaint(value):
        raise ValueError(wrong)
    return value
