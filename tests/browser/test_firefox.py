"""Pages of every kind, a drag and an export in Firefox."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from tests import firefox
from tests.browser import passing
from tests.browser.conftest import LONGEST_WAIT, VIEWPORT
from tests.browser.gestures import at_rest, comes_to, still, travel
from tests.browser.test_every_page import WITHOUT_WORDS
from tests.browser.test_export import menu_of
from tests.samples import sample
from tests.served import Server
from tests.waiting import ASKS

# Playwright gets no downloads from this Firefox, so the file is taken from the page; a download would take the keys from it.
CATCH = """() => {
  HTMLAnchorElement.prototype.click = () => {};
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    window.dmlSaved = blob.text();
    return make.call(URL, blob);
  };
}"""

# Each script of assets/src/components draws on one of these; Chromium opens all pages.
OF_EVERY_KIND = sample(("/", "/race", "/gradients", "/compose", "/proxies"), 3)
ENDED = "status=2152398850"  # NS_BINDING_ABORTED


@pytest.fixture(scope="module")
def browser(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = firefox.launch(playwright, tmp_path_factory.mktemp("firefox"))
    yield opened
    opened.close()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    tab = browser.new_page(base_url=server.url, viewport=VIEWPORT)
    tab.set_default_timeout(LONGEST_WAIT)
    tab.add_init_script(ASKS)
    faults: list[str] = []
    # Firefox reports the downloads that a change of page ends.
    tab.on("pageerror", lambda error: faults.extend([] if ENDED in str(error) else [str(error)]))
    yield tab
    tab.close()
    assert not faults, "the browser complained:\n" + "\n".join(faults)


def test_pages_of_every_kind_have_pictures_with_text_alternatives_a_point_is_dragged_and_a_figure_saved(page: Page) -> None:
    page.goto(OF_EVERY_KIND[0])
    for address in OF_EVERY_KIND:
        if address != OF_EVERY_KIND[0]:
            travel(page, address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        still(page)
        comes_to(page, WITHOUT_WORDS, [])
    expect(page.locator("body > [inert]")).to_have_count(0)  # nothing that the composed picture was drawn from
    a_point_is_dragged(page)
    page.evaluate(CATCH)
    passing.note(page, ".dml-export-status")
    for form, begins in (("svg", "<?xml"), ("pdf", "%PDF-1.")):
        menu_of(page, "proxies-table-nca").locator(f"[data-format={form}]").press("Enter")
        passing.has_shown(page, f"{form.upper()} saved")
        assert page.evaluate("() => window.dmlSaved").startswith(begins)


def a_point_is_dragged(page: Page) -> None:
    """The link follows."""
    editor = page.locator(".dml-scene[data-drawn]").first
    editor.wait_for()
    before = editor.get_attribute("data-scene")
    box = page.locator("[data-handle='0'] .dml-scene-shape").first.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 6):
        page.mouse.move(x + 8 * k, y + 12 * k)
    page.mouse.up()
    at_rest(page, "proxies.at")
    assert editor.get_attribute("data-scene") != before
