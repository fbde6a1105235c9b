"""The live picture goes on by itself: where its socket is cut or says nothing, and where a page has no repaints."""

import re

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.hands import painted

DRAWN = "before => Number(document.querySelector('.dml-live').dataset.drawn) > before + 3"
MORE = DRAWN.replace(" + 3", "")
LONG = "/train?data=digits&net=mlp&run.dim=3&run.steps=4000"


def drawings(page: Page) -> int:
    shown = page.locator(".dml-live[data-drawn]")
    expect(shown).to_be_visible()
    return int(shown.get_attribute("data-drawn") or 0)


def test_a_run_goes_on_where_its_socket_is_cut_or_keeps_silent(page: Page) -> None:
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

    page.route_web_socket(re.compile(r"/live/"), pass_on)
    page.goto(LONG)
    drawings(page)
    status = page.locator(".dml-number").filter(has_text=re.compile("^status"))
    expect(status).to_contain_text(re.compile("running|budget used up"))
    before = drawings(page)
    opened = len(sockets)
    assert opened
    sockets[-1].close(code=1012)
    page.wait_for_function(DRAWN, arg=before)
    assert len(sockets) > opened
    silent.append(True)
    sockets[-1].close(code=1012)
    asked = len(questions)
    while len(questions) == asked:  # the page asks again, on a new socket, and gets no answer
        painted(page)
    silent.clear()
    page.wait_for_function(DRAWN, arg=drawings(page))


def test_a_page_without_repaints_is_drawn_all_the_same(page: Page) -> None:
    page.goto("/")
    drawings(page)
    page.evaluate("() => { window.requestAnimationFrame = () => 0; }")
    before = drawings(page)
    slider = page.locator(".dml-live input[type=range]")
    for key in ("Home", "End", "Home", "ArrowRight", "ArrowRight"):
        slider.press(key)
        page.wait_for_function(MORE, arg=before, polling=50)  # by its own repaints it would wait for ever
        before = drawings(page)
