"""A real server for all journeys, and a real browser for those of a worker, which share nothing but compiled scripts."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests import chromium
from tests.programs import FIREFOX
from tests.served import Server, shared, tail
from tests.space import LONGEST_WAIT
from tests.waiting import ASKS

RESULTS = Path(__file__).parents[2] / "test-results"
LOG = pytest.StashKey[Path]()
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def server(playwright: Playwright, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app that runs for all journeys of all workers, where a browser can visit it."""
    if FIREFOX.find() is None:
        chromium.needed(playwright)
    own = tmp_path_factory.getbasetemp()
    with shared(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) as (running, pytestconfig.stash[LOG]):
        yield running


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=LONGEST_WAIT)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def profile(playwright: Playwright, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """The browser profile of a returning visitor."""
    with visiting(playwright, server, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@contextmanager
def visiting(playwright: Playwright, server: Server, folder: Path) -> Iterator[BrowserContext]:
    """A browser that visits ``server``, with its profile in ``folder``; skips without a browser, or fails in CI."""
    opened = chromium.profile(playwright, folder, server.url, VIEWPORT)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def browser(profile: BrowserContext) -> Browser:
    """The browser, in which contexts of other visitors can be opened."""
    assert profile.browser
    return profile.browser


@contextmanager
def somebody(browser: Browser, server: Server, **options: Any) -> Iterator[Page]:
    """A tab of another visitor, whose browser has ``options``; without any, it remembers scripts alone, as that of `page`."""
    kept = None if options else next(iter(browser.contexts[1:]), None)  # the first is the profile of `page`
    if kept is None:
        kept = browser.new_context(base_url=server.url, **options)
        kept.add_init_script(ASKS)
        kept.set_default_timeout(LONGEST_WAIT)
        kept.new_page()
    try:
        yield kept.new_page()
    finally:
        if options:
            kept.close()
        else:
            forget(kept, server)


@pytest.fixture
def page(profile: BrowserContext, server: Server) -> Iterator[Page]:
    """A tab whose browser remembers nothing but scripts."""
    with minded(profile.new_page()) as tab:
        yield tab
    forget(profile, server)
    profile.clear_permissions()


def forget(context: BrowserContext, server: Server) -> None:
    """Close all tabs but the first, blank one, with which a browser would end, and clear what they kept."""
    for tab in context.pages[1:]:
        tab.close()
    keeper = context.new_cdp_session(context.pages[0])
    keeper.send("Storage.clearDataForOrigin", {"origin": server.url, "storageTypes": "cookies,local_storage,indexeddb"})
    keeper.detach()


@contextmanager
def minded(tab: Page) -> Iterator[Page]:
    """The ``tab``, in which errors of the browser and requests to other machines fail the test meanwhile."""
    tab.set_default_timeout(LONGEST_WAIT)
    faults: list[str] = []
    complains: dict[Any, Callable[[Any], None]] = {
        "console": lambda message: faults.extend(_complaint(message)),
        "pageerror": lambda error: faults.append(f"uncaught: {error}"),
        "request": lambda request: faults.extend(_leaving(request)),
    }
    for event, listener in complains.items():
        tab.on(event, listener)
    yield tab
    for event, listener in complains.items():
        tab.remove_listener(event, listener)
    assert not faults, "the browser complained:\n" + "\n".join(faults)


def _complaint(message: ConsoleMessage) -> list[str]:
    # A page below the root first requests Streamlit's own addresses relative to itself, then at the root.
    looking = "/_stcore/" in message.location["url"] and "404" in message.text
    return [f"console: {message.text} {message.location['url']}"] if message.type == "error" and not looking else []


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
            try:
                tab.screenshot(path=picture)
                report.sections.append(("What the browser showed", str(picture)))
            except Error as error:
                report.sections.append(("What the browser showed could not be had", str(error)))
        if LOG in item.config.stash:
            report.sections.append(("What the server said", tail(item.config.stash[LOG])))
    return report
