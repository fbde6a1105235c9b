"""A headless Chrome, driven by kaleido, that draws figures with the scripts of a visitor's browser."""

import asyncio
import json
import logging
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from dml_viz import to_javascript
from dml_viz.assets import LOSSES, browser_files

T = TypeVar("T")
LOG = logging.getLogger(__name__)
OPENS_WITHIN, DRAWS_WITHIN, CLOSES_WITHIN = 120.0, 120.0, 10.0  # seconds
FILMS_WITHIN = 600.0
TRIES = 2  # because a Chrome may have died since its last figure
PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><base href="%s/"><script src="plotly.min.js"></script>
<script type="module" src="src/export/headless.js"></script></head><body></body></html>
"""


class ChromeError(RuntimeError):
    """A figure that could not be drawn; the message says why."""


def find_chrome() -> str | None:
    """The path of a Chrome that kaleido can drive; None without one."""
    if find_spec("kaleido") is None:
        return None
    from choreographer.browsers.chromium import Chromium

    return os.environ.get("BROWSER_PATH") or Chromium.find_browser(skip_local=False)


def how_to_get_chrome() -> str:
    """A sentence on how to install a Chrome."""
    if find_spec("kaleido") is None:
        return "There is nothing to drive a Chrome with: install kaleido (pip install kaleido)."
    return "There is no Chrome to draw with: install one (Debian: apt-get install chromium; elsewhere: kaleido_get_chrome)."


class HeadlessChrome:
    """Draws figures one at a time with a Chrome that is opened for the first of them.

    A Chrome that has died or does not answer is replaced, and its figure is drawn again once. The event loop runs on a thread of
    its own, so that callers may have a loop, too.
    """

    def __init__(self, *, draws_within: float = DRAWS_WITHIN) -> None:
        self._draws_within = draws_within
        self._thread = ThreadPoolExecutor(1, "headless-chrome")
        self._runner = asyncio.Runner()
        self._kaleido: Any = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the Chrome; None while none is open."""
        process = getattr(self._kaleido, "subprocess", None)
        return process.pid if process and process.poll() is None else None

    def draw(self, request: Mapping[str, Any]) -> tuple[bytes, list[str]]:
        """The file of ``request`` (assets/src/export/headless.js), and notes on it; ChromeError, which says why not."""
        answer = self._thread.submit(lambda: self._runner.run(self._draw(request))).result()
        notes, _, body = answer.partition(b"\n")
        return body, json.loads(notes)

    def close(self) -> None:
        """End the Chrome for good."""
        self._thread.submit(lambda: self._runner.run(self._end())).result()
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()
        if self._folder:
            self._folder.cleanup()

    async def _draw(self, request: Mapping[str, Any]) -> bytes:
        for attempt in range(TRIES):
            try:
                return await self._once(request)
            except ChromeError:
                raise
            except Exception as error:
                await self._end()
                if attempt + 1 == TRIES:
                    what = "did not answer in time" if isinstance(error, TimeoutError) else f"failed: {error}"
                    raise ChromeError(f"Chrome {what}") from error
        raise AssertionError("every attempt returns or raises")

    async def _once(self, request: Mapping[str, Any]) -> bytes:
        from kaleido.errors import KaleidoError

        if self.pid is None:
            await self._end()
            await _within(OPENS_WITHIN, self._open())
        try:
            # Kaleido passes this whole dict to the page, which is our own.
            figure = {"data": [], "layout": {}, "request": dict(request)}
            within = FILMS_WITHIN if request.get("format", {}).get("writer") == "movie" else self._draws_within
            return bytes(await _within(within, self._kaleido.calc_fig(figure, {"format": "json"})))
        except KaleidoError as error:
            reason = re.sub(r"^Error \d+: ", "", str(error))  # Kaleido's number
            raise ChromeError(f"The figure could not be drawn: {reason}") from error

    async def _open(self) -> None:
        path = find_chrome()
        if path is None:
            raise ChromeError(how_to_get_chrome())
        from choreographer.utils import TmpDirWarning
        from kaleido import Kaleido

        # What is left of a Chrome that died or ended slowly (a folder, an answer that nobody waits for) is no news to a reader.
        warnings.filterwarnings("ignore", category=TmpDirWarning)
        logging.getLogger("choreographer").setLevel(logging.ERROR)
        asyncio.get_running_loop().set_exception_handler(lambda _, left: LOG.debug("left of a Chrome: %s", left))
        self._folder = self._folder or page_folder()
        page = Path(self._folder.name) / "page.html"
        self._kaleido = Kaleido(n=1, timeout=max(self._draws_within, FILMS_WITHIN), page_generator=page, path=path)
        await self._kaleido.open()

    async def _end(self) -> None:
        kaleido, self._kaleido = self._kaleido, None
        if kaleido is None:
            return
        with suppress(Exception):
            await _within(CLOSES_WITHIN, kaleido.close())
        process = getattr(kaleido, "subprocess", None)
        if process and process.poll() is None:
            process.kill()


async def _within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work`` of a Chrome; TimeoutError, or ConnectionError if the Chrome dies.

    The work is a task of its own, because a Chrome that dies cancels the tasks that wait for it.
    """
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise TimeoutError
        if task.cancelled():
            raise ConnectionError("it ended while it drew")
        return task.result()
    finally:
        task.cancel()


def page_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder with all files of the Chrome's page, so that it needs no server."""
    made = tempfile.TemporaryDirectory(prefix="dml-viz-chrome-")
    folder = Path(made.name)
    for name, path in browser_files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / name)
    (folder / LOSSES).write_text(to_javascript.javascript_of_losses(), encoding="utf-8")
    (folder / "page.html").write_text(PAGE % folder.as_uri(), encoding="utf-8")
    return made
