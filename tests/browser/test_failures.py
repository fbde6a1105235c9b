"""What cannot be loaded is said in a sentence, and pages that are left leave nothing behind."""

from collections.abc import Mapping
from types import MappingProxyType

from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.browser.conftest import somebody
from tests.browser.gestures import painted, still, travel, until
from tests.samples import thorough
from tests.served import Server

RUN = "/train?data=digits&net=mlp&run.dim=3&run.steps=200"
# As in a busy page: the report that an element was out of sight comes together with that of where it is.
LATE_REPORTS = """() => {
  const Observer = IntersectionObserver;
  globalThis.IntersectionObserver = class extends Observer {
    constructor(tell, options) {
      super((reports, own) => {
        const late = reports.map(({ target }) => ({ target, isIntersecting: false }));
        tell([...late, ...reports], own);
      }, options);
    }
  };
}"""
KEPT = {"JSEventListeners": 1.15, "Nodes": 1.25, "JSHeapUsedSize": 1.5}  # times as many after all visits, at most


def test_a_page_without_the_library_of_its_charts_says_so(browser: Browser, server: Server) -> None:
    with somebody(browser, server) as page:  # more is answered badly in `test_bad_answers`
        page.route("**/plotly.min.js*", lambda route: route.abort())
        page.goto("/train")  # its curves are charts; Start has none
        message = page.locator(".dml-message").filter(has_text="Plotly's library could not be loaded")
        expect(message.filter(visible=True).first).to_be_visible()


def test_a_figure_that_comes_into_sight_of_a_busy_page_is_drawn(page: Page) -> None:
    page.add_init_script(f"({LATE_REPORTS})()")
    page.goto("/fastap")
    figure = page.locator(".st-key-fastap-against_bins")

    def drawn() -> bool:
        figure.scroll_into_view_if_needed()  # again where figures above grow
        painted(page)
        return figure.locator(".js-plotly-plot").is_visible()

    still(page)  # a page that runs draws what is in sight without a report
    until(page, drawn)


@thorough
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

    def visits() -> None:
        visit("/angular", ".dml-scene")
        visit("/race", ".dml-live")

    def left_over(times: int, most: Mapping[str, float] = MappingProxyType({})) -> dict[str, float]:
        """The numbers once they are at ``most`` these, or so many collections later: one collection does not find all."""
        found: dict[str, float] = {}
        for _ in range(times):
            session.send("HeapProfiler.collectGarbage")
            metrics = session.send("Performance.getMetrics")["metrics"]
            found = {metric["name"]: metric["value"] for metric in metrics if metric["name"] in KEPT}
            if most and all(found[name] <= most[name] for name in KEPT):
                break
            painted(page)
        return found

    visits()
    before = left_over(3)
    visits()
    most = {name: times * before[name] for name, times in KEPT.items()}
    after = left_over(50, most)
    assert not opened, "recorded runs need none"
    visit(RUN, ".dml-live")
    visit("/angular", ".dml-scene")
    assert opened
    until(page, lambda: set(closed) == set(opened))
    assert {name: after[name] <= most[name] for name in KEPT} == dict.fromkeys(KEPT, True), (before, after)
