"""Journeys by link: a shared page opened by another visitor, a lesson, and malformed links."""

import re
import socket
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser, Page, expect

from dml_viz.room.task import Task
from tests.browser import passing
from tests.browser.conftest import somebody
from tests.browser.test_journeys import is_of, number
from tests.samples import sample, thorough
from tests.served import Server

EDITOR = ".dml-scene[data-drawn]"
SCENE = {"ranked_list.at": "a80_90.25b200_210", "ranked_list.temperature": "20.0"}


def field(page: Page, label: str) -> str:
    line = page.get_by_role("textbox", name=label, exact=True)
    expect(line).not_to_have_value("")
    return line.input_value()


def test_a_shared_page_opens_in_the_same_state_for_somebody_else(page: Page, browser: Browser, server: Server) -> None:
    page.goto(f"/ranked_list?{urlencode(SCENE)}")
    scene = page.locator(EDITOR)
    expect(scene).to_be_visible()
    page.get_by_role("slider", name=re.compile("point #0")).press("ArrowRight")
    expect(page).to_have_url(re.compile(r"at=a81_90\.25b200_210"))
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("img", name=re.compile("^QR code of http"))).to_be_visible()
    link, short = field(page, "Link"), field(page, "Short form, for slides")
    assert "a81_90.25b200_210" in link
    assert len(short) < len(link)
    page.get_by_text("dark", exact=True).click()
    expect(page.get_by_role("textbox", name="Short form, for slides")).to_have_value(f"{short}&embed_options=dark_theme")
    with somebody(browser, server) as tab:
        # Python reads each as the other: `tests/app/test_share.py`.
        for address, theme in sample(((f"{short}&embed_options=dark_theme", "dark"), (link, "light")), 1):
            tab.goto(address)
            expect(tab.locator(EDITOR)).to_have_attribute("data-theme", theme)
            expect(tab.locator(EDITOR)).to_have_attribute("data-scene", "a81_90.25b200_210")
            expect(tab.get_by_role("slider", name=re.compile("temperature"))).to_have_value("20")
            expect(tab).to_have_url(re.compile(r"at=a81_90\.25b200_210"))


def test_a_lesson_asks_its_question_and_locks_controls(page: Page) -> None:
    locked = ("ranked_list.alpha", "ranked_list.scene", "ranked_list.move")
    lesson = Task("Which **point** moves most?", "Number <b>3</b>.", locked, ("presets", "ranked_list.tools"))
    page.goto(f"/ranked_list?{urlencode({**SCENE, **lesson.write()})}")
    expect(page.get_by_text("Which **point** moves most?", exact=True)).to_be_visible()
    expect(page.locator(EDITOR)).to_be_visible()
    page.get_by_role("button", name="Show the answer").click()
    expect(page.get_by_text("Number <b>3</b>.", exact=True)).to_be_visible()
    expect(page.get_by_role("slider", name=re.compile("alpha"))).to_be_disabled()
    expect(page.get_by_role("combobox", name="Scene")).to_be_disabled()
    expect(page.get_by_role("button", name="Add a point")).to_have_count(0)
    expect(page.get_by_text("Break it")).to_have_count(0)
    point = page.get_by_role("slider", name=re.compile("point #0"))
    point.press("ArrowRight")
    point.press("Delete")
    margin = page.get_by_role("slider", name=re.compile("margin"))
    margin.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"ranked_list\.margin="))
    expect(page.locator(EDITOR)).to_have_attribute("data-scene", SCENE["ranked_list.at"])
    expect(page).to_have_url(re.compile(r"lock=ranked_list\.alpha"))


@thorough
def test_a_step_in_a_link_is_trained_to_with_a_bar(page: Page) -> None:
    passing.note_from_the_first(page, "[data-testid=stProgress]")
    page.goto("/train?data=digits&net=mlp&run.dim=3&run.steps=2000&step=1200&loss=n_pair")
    passing.has_shown(page, r"Step [\d,]+ of 1,200")
    expect(number(page, "status")).to_contain_text("paused")
    is_of(page, "N-pair on Digits, in 3 dimensions")
    expect(page.locator(".dml-live")).to_have_attribute("data-step", "1200")
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"\bstep=1200\b"))


@thorough
def test_a_link_that_nobody_should_have_written_opens_the_page_with_a_sentence_and_what_is_nearest(page: Page) -> None:
    asked = {"scene": "x" * 100_000, "fastap.bins": "-7", "fastap.query": "<script>alert(1)</script>"}
    asked |= {"ask": "<img src=x onerror=alert(1)>", "lock": "javascript:alert(1)", "s": "../../etc/passwd"}
    opened: list[str] = []
    page.on("dialog", lambda dialog: opened.append(dialog.message))
    page.goto(f"/fastap/too/deep?{urlencode(asked)}")
    warning = page.get_by_test_id("stAlert").first
    expect(warning).to_contain_text("This link asked for something that cannot be had")
    expect(warning).to_contain_text("bins = '-7' is not allowed in a link; choose 4 to 100 (default 10): 4 is taken")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"fastap\.bins=4(&|$)"))
    assert not opened
    assert page.locator("img[src=x]").count() == 0


def test_a_long_link_is_read_however_the_network_splits_it(server: Server) -> None:
    address = urlsplit(server.url)
    assert address.hostname
    head = f"GET /fastap?scene={'x' * 500_000} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode()
    with socket.create_connection((address.hostname, address.port or 80), timeout=120) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, len(head), 10_000):
            line.sendall(head[start : start + 10_000])
        assert line.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
