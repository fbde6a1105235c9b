"""What strangers write, in a real browser: no script of theirs runs, nothing leads or reaches elsewhere."""

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote, urlencode, urlsplit

from playwright.sync_api import Browser, Page, expect

from dml_viz.room.lesson_text import NAME, packed
from dml_viz.room.short_link import compress
from dml_viz.room.task import Task
from dml_viz.room.tray import KEY
from tests.browser.conftest import somebody
from tests.browser.gestures import still, travel
from tests.hostile import LINKS, TEX, WORDS
from tests.samples import THOROUGH
from tests.served import Server

ALL = re.sub(r"\s+", " ", " ".join((*WORDS, *TEX)))
PANEL = {"figure": "fastap-pipeline", "page": "fastap", "link": "fastap", "title": ALL}
# What of a page runs a script of the words, leads or reaches elsewhere, or gives a style.
FOUND = """() => {
  const elsewhere = (value) => {
    const url = URL.canParse(value, document.baseURI) ? new URL(value, document.baseURI) : null;
    return url && (/evil/.test(url.hostname) || /^(javascript|vbscript|data:text)/.test(url.href));
  };
  const said = ({ localName, textContent }, value) => localName === "a" &&
    decodeURI(value).replace(/^(http:\\/\\/|mailto:)/, "") === textContent; // a link that says where it leads
  const wrong = (node) => ({ name, value }) => /^on/.test(name) || (name === "style" && /evil/.test(value)) ||
    (/^(xlink:)?(href|src|action|formaction|data|poster)$/.test(name) && elsewhere(value) && !said(node, value));
  const found = [...document.querySelectorAll("*")].flatMap((node) => [...node.attributes].filter(wrong(node))
    .map(({ name, value }) => `${node.localName} ${name}=${value}`));
  const styles = [...document.querySelectorAll("style")].filter(({ textContent }) => /evil/.test(textContent));
  return [...found, ...styles.map(() => "a style"), ...(window.dmlOwned ? ["a script ran"] : [])];
}"""
INJECTED = """() => new Promise((done) => {
  const script = Object.assign(document.createElement("script"), { textContent: "window.dmlInline = 1" });
  const holder = document.createElement("div");
  holder.innerHTML = '<img src="missing" onerror="window.dmlInline = 2"><a href="javascript:window.dmlInline = 3">x</a>';
  let refused = 0;
  addEventListener("securitypolicyviolation", () => (refused += 1) === 3 && done(window.dmlInline ?? "none ran"));
  document.body.append(script, holder);
  holder.querySelector("a").click();
})"""


@contextmanager
def harmless(browser: Browser, server: Server) -> Iterator[Page]:
    """A tab of somebody; no request of it leads elsewhere."""
    asked: list[str] = []
    with somebody(browser, server) as page:
        page.on("request", lambda request: asked.append(urlsplit(request.url).hostname or ""))
        yield page
    assert set(asked) <= {"127.0.0.1", ""}


def shown(page: Page, text: str | re.Pattern[str]) -> None:
    """The page shows ``text`` to the letter, and does nothing of what is written in it."""
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    expect(page.locator("[data-stale=true]")).to_have_count(0)  # of the page before
    expect(page.get_by_text(text).first).to_be_attached()
    assert page.evaluate(FOUND) == []


def _tray(link: str) -> str:
    """The setting of a page whose tray has a panel with ``link``."""
    tray = {"panels": [{**PANEL, "link": link}], "columns": 1, "letters": "(a)", "options": None}
    return f"{KEY}={compress({KEY: json.dumps(tray)})}"


def of_classes(*names: str) -> bytes:
    """A CSV with four points of each class."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["label", "x", "y"])
    rows.writerows([name, k % 7 + 1, k % 5 - 2] for k, name in enumerate([*names] * 4))
    return text.getvalue().encode()


def test_hostile_links_trays_lessons_and_files_run_nothing_and_lead_nowhere(browser: Browser, server: Server) -> None:
    with harmless(browser, server) as page:
        own = f"# {ALL}\n{ALL}\n## {ALL}\nlink: /angular\n{ALL}\nask: {ALL}\n- a {ALL} *\n- b {ALL}\nanswer: {ALL}\n"
        page.goto(f"/lesson?{urlencode({NAME: packed(own)})}")
        shown(page, WORDS[0])
        travel(page, f"/angular?{urlencode({NAME: packed(own)})}")
        question = page.locator(".st-key-prediction")  # the page has choices of its own
        choices = question.get_by_test_id("stButtonGroup").get_by_role("radio")
        expect(choices).to_have_count(2)
        still(page)
        choices.first.click(position={"x": 5, "y": 5})
        for button in ("Lock", "Reveal"):
            question.get_by_role("button", name=button, exact=True).click()
        expect(question.locator(".st-key-prediction-verdict")).to_contain_text(WORDS[0])
        shown(page, WORDS[0])
        trays = [_tray(LINKS[0]), _tray("fastap")]
        travel(page, f"/compose?{trays[0]}")
        shown(page, "the recipe's link is")
        if THOROUGH:
            travel(page, f"/your_formula?loss.formula.text={quote(WORDS[0])}")
            shown(page, "has no meaning in a formula")
            travel(page, f"/angular?{urlencode(Task(ALL[:200], ALL[-300:]).write())}")
            shown(page, WORDS[0])
            travel(page, f"/fastap?{urlencode({'fastap.bins': WORDS[0], 'scene': WORDS[1], WORDS[2]: '1'})}")
            shown(page, WORDS[0])
            travel(page, f"/compose?{trays[1]}")
            shown(page, WORDS[0])
        travel(page, "/your_data")
        name, rows = f"{WORDS[1]}.csv".replace("/", " "), 4 * len((*WORDS, *TEX))
        content = of_classes(*WORDS, *TEX)
        page.locator("input[type=file]").first.set_input_files([{"name": name, "mimeType": "", "buffer": content}])
        shown(page, re.compile(f"of {rows} rows have a row"))
        still(page)
        page.get_by_test_id("stPageLink").filter(has_text="Pairs").click()
        shown(page, re.compile(f"The {rows} rows of .*dmlOwned"))
        assert page.evaluate(INJECTED) == "none ran", "not even a script that is in the page"
