"""A classroom with a wall, a console and students, from its opening to what is revealed."""

import json
import re
import secrets
from urllib.request import Request, urlopen

from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.axe import grave
from tests.browser.conftest import somebody
from tests.browser.gestures import still
from tests.served import Server

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True}
ASKED = "gradients.carried"
# As in a network that lets no WebSocket of a classroom through.
NO_SOCKET = """globalThis.WebSocket = class extends WebSocket {
  constructor(url, ...more) {
    if (String(url).includes("/classroom/")) throw new Error("blocked");
    super(url, ...more);
  }
}"""
CARD, CORNER = ".dml-class-card", ".dml-class-corner"


def state(tab: Page, name: str) -> None:
    """Wait until a static page is in a state of the classroom."""
    expect(tab.locator(f"html[data-state={name}]")).to_be_attached()


def says(server: Server, code: str, angle: float) -> None:
    """Let a student without a browser lock an answer in the vote that is open, over polls."""
    hello = {"type": "hello", "role": "student", "id": secrets.token_urlsafe(16), "ticket": ""}
    body = {"hello": hello, "server": "", "seen": 0, "wait": 0, "messages": []}

    def poll() -> list[dict[str, object]]:
        headers = {"Content-Type": "application/json", "Origin": server.url}
        asked = Request(f"{server.url}/classroom/{code}/live", json.dumps(body).encode(), headers)
        with urlopen(asked) as answer:
            return list(json.load(answer)["messages"])

    (now,) = [each for each in poll() if each["type"] == "state"]
    body["messages"] = [{"type": "answer", "epoch": now["votes"][-1], "value": angle, "receipt": ""}]  # type: ignore[index]
    assert "taken" in {each["type"] for each in poll()}


def listening(tab: Page) -> list[str]:
    """What the server will say to the classroom's sockets of a tab."""
    heard: list[str] = []

    def opened(socket: WebSocket) -> None:
        if "/classroom/" in socket.url:
            socket.on("framereceived", lambda frame: heard.append(str(frame)))

    tab.on("websocket", opened)
    return heard


def lock(tab: Page, key: str, times: int) -> None:
    """Drag the point with the keys, and lock the answer."""
    hand = tab.get_by_role("slider", name=re.compile("your prediction"))
    for _ in range(times):
        hand.press(key)
    tab.get_by_role("button", name="Lock my answer").click()
    expect(tab.get_by_text("It is counted")).to_be_visible()


def test_a_class_votes_talks_votes_again_and_sees_its_guesses_under_the_truth_that_no_one_had_before(
    page: Page, browser: Browser, server: Server
) -> None:
    wall_heard = listening(page)
    page.goto("/gradients")
    page.get_by_role("button", name="Share").click()
    page.get_by_text("Open a classroom").first.click()
    still(page)
    page.get_by_role("button", name="Open a classroom").click()
    corner, card = page.locator(CORNER), page.locator(CARD)
    code = corner.locator(".dml-code").first.inner_text()
    with page.expect_popup() as opened:
        corner.get_by_role("button", name="Console").click()
    console = opened.value
    state(console, "idle")
    assert "#" not in console.url, "the token stays in the address"
    with somebody(browser, server, **PHONE) as first, somebody(browser, server, color_scheme="dark", **PHONE) as second:
        second.add_init_script(NO_SOCKET)
        heard = listening(first)
        for tab in (first, second):
            tab.goto(f"/classroom/{code}")
            state(tab, "idle")
        console.get_by_role("button", name="Drag: where does the loss carry a point?").first.click()
        for tab in (first, second):
            state(tab, "open-1")
        expect(card).to_contain_text("Answer on your own device")
        expect(page).to_have_url(re.compile(f"predict={re.escape(ASKED)}"))
        assert not grave(first, rests=False) + grave(console, rests=False)
        lock(first, "ArrowLeft", 3)
        for angle in (100.0, 120.0, 167.0):
            says(server, code, angle)
        expect(corner).to_contain_text("4 of 5 answered")
        # A phone that is opened again keeps its answer; the other comes late, after the vote.
        first.reload()
        expect(first.get_by_text("It is counted")).to_be_visible()
        expect(console.get_by_role("button", name="Reveal")).to_have_count(0)
        console.get_by_role("button", name="Close the vote").click()
        state(second, "closed-1")
        expect(second.get_by_role("button", name="Lock my answer")).to_be_hidden()
        console.get_by_role("button", name="Vote again").click()
        for tab, times in ((first, 8), (second, 15)):
            state(tab, "open-2")
            lock(tab, "ArrowLeft", times)
        for angle in (166.0, 168.0, 170.0):
            says(server, code, angle)
        console.get_by_role("button", name="Close the vote").click()
        for messages in (heard, wall_heard):
            assert messages
            assert not [each for each in messages if '"type":"reveal"' in each or '"truth"' in each or '"counts"' in each]
        before = first.locator("main").inner_text() + card.inner_text()
        assert not re.search("Computed|right|%", before)
        console.get_by_role("button", name="Reveal").click()
        for tab in (first, second):
            state(tab, "revealed")
            expect(tab.get_by_text(re.compile(r"Computed: \d+°"))).to_be_visible()
        assert not grave(second, rests=False)
        expect(card).to_contain_text(re.compile(r"Second vote: \d of 5 right"))
        expect(page.locator(".dml-scene").first).to_be_visible()
        with console.expect_download() as saved:
            console.get_by_role("button", name="Save as CSV").click()
        assert saved.value.path().read_text().startswith("date,question,text,vote,answer,count,answered,truth\n")
        console.get_by_role("button", name="Next", exact=True).click()

        # The class follows, by link and by scene, until somebody does something alone.
        console.get_by_label("Students follow my page").check()
        second.get_by_role("link", name="Open the whole page").click()
        theirs = second.locator(CORNER)
        expect(theirs).to_contain_text("you follow the wall")
        scene, copy = page.locator(".dml-scene[data-drawn]").first, second.locator(".dml-scene[data-drawn]").first
        expect(copy).to_be_visible()
        page.get_by_role("slider", name=re.compile("point #0")).first.press("Shift+ArrowRight")
        expect(copy).to_have_attribute("data-scene", str(scene.get_attribute("data-scene")))
        page.locator(".dml-scene-stage > svg").first.hover()
        for tab in (first, second):  # a student's own page, and the whole page
            expect(tab.locator(".dml-scene-stage > .dml-class-pointer")).to_be_visible()
        second.get_by_role("slider", name=re.compile("point #1,")).first.press("ArrowRight")
        expect(second.locator(".dml-class-pointer")).to_have_count(0)
        expect(theirs).to_contain_text("you go your own way")
        theirs.get_by_role("button", name="Back to the class").click()
        expect(theirs).to_contain_text("you follow the wall")
        console.get_by_role("button", name="Who still pushes a point that is home?").click()
        state(second, "open-1")
        console.get_by_role("button", name="Close the vote").click()
        for _ in range(2):
            console.get_by_role("button", name=re.compile("Drop the question|End the classroom|Press again")).first.click()
        state(first, "idle")
    console.close()
