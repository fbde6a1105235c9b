"""Every request of every component, answered badly or late: each says so in a sentence, and recovers when the server does."""

import re
from collections.abc import Callable, Sequence
from itertools import cycle

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser import passing
from tests.browser.conftest import somebody
from tests.browser.gestures import still, until
from tests.browser.test_export import menu_of
from tests.samples import sample, thorough
from tests.served import Server

LATE = re.compile("still being loaded|figures again…")
SENTENCES = {"**/losses.js*": "The losses could not be loaded", "**/recorded/*.bin*": "The recorded run could not be read"}
GOES_ON = re.compile("The page goes on trying")
UNCACHED = {"cache-control": "no-store"}


def cut(route: Route) -> None:
    answer = route.fetch()
    body = answer.body()
    route.fulfill(response=answer, body=body[: len(body) // 2], headers={**answer.headers, **UNCACHED})


def failing(route: Route) -> None:
    route.fulfill(status=502, body="Bad Gateway", headers=UNCACHED)


def page_instead(route: Route) -> None:
    route.fulfill(status=200, body="<!doctype html><title>Sign in</title>", content_type="text/html")


def undecodable(route: Route) -> None:
    route.fulfill(status=200, body=b"\xff\xfe\x00\x01" * 64, headers=UNCACHED)


Forms = Sequence[Callable[[Route], None]]
FORMS: Forms = (cut, failing, page_instead, undecodable)


class Trouble:
    """A server in trouble at one address: the first answer is held back, then each is bad in another of ``forms`` until `end`."""

    def __init__(self, page: Page, address: str | re.Pattern[str], *, late: bool = False, forms: Forms = FORMS) -> None:
        self.page, self.address, self.forms, self.answered = page, address, forms, 0
        self.late, self.held = late, list[Route]()
        page.route(address, self._answer)

    def _answer(self, route: Route) -> None:
        if self.late:
            self.late = False
            self.held.append(route)
            return
        self.forms[self.answered % len(self.forms)](route)
        self.answered += 1

    def said(self) -> None:
        """The page says that the answer is late, and after every form of a bad one that it goes on trying."""
        if self.late or self.held:
            until(self.page, lambda: self.held)
            expect(self.page.get_by_text(LATE).filter(visible=True).first).to_be_visible()
            self._answer(self.held.pop())
        until(self.page, lambda: self.answered >= len(self.forms))
        sentence = SENTENCES.get(str(self.address), GOES_ON)
        expect(self.page.get_by_text(sentence).filter(visible=True).first).to_be_visible()
        expect(self.page.get_by_text(GOES_ON).filter(visible=True).first).to_be_visible()

    def end(self) -> None:
        """Answer well from now on."""
        self.page.unroute(self.address)


# The requests of a page in the order in which they are made, those of one row at a time, and what it shows in the end.
ASKED = {
    "/angular": (
        ("**/figure.js*", "**/losses.js*"),
        ("**/plotly.min.js*",),
        ("**/figures/**",),
        (".dml-figure .main-svg", ".dml-scene[data-drawn] .dml-scene-overlay path"),
    ),
    "/": ((re.compile(r"/(chunk-\w+|words)\.js"),), ("**/recorded/*.bin*",), (".dml-live[data-drawn]",)),
    "/compose": (("**/figure.js*",), (".dml-tray img",)),
}


@pytest.mark.parametrize("address", sample(reversed(ASKED), 1))
def test_bad_and_late_answers_are_said_in_a_sentence_and_asked_for_again(address: str, browser: Browser, server: Server) -> None:
    *rows, shown = ASKED[address]
    with somebody(browser, server) as page:
        # Two forms of a bad answer to each request, the other two to the next; a page asks less and less often.
        halves = cycle((FORMS[:2], FORMS[2:]))
        troubles = [[Trouble(page, request, late=k == 0, forms=next(halves)) for k, request in enumerate(row)] for row in rows]
        page.goto(address)
        for row in troubles:
            for trouble in row:
                trouble.said()
            for trouble in row:
                trouble.end()
        for each in shown:
            expect(page.locator(each).first).to_be_visible()
        expect(page.get_by_text(GOES_ON).filter(visible=True)).to_have_count(0)
        expect(page.get_by_text(LATE).filter(visible=True)).to_have_count(0)


@thorough
def test_after_bad_answers_figures_follow_a_slider_and_are_saved(browser: Browser, server: Server) -> None:
    with somebody(browser, server) as page:
        page.goto("/fastap")
        expect(page.get_by_role("figure", name="FastAP of one query in 10 bins")).to_be_visible()
        still(page)
        moved = re.compile(r"/figures/[^?]*\?slider=")
        Trouble(page, moved)
        slider = page.get_by_test_id("stSlider").get_by_role("slider", name="bins")
        slider.focus()
        for _ in FORMS:
            with page.expect_request(moved):
                slider.press("ArrowRight")
        page.unroute(moved)
        expect(page.get_by_role("figure", name="FastAP of one query in 14 bins")).to_be_visible()
        still(page)
        with page.expect_response(moved) as answered:
            slider.press("ArrowRight")
        assert answered.value.ok
        expect(page.get_by_role("figure", name="FastAP of one query in 15 bins")).to_be_visible()
        library = Trouble(page, "**/pdf_library.js*")
        root = menu_of(page, "fastap-batch")
        passing.note(page, ".dml-export-status")
        root.locator("[data-format=pdf]").press("Enter")
        passing.has_shown(page, "The PDF could not be made")
        library.end()
        menu_of(page, "fastap-batch").locator("[data-format=pdf]").press("Enter")
        passing.has_shown(page, "PDF saved")
