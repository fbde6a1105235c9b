"""The documents of a classroom: the student's page and the teacher's console. Both are static, and the same for every code."""

from functools import cache

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from dml_viz.assets import component_file
from dml_viz.figure_files.declared import html_json
from dml_viz.plot.style import palette
from dml_viz.serve.files import address

TITLES = {"student": "Classroom", "console": "Console of a classroom"}
STYLES = ("scene", "classroom")  # of css/
DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>{title} · dml-viz</title>
<link rel="icon" href="data:,">
{styles}
<script type="application/json" id="dml-palette">{palette}</script>
<script type="module" src="{root}{script}"></script>
</head>
<body class="dml-class dml-{name}"><noscript>This page needs JavaScript.</noscript></body>
</html>
"""


def routes() -> list[BaseRoute]:
    """``/classroom`` and ``/classroom/{code}`` for students, ``/classroom/{code}/console`` for teachers."""
    pages = {"/classroom": student, "/classroom/{code}": student, "/classroom/{code}/console": console}
    return [Route(path, page) for path, page in pages.items()]


def student(request: Request) -> Response:
    """The student's page."""
    return _document(request, "student")


def console(request: Request) -> Response:
    """The HTML page of the teacher's console; the socket, not this page, asks for the token."""
    return _document(request, "console")


def _document(request: Request, name: str) -> Response:
    # Relative to the page's own address, so that it also works behind a base path or a proxy's prefix.
    root = "../" * request.url.path.partition("/classroom")[2].count("/")
    script = address(component_file(f"classroom_{name}"))
    preload = f"<{root}{script}>; rel=modulepreload"
    return HTMLResponse(_text(name, root, script), headers={"Cache-Control": "no-cache", "Link": preload})


@cache
def _text(name: str, root: str, script: str) -> str:
    styles = "\n".join(f'<link rel="stylesheet" href="{root}{address(f"css/{each}.css")}">' for each in STYLES)
    return DOCUMENT.format(title=TITLES[name], name=name, root=root, script=script, styles=styles, palette=html_json(palette()))
