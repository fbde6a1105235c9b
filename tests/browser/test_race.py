"""A race and a fork, as visitors start, scrub, share and break them."""

import os
import re
import signal
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.gestures import still
from tests.browser.test_export import saved
from tests.browser.test_journeys import number, picture, until_done
from tests.samples import THOROUGH, thorough
from tests.served import Server
from tests.tables import rows

LINK = "/race?data=digits&net=mlp&run.dim=3&racers=fastap~triplet.margin:0.5&race.seeds=2&run.steps=100"


def start(page: Page, link: str = LINK) -> None:
    page.goto(link)
    picture(page)


def until_finished(page: Page, steps: int = 100) -> None:
    expect(page.locator(".dml-race-headline")).to_have_attribute("data-status", "done")
    expect(picture(page)).to_have_attribute("data-step", str(steps))


def table(page: Page, step: int) -> Locator:
    """The rows of the table, once they are of ``step``; they are drawn last where the table is out of sight."""
    panel = page.locator(".dml-race-table")
    expect(panel.locator(".dml-title")).to_have_text(f"The race in numbers at step {step}")
    return panel.locator("tbody")


def test_a_race_is_run_exported_scrubbed_shared_and_run_again_from_its_link(page: Page, server: Server, tmp_path: Path) -> None:
    start(page)
    expect(page.locator(".dml-cell")).to_have_count(2)
    if THOROUGH:
        (worker, *_) = server.workers()
        os.kill(worker, signal.SIGKILL)
    until_finished(page)
    expect(page.locator(".dml-race-table")).to_contain_text("mean ± standard deviation over 2 seeds")
    expect(page.locator(".dml-caution").filter(has_text="ranks")).to_contain_text(
        re.compile(r"ranks no losses: ([AB] leads [AB] by \d\.\d\d|[AB] and [AB] are level at \d\.\d\d) mAP")
    )
    expect(page.locator(".dml-race-map .dml-picture")).to_have_attribute("aria-label", re.compile("At step 100: A FastAP"))
    for figure in ("race-race-map", "race-race-r1"):
        words = ElementTree.fromstring(saved(page, figure, "svg", tmp_path).read_text()).itertext()
        assert {"A FastAP", "B Triplet, margin 0.5", "band: lowest to highest"} <= set(words)
    columns, *rows_of_racers = rows(saved(page, "race-race-table", "csv", tmp_path).read_text())
    assert [row[:2] for row in rows_of_racers] == [["A", "FastAP"], ["B", "Triplet, margin 0.5"]]
    assert "mAP standard deviation" in columns
    assert page.evaluate("() => window.Plotly === undefined && !document.querySelector('script[src*=plotly]')")
    slider = page.get_by_label("step shown")
    slider.focus()
    for _ in range(2):
        slider.press("ArrowLeft")
    expect(picture(page)).to_have_attribute("data-step", "55")
    expect(page).to_have_url(re.compile(r"race\.step=55\b"))
    before, link = table(page, 55).inner_text().split("\n"), page.url
    page.goto("about:blank")
    page.goto(link)
    expect(picture(page)).to_have_attribute("data-step", "55")
    again = table(page, 55).inner_text().split("\n")
    assert [scores(line) for line in again] == [scores(line) for line in before]
    page.get_by_role("radio", name="8", exact=True).click()
    expect(page).to_have_url(re.compile(r"run\.dim=8\b"))
    still(page)
    page.go_back()
    expect(picture(page)).to_have_attribute("data-step", "55")
    expect(table(page, 55)).to_have_text("".join(again).replace("\t", ""))  # the same race, by its seconds


def scores(line: str) -> list[str]:
    """The scores of a row, which a killed worker and another run leave as they were; its seconds do not count."""
    return re.findall(r"\d\.\d\d ± \d\.\d\d", line)


@thorough
def test_a_run_is_forked_and_both_branches_are_drawn(page: Page) -> None:
    page.goto("/train?data=digits&net=mlp&run.dim=3&run.steps=100")
    until_done(page, 100)
    page.get_by_role("button", name="Fork from here").click()
    expect(page.get_by_text("No step is left after 100")).to_be_visible()
    slider = page.get_by_label("step shown")
    slider.focus()
    for _ in range(2):
        slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"\bstep=55\b"))
    page.get_by_role("button", name="Fork from here").click()
    for _ in range(2):
        expect(page.get_by_text("Both are the same so far")).to_be_visible()
        expect(page).to_have_url(re.compile(r"fork\.step=55\b"))
        expect(page.get_by_role("button", name="Train both")).to_be_visible()
        page.reload()
    page.get_by_role("button", name="Train both").click()
    until_finished(page)
    expect(page.locator(".dml-racer-name")).to_have_text(["FastAP", "FastAP, from A at step 55"])
    same = table(page, 100).locator("tr")
    expect(page.locator(".dml-caution:visible")).to_contain_text("A and B are level at")
    assert scores_of_one(same.nth(0)) == scores_of_one(same.nth(1))
    page.get_by_role("button", name="Change B").click()
    still(page)  # a list that opens while the page runs is closed again
    page.locator(".st-key-fork-open-loss").get_by_role("combobox").click()  # the run's own is at the side
    page.get_by_role("option", name="Triplet", exact=True).click()
    expect(page.locator(".dml-racer-name").nth(1)).to_have_text("Triplet, from A at step 55")
    expect(page).to_have_url(re.compile(r"fork=triplet%4055-1"))
    page.keyboard.press("Escape")
    until_finished(page)
    page.get_by_role("button", name="Back to the run").click()
    expect(number(page, "status")).to_contain_text("finished")


def scores_of_one(row: Locator) -> list[str]:
    return re.findall(r"\b\d\.\d\d\b", row.inner_text())[:3]
