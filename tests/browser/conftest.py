"""A real server and a real browser: one of each for all journeys, one context for each."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from tests import chromium
from tests.served import Server, serving, tail

RESULTS = Path(__file__).parents[2] / "test-results"
LOG = pytest.StashKey[Path]()
LONGEST_WAIT = 20_000  # ms


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app that runs for all journeys."""
    pytestconfig.stash[LOG] = tmp_path_factory.mktemp("server") / "log.txt"
    with serving(pytestconfig.stash[LOG]) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = chromium.launch(playwright, chromium.SHORT_VISITS)
        if opened is None:
            if os.environ.get("CI"):
                pytest.fail(chromium.HOW_TO_GET_ONE)
            pytest.skip(chromium.HOW_TO_GET_ONE)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """A fresh visitor's tab; whatever it complains about, and any request that leaves this machine, fails the test."""
    expect.set_options(timeout=LONGEST_WAIT)
    with browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 900}) as context:
        context.set_default_timeout(LONGEST_WAIT)
        tab = context.new_page()
        faults: list[str] = []
        tab.on("console", lambda said: faults.extend(_complaint(said)))
        tab.on("pageerror", lambda error: faults.append(f"uncaught: {error}"))
        tab.on("request", lambda request: faults.extend(_leaving(request)))
        yield tab
    assert not faults, "the browser complained:\n" + "\n".join(faults)


def _complaint(said: ConsoleMessage) -> list[str]:
    # A page below the root asks for Streamlit's own addresses beside itself first, then finds them at the root.
    looking = "/_stcore/" in said.location["url"] and "404" in said.text
    return [f"console: {said.text} {said.location['url']}"] if said.type == "error" and not looking else []


def _leaving(request: Request) -> list[str]:
    address = urlsplit(request.url)
    here = address.hostname in (None, "127.0.0.1")
    return [] if here else [f"request to another machine: {address.scheme}://{address.hostname}{address.path}"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        tab = getattr(item, "funcargs", {}).get("page")
        if isinstance(tab, Page) and not tab.is_closed():
            picture = RESULTS / f"{item.name}.png"
            tab.screenshot(path=picture)
            report.sections.append(("What the browser showed", str(picture)))
        if LOG in item.config.stash:
            report.sections.append(("What the server said", tail(item.config.stash[LOG])))
    return report
