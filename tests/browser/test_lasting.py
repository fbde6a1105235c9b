"""The live picture goes on by itself: sockets cut, silent or out of order, panels that throw, tabs hidden, machines asleep."""

import json
import re

from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.browser.conftest import somebody
from tests.browser.gestures import painted, still, until
from tests.samples import thorough
from tests.served import Server
from tests.waiting import holds

DRAWN = "before => Number(document.querySelector('.dml-live').dataset.drawn) > before + 3"
MORE = DRAWN.replace(" + 3", "")
# An emulated screen changes without the event that a real one brings.
SCREENS = """() => {
  const asked = [];
  const { matchMedia } = window;
  window.matchMedia = (query) => {
    const list = matchMedia(query);
    if (query.includes("resolution")) asked.push(list);
    return list;
  };
  window.moved = () => asked.splice(0).forEach((list) => list.dispatchEvent(new Event("change")));
}"""
LONG = "/train?data=digits&net=mlp&run.dim=3&run.steps=4000&speed=5"  # as slow as the picture shows it


def drawings(page: Page) -> int:
    shown = page.locator(".dml-live[data-drawn]")
    expect(shown).to_be_visible()
    return int(shown.get_attribute("data-drawn") or 0)


def test_the_picture_goes_on_after_cut_and_silent_sockets_a_panel_that_throws_a_hidden_tab_and_a_minute_of_sleep(
    browser: Browser, server: Server
) -> None:
    with somebody(browser, server) as page:  # what throws is said on its console
        goes_on_where_its_socket_is_cut_or_silent(page)
        goes_on(page)


def goes_on_where_its_socket_is_cut_or_silent(page: Page) -> None:
    sockets: list[WebSocketRoute] = []
    silent: list[bool] = []
    questions: list[str | bytes] = []

    def pass_on(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        sockets.append(socket)
        server.on_message(lambda message: None if silent else socket.send(message))

        def ask(message: str | bytes) -> None:
            questions.append(message)
            server.send(message)

        socket.on_message(ask)

    page.clock.install()
    page.route_web_socket(re.compile(r"/live/"), pass_on)
    page.goto(LONG)
    drawings(page)
    status = page.locator(".dml-number").filter(has_text=re.compile("^status"))
    expect(status).to_contain_text(re.compile("running|finished"))
    before = drawings(page)
    opened = len(sockets)
    assert opened
    sockets[-1].close(code=1012)
    holds(page, DRAWN, arg=before)
    assert len(sockets) > opened
    silent.append(True)
    sockets[-1].close(code=1012)
    asked = len(questions)
    until(page, lambda: len(questions) > asked)  # the page asks again, on a new socket, and gets no answer
    silent.clear()
    page.clock.fast_forward("00:20")  # as long as an answer may take
    holds(page, DRAWN, arg=drawings(page))


def goes_on(page: Page) -> None:
    page.evaluate("""() => {
      window.thrown = 0;
      window.put = CanvasRenderingContext2D.prototype.putImageData;
      CanvasRenderingContext2D.prototype.putImageData = () => { thrown += 1; throw new Error("no room for pixels"); };
    }""")
    page.locator(".dml-embedding .dml-stage").press("n")  # shows another image, and others of its neighbours
    holds(page, "() => thrown > 0")
    holds(page, DRAWN, arg=drawings(page))
    page.evaluate("() => { CanvasRenderingContext2D.prototype.putImageData = put; }")
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
      window.frame = requestAnimationFrame;
      window.requestAnimationFrame = () => 0;
    }""")
    before = drawings(page)
    holds(page, MORE, arg=before)
    page.evaluate("() => { delete document.hidden; window.requestAnimationFrame = frame; }")
    page.clock.fast_forward("01:00")  # as a machine that sleeps: every timer is late, and fires once
    holds(page, DRAWN, arg=drawings(page))


@thorough
def test_a_picture_is_drawn_again_on_a_sharper_screen_and_drawn_without_repaints(page: Page) -> None:
    page.add_init_script(f"({SCREENS})()")
    page.goto("/")
    images = page.locator(".dml-embedding .dml-thumbnails")
    expect(images).to_be_visible()
    drawings(page)
    page.locator(".dml-live input[type=range]").press("Home")  # nothing moves by itself from now on
    still(page)
    before = int(images.evaluate("canvas => canvas.width"))
    assert page.viewport_size
    session = page.context.new_cdp_session(page)
    for times in (2, 3):  # and on to another one
        size = {**page.viewport_size, "deviceScaleFactor": times, "mobile": False}
        session.send("Emulation.setDeviceMetricsOverride", size)
        holds(page, "times => devicePixelRatio === times", arg=times)
        page.evaluate("() => moved()")
        holds(page, f"canvas => canvas.width === {times * before}", arg=images.element_handle())
    page.evaluate("() => { window.requestAnimationFrame = () => 0; }")
    drawn = drawings(page)
    for key in ("End", "Home", "ArrowRight", "ArrowRight"):
        page.locator(".dml-live input[type=range]").press(key)
        holds(page, MORE, arg=drawn)
        drawn = drawings(page)


@thorough
def test_answers_out_of_order_show_the_step_requested_last(page: Page) -> None:
    delayed: list[tuple[WebSocketRoute, str | bytes]] = []
    holding: list[bool] = []
    asked: list[int] = [0]

    def pass_on(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: delayed.append((socket, message)) if holding else socket.send(message))

        def ask(message: str | bytes) -> None:
            question = json.loads(message)
            if question["want"] == "step":
                asked.append(question["step"])
            server.send(message)

        socket.on_message(ask)

    def let_go() -> None:
        for socket, message in reversed([delayed.pop(0) for _ in range(len(delayed))]):
            socket.send(message)
        painted(page)

    page.route_web_socket(re.compile(r"/live/"), pass_on)
    page.goto(LONG)
    drawings(page)
    holds(page, "() => Number(document.querySelector('.dml-live')?.dataset.step) > 30")
    page.reload()  # the frames of before are the server's alone
    drawings(page)
    holding.append(True)
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.locator(".dml-live input[type=range]").press(key)
    picture = page.locator(".dml-live")

    def shows_the_last() -> bool:
        let_go()
        return bool(asked[-1]) and picture.get_attribute("data-step") == str(asked[-1])

    until(page, shows_the_last)
    holding.clear()
    let_go()
    page.get_by_role("button", name="Live", exact=True).click()
    holds(page, "() => Number(document.querySelector('.dml-live').dataset.step) > 30")
