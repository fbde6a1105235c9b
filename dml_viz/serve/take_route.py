"""The route of the files that visitors take along: ``/take/{page}`` with the settings of the page's link."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dml_viz.engine import Job
from dml_viz.serve.answering import respond
from dml_viz.serve.server import engine

JOB, BASE = "take.job", "take.base"  # settings of the route besides those of the page
LONGEST_BASE = 200  # characters
NAMED = {"Content-Disposition": 'attachment; filename="lesson.html"'}

Make = Callable[[str, Job | None, str], bytes]


def route(make: Make) -> Route:
    """``/take/{page}``; the first page is ``start``. ``make`` gives the file of a link, with a visitor's run."""
    return Route("/take/{page}", partial(respond, make=partial(_answer, make)))


def _answer(make: Make, request: Request) -> Response:
    settings = dict(request.query_params)
    job, base = engine().get(settings.pop(JOB, "")), settings.pop(BASE, "")[:LONGEST_BASE]
    if not base.startswith(("http://", "https://")):
        base = ""
    try:
        # Not read as a path: a link names a page, and no file of this machine.
        body = make(f"/{request.path_params['page']}?{urlencode(settings)}", job, base)
    except (ValueError, LookupError) as error:
        return PlainTextResponse(str(error.args[0] if error.args else error)[:300], 400)
    # No page of this site: it would run with the site's rights.
    return Response(body, media_type="application/octet-stream", headers=NAMED)
