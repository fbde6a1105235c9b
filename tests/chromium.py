"""The browser that is on this machine."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Playwright, ViewportSize, sync_playwright

from tests.programs import CHROMIUM
from tests.served import served
from tests.waiting import ASKS

FLAGS = (
    "--no-sandbox",  # containers have no user namespaces, and only our own pages are opened
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Of many short visits to one site: a process for each tab, and for a GPU that is not there, takes a third of what opening a page
# costs. Scripts are compiled as for any visitor: without that, a neighbour map takes ten times as long.
# Garbage of a visit is collected at its end, with much room for what is new: a tenth less.
SHORT_VISITS = (
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--in-process-gpu",
    "--js-flags=--min-semi-space-size=64,--max-semi-space-size=64",
)


def executable(playwright: Playwright) -> str | None:
    """The path of a Chromium: one on PATH, else Playwright's own; None without both."""
    own = playwright.chromium.executable_path
    return CHROMIUM.find() or (own if Path(own).exists() else None)


def needed(playwright: Playwright) -> str:
    """The path of a Chromium; without one, the test is skipped, or fails in CI."""
    path = executable(playwright)
    if path is None:
        CHROMIUM.missing()
    return str(path)


def launch(playwright: Playwright) -> Browser | None:
    """A headless browser, or None if there is none."""
    path = executable(playwright)
    return playwright.chromium.launch(executable_path=path, args=FLAGS) if path else None


def profile(playwright: Playwright, folder: Path, url: str, viewport: ViewportSize) -> BrowserContext:
    """A browser for many short visits to ``url``; without one, the test is skipped, or fails in CI.

    It keeps compiled scripts in ``folder``, as a visitor's own browser does; that halves what opening a page costs.
    """
    path = needed(playwright)
    flags = [*FLAGS, *SHORT_VISITS]
    opened = playwright.chromium.launch_persistent_context(
        folder, executable_path=path, args=flags, base_url=url, viewport=viewport
    )
    opened.add_init_script(ASKS)
    return opened


@contextmanager
def beside_the_app() -> Iterator[tuple[Browser, str]]:
    """A headless browser and the address of an app that runs for it; SystemExit, saying how to get one, without a browser."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder) / "log.txt") as url, sync_playwright() as playwright:
        browser = launch(playwright)
        if browser is None:
            sys.exit(CHROMIUM.advice)
        yield browser, url
        browser.close()
