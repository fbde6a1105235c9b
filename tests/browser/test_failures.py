"""What cannot be loaded is said in a sentence, and pages that are left leave nothing behind."""

from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.browser.conftest import somebody
from tests.browser.gestures import still, travel, until
from tests.served import Server

# A page, what it does not get, where it says so, and how; more is answered badly in `test_bad_answers`.
PARTS = (
    ("/", "**/plotly.min.js*", ".dml-message", "Plotly's library could not be loaded"),
    ("/fastap", "**/plotly.min.js*", "[role=alert]", "This picture could not be loaded"),
)
RUN = "/train?data=digits&net=mlp&run.dim=3&run.steps=200"
KEPT = {"JSEventListeners": 1.15, "Nodes": 1.25, "JSHeapUsedSize": 1.5}  # times as many after all visits, at most


def test_files_that_fail_to_load_get_a_sentence(browser: Browser, server: Server) -> None:
    with somebody(browser, server) as page:
        for path, address, place, sentence in PARTS:
            page.unroute_all()
            page.route(address, lambda route: route.abort())
            page.goto(path)
            expect(page.locator(place).filter(has_text=sentence).filter(visible=True).first).to_be_visible()


def test_visited_pages_leave_no_listeners_nodes_or_memory_behind(page: Page) -> None:
    opened: list[WebSocket] = []
    closed: list[WebSocket] = []

    def left(socket: WebSocket) -> None:
        closed.append(socket)

    def follow(socket: WebSocket) -> None:
        if "/live/" in socket.url:
            opened.append(socket)
            socket.on("close", left)

    page.on("websocket", follow)
    page.emulate_media(reduced_motion="reduce")  # a recorded race is at its end
    page.goto("/race")
    page.locator(".dml-live[data-drawn]").first.wait_for()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def visit(path: str, shown: str) -> None:
        travel(page, path)
        page.locator(f"{shown}[data-drawn]").first.wait_for()
        still(page)

    def memory() -> dict[str, float]:
        session.send("HeapProfiler.collectGarbage")
        metrics = session.send("Performance.getMetrics")["metrics"]
        return {metric["name"]: metric["value"] for metric in metrics if metric["name"] in KEPT}

    def visits(count: int) -> dict[str, float]:
        for _ in range(count):
            visit("/angular", ".dml-scene")
            visit("/race", ".dml-live")
        return memory()

    before, after = visits(2), visits(3)
    assert not opened, "recorded runs need none"
    for _ in range(2):
        visit(RUN, ".dml-live")
        visit("/angular", ".dml-scene")
    assert opened
    until(page, lambda: set(closed) == set(opened))
    assert {name: after[name] <= most * before[name] for name, most in KEPT.items()} == dict.fromkeys(KEPT, True), (before, after)
