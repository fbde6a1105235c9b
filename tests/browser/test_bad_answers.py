"""Every request of every component, answered badly: each says so in a sentence, and recovers when the server does."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import somebody
from tests.served import Server

GOES_ON = re.compile("The page goes on trying|is still being loaded")


def cut(route: Route) -> None:
    answer = route.fetch()
    body = answer.body()
    route.fulfill(response=answer, body=body[: len(body) // 2], headers={**answer.headers, "cache-control": "no-store"})


def failing(route: Route) -> None:
    route.fulfill(status=502, body="Bad Gateway", headers={"cache-control": "no-store"})


def page_instead(route: Route) -> None:
    route.fulfill(status=200, body="<!doctype html><title>Sign in</title>", content_type="text/html")


def undecodable(route: Route) -> None:
    route.fulfill(status=200, body=b"\xff\xfe\x00\x01" * 64, headers={"cache-control": "no-store"})


FORMS = (cut, failing, page_instead, undecodable)


@dataclass(frozen=True)
class Asked:
    """A request that a component makes on a page: its address, and what the page shows once it is answered well."""

    page: str
    address: str
    shown: str


ASKED = {
    "a component's script": Asked("/fastap", "**/figure.js*", ".dml-figure .main-svg"),
    "Plotly": Asked("/fastap", "**/plotly.min.js*", ".dml-figure .main-svg"),
    "a figure": Asked("/fastap", "**/figures/**", ".dml-figure .main-svg"),
    "a recorded run": Asked("/", "**/recorded/*.bin*", ".dml-live[data-drawn]"),
    "the losses": Asked("/angular", "**/losses.js*", ".dml-scene[data-drawn] .dml-scene-overlay path"),
}


@pytest.mark.parametrize("what", ASKED)
def test_a_bad_answer_is_said_in_a_sentence_and_asked_for_again(what: str, browser: Browser, server: Server) -> None:
    asked = ASKED[what]
    for form in FORMS:
        with somebody(browser, server) as page:
            page.route(asked.address, form)
            page.goto(asked.page)
            expect(page.get_by_text(GOES_ON).filter(visible=True).first).to_be_visible()
            page.unroute_all(behavior="ignoreErrors")
            expect(page.locator(asked.shown).first).to_be_visible()
            expect(page.get_by_text(GOES_ON).filter(visible=True)).to_have_count(0)
