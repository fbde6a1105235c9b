"""A classroom with a wall, a console and students, from its opening to what is revealed."""

import json
import re
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, ViewportSize, WebSocket, expect

from dml_viz.room.lesson_text import packed
from dml_viz.serve.classroom.answers import FEWEST
from dml_viz.serve.classroom.codes import Signer
from tests.axe import grave
from tests.browser.conftest import somebody
from tests.browser.gestures import still
from tests.serve.classroom.devices import poll, says
from tests.served import CLASSROOM_SECRET, Server
from tests.waiting import holds

PHONE: ViewportSize = {"width": 390, "height": 780}
ASKED = "gradients.carried"
# As in a network that lets no WebSocket of a classroom through.
NO_SOCKET = """globalThis.WebSocket = class extends WebSocket {
  constructor(url, ...more) {
    if (String(url).includes("/classroom/")) throw new Error("blocked");
    super(url, ...more);
  }
}"""
# Of a student's page: what it says in words, labels and values; the lines that it draws, as of arrows and ways; what it keeps.
HELD = """() => {
  const names = ["aria-label", "aria-valuenow", "aria-valuetext", "title"];
  const labels = [...document.querySelectorAll(names.map((name) => `[${name}]`))]
    .flatMap((node) => names.map((name) => node.getAttribute(name) ?? ""));
  const lines = [...document.querySelectorAll("svg path, svg line, svg polyline")].filter((node) => {
    const { fill, strokeDasharray } = getComputedStyle(node);
    return node.getAttribute("d") !== "" && fill === "none" && strokeDasharray === "none";
  });
  return {
    says: [document.querySelector("main").innerText, ...labels].join(" "),
    own: document.querySelector(".dml-state").innerText,
    lines: lines.length + document.querySelectorAll("marker, [marker-end]").length,
    results: document.querySelectorAll(".dml-results > *").length,
    keeps: Object.values(sessionStorage).flatMap((text) => Object.keys(JSON.parse(text))).sort(),
  };
}"""
# What a page holds when it asks a question, and when it has an answer, which is locked in between.
ASKS_AND_ANSWERS = f"""async (key) => {{
  const held = {HELD};
  const until = async (condition) => {{
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
  }};
  await until(() => document.querySelector(".dml-question").dataset.key === key);
  const asked = held();
  document.querySelector(".dml-answer [role=radio]")?.click();
  document.querySelector(".dml-answer input")?.dispatchEvent(new Event("input"));
  const turn = new KeyboardEvent("keydown", {{ key: "ArrowLeft", bubbles: true }});
  document.querySelector(".dml-answer [role=slider]")?.dispatchEvent(turn);
  [...document.querySelectorAll("button")].find((node) => node.textContent === "Lock my answer").click();
  await until(() => held().own.includes("It is counted"));
  return [asked, held()];
}}"""
# A click as fast as can be on the button that comes to the place of the one that was pressed.
DOUBLE_CLICKS = """() => new MutationObserver(() => document.querySelector("[data-key=reveal]")?.click())
  .observe(document.querySelector(".dml-acts"), { childList: true })"""
CARD, CORNER = ".dml-class-card", ".dml-class-corner"


def state(tab: Page, name: str) -> None:
    """Wait until a static page is in a state of the classroom."""
    expect(tab.locator(f"html[data-state={name}]")).to_be_attached()


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
    tab.get_by_role("button", name="Lock my answer").press("Enter")
    expect(tab.get_by_text("It is counted")).to_be_visible()
    expect(tab.locator(".dml-state")).to_be_focused()


def open_classroom(page: Page) -> Page:
    """Make the page the wall of a new classroom, and open its console."""
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_text("Open a classroom").first.click()
    still(page)
    page.get_by_role("button", name="Open a classroom").click()
    expect(page.locator(CORNER).get_by_text("people here")).to_be_visible()  # until then the button moves
    with page.expect_popup() as opened:
        page.locator(CORNER).get_by_role("button", name="Console").click()
    state(opened.value, "idle")
    return opened.value


def test_a_class_votes_talks_votes_again_and_sees_its_guesses_under_the_truth_that_no_one_had_before(
    page: Page, browser: Browser, server: Server
) -> None:
    wall_heard = listening(page)
    page.goto("/gradients")
    console = open_classroom(page)
    corner, card = page.locator(CORNER), page.locator(CARD)
    code = corner.locator(".dml-code").first.inner_text()
    assert "#" not in console.url, "the token stays in the address"
    with somebody(browser, server) as first:
        second = first.context.new_page()  # each tab is a student
        second.emulate_media(color_scheme="dark")
        second.add_init_script(NO_SOCKET)
        heard = listening(first)
        for tab in (first, second):
            tab.set_viewport_size(PHONE)
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
            says(server.url, code, angle)
        expect(corner).to_contain_text("4 of 5 answered")
        # A phone that is opened again keeps its answer; the other comes late, after the vote.
        first.reload()
        expect(first.get_by_text("It is counted")).to_be_visible()
        expect(console.get_by_role("button", name="Reveal")).to_have_count(0)
        console.get_by_role("button", name="Close the vote").press("Enter")
        state(second, "closed-1")
        expect(console.get_by_role("heading", name="First vote is closed")).to_be_focused()
        expect(second.get_by_role("button", name="Lock my answer")).to_be_hidden()
        console.get_by_role("button", name="Vote again").click()
        for tab, times in ((first, 8), (second, 15)):
            state(tab, "open-2")
            lock(tab, "ArrowLeft", times)
        for angle in (166.0, 168.0, 170.0):
            says(server.url, code, angle)
        console.evaluate(DOUBLE_CLICKS)
        console.get_by_role("button", name="Close the vote").click()
        state(first, "closed-2")
        for messages in (heard, wall_heard):
            assert messages
            assert not [each for each in messages if '"type":"reveal"' in each or '"truth"' in each or '"counts"' in each]
        before = first.locator("main").inner_text() + card.inner_text()
        assert not re.search("Computed|Right|Not so|%", before)
        console.get_by_role("button", name="Reveal").click()
        for tab in (first, second):
            state(tab, "revealed")
            expect(tab.locator(".dml-truth").get_by_text(re.compile(r"Computed: \d+°"))).to_be_visible()
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
        console.get_by_role("button", name="Drop the question").click()
        for tab in (first, console):
            state(tab, "idle")
        end, sure = console.get_by_role("button", name="End the classroom"), console.get_by_role("button", name="Press again")
        end.click()  # a single press ends nothing
        sure.press("Escape")
        end.click()
        state(first, "idle")
        sure.click()
        expect(page.get_by_text(f"The classroom {code} has ended.")).to_be_visible()
        state(console, "ended")
        expect(console.locator(".dml-people")).to_be_empty()
        expect(corner).to_have_count(0)
        expect(page).not_to_have_url(re.compile("wall="))
        page.go_back()
        still(page)
        expect(corner).to_have_count(0)
        console.reload()
        expect(console.get_by_text("The teacher has ended this classroom.")).to_be_visible()
    console.close()


def numbers_in(text: str) -> set[float]:
    return {float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)}


def test_while_any_question_is_open_a_students_page_holds_what_it_asks_and_the_hand_but_nothing_of_the_truth(
    browser: Browser, server: Server
) -> None:
    given = Signer(lambda _: CLASSROOM_SECRET.encode()).invite()
    hello = {"type": "hello", "role": "wall", "token": given.token}
    entered = poll(server.url, given.code, hello)
    epoch = entered["state"]["epoch"]
    with somebody(browser, server) as tab:
        tab.set_viewport_size(PHONE)
        tab.emulate_media(reduced_motion="reduce")
        heard = listening(tab)
        tab.goto(f"/classroom/{given.code}")
        state(tab, "idle")
        names = [each["name"] for each in entered["welcome"]["questions"]]
        assert ASKED in names
        for name in sorted(names, key=ASKED.__eq__):  # last the one that is revealed
            acts = ["open"] if not epoch else ["close", "next", "open"]
            messages = [{"type": act, "epoch": epoch + k, "ask": {"prediction": name}} for k, act in enumerate(acts)]
            now = poll(server.url, given.code, hello, *messages)["state"]
            epoch, question = now["epoch"], now["question"]
            assert question["name"] == name
            known = numbers_in(json.dumps(question, ensure_ascii=False))
            known |= {round(angle) % 360 for angle, _ in question["by"].get("points", [])}
            for each in tab.evaluate(ASKS_AND_ANSWERS, question["name"] + question["text"]):
                assert (each["lines"], each["results"]) == (0, 0), name
                assert numbers_in(each["says"]) <= known | numbers_in(each["own"]), name
                assert not re.search(r"Computed|Not so|%\)", each["says"]), name
                assert each["keeps"] == ["answers", "id", "ticket"]
        assert len(heard) > 2 * len(names)
        assert not [each for each in heard if re.search('"(truth|counts|answered|guesses|way)"', each)]
        poll(server.url, given.code, hello, {"type": "close", "epoch": epoch}, {"type": "reveal", "epoch": epoch + 1})
        state(tab, "revealed")
        # What is looked for is there once it is revealed.
        holds(tab, f"() => {{ const {{ lines, results }} = ({HELD})(); return lines && results; }}")
        assert "Computed" in tab.evaluate(HELD)["says"]


LESSON = r"""# Two stations
About bins.

## First
See the bins.
link: /fastap?fastap.bins=20
ask: Which is more?
- $\sum_{i=1}^{n}\max(0,\|x_i-y_i\|^2-\|x_i-z_i\|^2+\alpha)+\lambda\sum_j w_j^2$
- twenty *
- WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW
answer: Twenty is.
## Last
See more.
link: /fastap?fastap.bins=30
"""


def test_a_console_asks_what_the_lesson_asks_and_ends_with_its_last_station(page: Page, server: Server) -> None:
    page.goto(f"/fastap?{urlencode({'fastap.bins': 20, 'lesson': packed(LESSON), 'station': 1})}")
    console = open_classroom(page)
    expect(console.get_by_text("Station 1 of 2")).to_be_visible()
    console.get_by_role("button", name="Which is more?").click()
    state(console, "open-1")
    for _ in range(FEWEST):
        says(server.url, page.locator(CORNER).locator(".dml-code").first.inner_text(), 1)
    console.get_by_role("button", name="Close the vote").click()
    console.get_by_role("button", name="Reveal").click()
    expect(console.get_by_text("Said to be right: “twenty”.")).to_be_visible()
    # Long choices, which neither widen a phone's page nor the wall's column of bars.
    console.set_viewport_size(PHONE)
    expect(console.locator(".dml-bars")).to_be_visible()
    assert console.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    for bars in (console.locator(".dml-bars"), page.locator(CARD).locator(".dml-bars")):
        expect(bars).to_contain_text(f"{FEWEST} (100 %)")
        assert bars.evaluate("(bars) => bars.scrollWidth <= bars.clientWidth")
    console.get_by_role("button", name="Next", exact=True).click()
    console.get_by_role("button", name="Next station").click()
    expect(console.get_by_text("Station 2 of 2")).to_be_visible()
    for name in ("Next station", "Which is more?"):
        expect(console.get_by_role("button", name=name)).to_have_count(0)
    console.get_by_role("button", name="Station before").click()
    expect(console.get_by_role("button", name="Which is more?")).to_be_visible()
