"""The browser's scripts, run for tests: under node where there is one, else in a browser."""

from __future__ import annotations

import json
import mimetypes
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, sync_playwright

from dml_viz import to_javascript
from tests import chromium

ASSETS = Path(__file__).parents[1] / "assets"
ORIGIN = "http://assets.test/"
SECONDS = 60
Evaluate = Callable[..., Any]


@contextmanager
def evaluating(folder: Path, written: Mapping[str, str] | None = None) -> Iterator[Evaluate]:
    """Runs the body of an async function of ``asset`` (imports a script by name) and ``given``; its result as JSON values.

    There are the scripts of ``assets/src/``, that of the losses, and those ``written`` by name, all laid into ``folder``.
    """
    shutil.copytree(ASSETS / "src", folder, dirs_exist_ok=True)
    for name, text in {"losses/losses.js": to_javascript.module(), **(written or {})}.items():
        (folder / name).write_text(text)
    if node := shutil.which("node"):
        yield _under_node(node, folder)
        return
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        if browser is None:
            pytest.skip(f"neither node nor a browser: {chromium.HOW_TO_GET_ONE}")
        page = browser.new_page()
        page.route(f"{ORIGIN}**", lambda route: _serve(folder, route))
        page.goto(ORIGIN)
        asset = f"const asset = (name) => import('{ORIGIN}' + name);"

        def in_browser(body: str, given: Any = None) -> Any:
            program = f"async (given) => {{ {asset} return JSON.stringify(await (async () => {{ {body} }})()); }}"
            return json.loads(page.evaluate(program, given))

        yield in_browser
        browser.close()


def _under_node(node: str, folder: Path) -> Evaluate:
    (folder / "package.json").write_text('{"type": "module"}')

    def evaluate(body: str, given: Any = None) -> Any:
        program = folder / "program.js"
        program.write_text(
            "const asset = (name) => import(`./${name}`);\n"
            f"const run = async (given) => {{ {body} }};\n"
            f"process.stdout.write(JSON.stringify(await run({json.dumps(given)})));"
        )
        done = subprocess.run([node, str(program)], capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return evaluate


def _serve(folder: Path, route: Route) -> None:
    path = folder / route.request.url.removeprefix(ORIGIN)
    if path.is_file():
        route.fulfill(body=path.read_bytes(), content_type=mimetypes.guess_type(path)[0])
    else:
        route.fulfill(body="<!doctype html>", content_type="text/html")
