"""A press: one Chrome, held by kaleido, that draws figures with the very scripts that draw them in a visitor's browser."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from dml_viz import to_javascript
from dml_viz.assets import LOSSES, browser_files

T = TypeVar("T")
OPENS_WITHIN, DRAWS_WITHIN, CLOSES_WITHIN = 40.0, 40.0, 10.0  # seconds
IDLE = 60.0  # seconds after which a Chrome that nobody asks is closed
MOST_WAITING = 64
TRIES = 2  # a Chrome may have died since it drew last
PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><base href="%s/"><script src="plotly.min.js"></script>
<script type="module" src="src/components/headless.js"></script></head><body></body></html>
"""


class PressError(RuntimeError):
    """A figure that could not be drawn; says why."""


class BusyError(PressError):
    """Too many wait already."""


def found() -> str | None:
    """The path of a Chrome that kaleido can drive; None where there is none."""
    if find_spec("kaleido") is None:
        return None
    from choreographer.browsers.chromium import Chromium

    return os.environ.get("BROWSER_PATH") or Chromium.find_browser(skip_local=False)


def how_to_get_one() -> str:
    """What to do where there is no Chrome."""
    if find_spec("kaleido") is None:
        return "The server cannot draw files itself: install kaleido there (pip install kaleido)."
    return (
        "The server has no Chrome to draw with: install one there (Debian: apt-get install chromium; elsewhere: "
        "kaleido_get_chrome). All that this browser makes is the same."
    )


class Press:
    """Draws what it is asked, one at a time, in the order of asking; each answer is that of its own question.

    Its Chrome is opened when it is first needed, and closed ``idle`` seconds after the last question. A Chrome that has died
    is replaced, and its question asked again once.
    """

    def __init__(self, *, idle: float = IDLE, draws_within: float = DRAWS_WITHIN, path: str | None = None) -> None:
        self._idle, self._draws_within, self._path = idle, draws_within, path
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._turn: asyncio.Lock | None = None
        self._chrome: Any = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._waiting = 0

    @property
    def pid(self) -> int | None:
        """The process id of its Chrome; None while it has none."""
        process = getattr(self._chrome, "subprocess", None)
        return process.pid if process and process.poll() is None else None

    def drawn(self, ask: Mapping[str, Any]) -> bytes:
        """The file that ``ask`` describes (components/headless.js); PressError, saying why, where it cannot be drawn."""
        return self._submit(self._answer(ask)).result()

    async def drawn_for(self, ask: Mapping[str, Any]) -> bytes:
        """As `drawn`, for whoever waits on another loop."""
        return await asyncio.wrap_future(self._submit(self._answer(ask)))

    def close(self) -> None:
        """Ends its Chrome and its loop; it may be used again."""
        with self._starting:
            loop, thread = self._loop, self._thread
            if loop is None or thread is None:
                return
            with suppress(Exception):
                asyncio.run_coroutine_threadsafe(self._rest(), loop).result(CLOSES_WITHIN)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(CLOSES_WITHIN)
            if not thread.is_alive():
                loop.close()
            self._loop = self._thread = self._turn = None
            if self._folder:
                self._folder.cleanup()
                self._folder = None

    def _submit(self, work: Coroutine[Any, Any, bytes]) -> Future[bytes]:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="press", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _answer(self, ask: Mapping[str, Any]) -> bytes:
        if self._waiting >= MOST_WAITING:
            raise BusyError(
                "The server draws for many visitors now; ask again in a minute, or let this browser make the file."
            )
        self._turn = self._turn or asyncio.Lock()
        self._waiting += 1
        try:
            async with self._turn:
                return await self._tried(ask)
        finally:
            self._waiting -= 1

    async def _tried(self, ask: Mapping[str, Any]) -> bytes:
        if self._closing:
            self._closing.cancel()
        try:
            for tried in range(TRIES):
                try:
                    return await self._once(ask)
                except PressError:
                    raise
                except Exception as error:
                    await self._end()
                    if tried + 1 == TRIES:
                        what = "did not answer in time" if isinstance(error, TimeoutError) else f"failed: {error}"
                        raise PressError(
                            f"The server's Chrome {what}; ask again, or let this browser make the file."
                        ) from error
            raise AssertionError("every try returns or raises")
        finally:
            loop = asyncio.get_running_loop()
            self._closing = loop.call_later(self._idle, lambda: loop.create_task(self._rest()))

    async def _once(self, ask: Mapping[str, Any]) -> bytes:
        from kaleido.errors import KaleidoError

        if self.pid is None:
            await self._end()
            await _within(OPENS_WITHIN, self._open())
        try:
            # Kaleido hands the whole of it to the page, which is ours.
            figure = {"data": [], "layout": {}, "ask": dict(ask)}
            return bytes(await _within(self._draws_within, self._chrome.calc_fig(figure, {"format": "json"})))
        except KaleidoError as error:
            raise PressError(f"The figure could not be drawn: {error}") from error

    async def _open(self) -> None:
        path = self._path or found()
        if path is None:
            raise PressError(how_to_get_one())
        from kaleido import Kaleido

        if self._folder is None:
            self._folder = await asyncio.get_running_loop().run_in_executor(None, laid_out)
        page = Path(self._folder.name) / "press.html"
        self._chrome = Kaleido(n=1, timeout=self._draws_within, page_generator=page, path=path)
        await self._chrome.open()

    async def _rest(self) -> None:
        """Ends the Chrome, after what is being drawn."""
        if self._turn is None:
            return
        async with self._turn:
            await self._end()

    async def _end(self) -> None:
        chrome, self._chrome = self._chrome, None
        if chrome is None:
            return
        with suppress(Exception):
            await _within(CLOSES_WITHIN, chrome.close())
        process = getattr(chrome, "subprocess", None)
        if process and process.poll() is None:
            process.kill()


async def _within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` of a Chrome gives; TimeoutError, or ConnectionError where the Chrome dies.

    It is a task of its own, since a Chrome that dies cancels the tasks that wait for it, and nobody has given those up.
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


def laid_out() -> tempfile.TemporaryDirectory[str]:
    """A folder with all that the press's page loads, so that it needs no server."""
    made = tempfile.TemporaryDirectory(prefix="dml-viz-press-")
    folder = Path(made.name)
    for name, path in browser_files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / name)
    (folder / LOSSES).write_text(to_javascript.module(), encoding="utf-8")
    (folder / "press.html").write_text(PAGE % folder.as_uri(), encoding="utf-8")
    return made
