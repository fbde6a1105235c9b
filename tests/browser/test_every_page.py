"""Every page, on a laptop and a phone: its first screen, what every visitor can read and use, and how it is presented."""

from collections.abc import Iterator
from itertools import cycle, product
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from dml_viz.app.frame import SECTIONS, page_in_menu, section_of, titles, whole_of_page
from tests.axe import grave
from tests.browser.conftest import forget, minded
from tests.browser.gestures import comes_to, still, travel
from tests.presented import faults, present, rest
from tests.samples import THOROUGH, sample
from tests.served import Server
from tests.space import EXPLAINED, FIGURE, LAPTOP, LARGE, PHONE, Screen, measured
from tests.waiting import holds


class Visit(NamedTuple):
    """A page, in the colours and on the screen for which axe reads it."""

    address: str
    scheme: Literal["light", "dark"]
    reads: Screen

    def __str__(self) -> str:
        return f"{self.address}-{self.scheme}-{self.reads.width}"


ADDRESSES = [f"/{url}" for url in titles()]
A4 = 717  # px, between the margins
TABLETS = (820, 1024)  # px wide
LOOKS = tuple(product(("light", "dark"), (LAPTOP, PHONE)))
# Of the looks each page has one here, and all four in a thorough run; the colours of the tab change once.
VISITS = [Visit(address, *look) for address, look in (product(ADDRESSES, LOOKS) if THOROUGH else zip(ADDRESSES, cycle(LOOKS)))]
VISITS.sort(key=lambda visit: visit.scheme == "dark")
PICTURED = ("", "train", "race", "papers", *EXPLAINED)  # whose picture is on the first screen
IS_DARK = "dark => (getComputedStyle(document.querySelector('.stApp')).backgroundColor === 'rgb(15, 18, 24)') === dark"
# The papers of all pictures, in which high contrast replaces no colour.
PAPERS = """() => [...new Set([...document.querySelectorAll(".dml-figure, .dml-panel, .dml-scene-stage, .dml-gradients-panel")]
  .map((picture) => getComputedStyle(picture).backgroundColor))]"""
# Pictures that end beyond the paper, or that are not made smaller with their frame.
CUT_ON_PAPER = """() => {
  dispatchEvent(new Event("beforeprint"));
  return [...document.querySelectorAll(":is(.dml-figure, .dml-panel, .dml-scene-stage) :is(svg, canvas)")]
    .filter((picture) => picture.checkVisibility())
    .filter((picture) => picture.getBoundingClientRect().right > innerWidth || picture.matches(".main-svg:not([viewBox])"))
    .map((picture) => picture.outerHTML.slice(0, 100));
}"""
WITHOUT_WORDS = """() => [...document.querySelectorAll("[role=img]:has(.main-svg, .dml-scene-units), [role=figure]")]
  .map((figure) => figure.getAttribute("aria-label") ?? "")
  .filter((words) => !/\\d/.test(words))"""
# How far the menu covers the row of the title.
COVERED = """() => Math.max(0, document.querySelector("header").getBoundingClientRect().bottom -
  document.querySelector(".st-key-title button").getBoundingClientRect().top)"""
# Pages without figures, as they are opened: all is shown, larger.
WHOLE = ("/votes", "/lesson", "/reference", "/gallery", "/compose", "/your_data", "/name_that_loss")
# Pages on whose presented figures no two texts touch: a scene with knobs, panels, planes, a run and a race.
FIGURES = {"gradients": "gradients-panels", "train": "train", "fastap": "fastap", "pairs": "pairs-planes", "race": "race"}
PRESENTED = dict(sample(FIGURES.items(), 1))
# Pages whose texts alone are measured as they are presented: a long text, one without figures, a recorded run.
READ = sample(("lesson", "votes", "papers"), 1)
# Pages whose letters grow on a large screen as those of all others do.
GROWS = sample(("angular", "", "papers"), 1)
SCROLLED = ("scrollable-region-focusable",)  # formulas are moved by a finger on a phone
WALL = Screen(1280, 720)
# The texts that are seen smaller than 20 px, or a word on there being none at all.
TOO_SMALL = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.querySelector("[data-testid=stMain]"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const own = node.parentElement;
    if (!node.textContent.trim() || !own.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (own.closest("style, title, option, .katex-mathml, [hidden]")) continue;
    let times = own.currentCSSZoom ?? 1;
    for (let up = own; up; up = up.parentElement) {
      const { transform } = getComputedStyle(up);
      if (transform !== "none" && !up.closest("svg")) times *= new DOMMatrix(transform).a;
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    const { width, height, top } = range.getBoundingClientRect();
    if (width < 2 || height < 2 || top > innerHeight) continue;
    found.push([Math.round(10 * times * parseFloat(getComputedStyle(own).fontSize)) / 10, node.textContent.trim().slice(0, 40)]);
  }
  return found.length ? found.filter(([size]) => size < 20) : ["nothing is seen"];
}"""

FITS = """() => Math.max(...[document.documentElement, document.querySelector("[data-testid=stMain]")]
  .map(({ scrollWidth }) => scrollWidth - innerWidth)) <= 0"""
TOGETHER = """() => {
  const [rail, stage] = [".st-key-rail", ".dml-scene-stage"].map((name) => document.querySelector(name));
  if (!rail || !stage) return false;
  stage.scrollIntoView({ block: "end" });
  const [above, figure] = [rail, stage].map((node) => node.getBoundingClientRect());
  const slider = rail.querySelector("[data-testid=stSlider]").getBoundingClientRect();
  return slider.top >= 0 && slider.bottom <= above.bottom && figure.top >= above.bottom && figure.bottom <= innerHeight + 1;
}"""
MARKED = """() => [...document.querySelectorAll("[data-testid=stTopNav] > *")]
  .filter((item) => getComputedStyle(item).boxShadow !== "none").map((item) => item.innerText.trim())"""
# What is presented lies on the screen, whole: by how many px its picture does not.
SCENES = (*FIGURE[:3], ".dml-gradients", ".dml-figure")
CUT = f"""() => {{
  const main = document.querySelector("[data-testid=stMain]");
  const figure = {list(SCENES)}.map((name) => main.querySelector(name)).find((node) => node?.checkVisibility());
  if (!figure) return -1;
  const {{ right, bottom }} = figure.getBoundingClientRect();
  return Math.max(0, Math.round(right - innerWidth), Math.round(bottom - innerHeight));
}}"""


def sized(page: Page, screen: Screen) -> None:
    """The page on another screen, come to rest."""
    page.set_viewport_size({"width": screen.width, "height": screen.height})
    still(page)


def on_the_first_screen(page: Page, name: str) -> None:
    """A run has its picture there, a loss its figure and five knobs."""
    found = measured(page)
    assert found["begins"] <= 300
    assert found["ends"] <= LAPTOP.height
    if name in EXPLAINED:
        assert found["rows"] == 1, "presets are one line"
        assert found["knobs"] <= 5
        assert found["smallest"][0][0] >= 12


def in_high_contrast(page: Page, scheme: str) -> None:
    """Pictures keep the paper for which their colours are made, whatever the system's colours are."""
    page.emulate_media(forced_colors="active")
    comes_to(page, PAPERS, ["rgb(15, 18, 24)" if scheme == "dark" else "rgb(255, 255, 255)"])
    page.emulate_media(forced_colors="none")


def on_paper(page: Page) -> None:
    """Pictures drawn for a laptop are as narrow as the paper, though nothing is drawn anew, and the menu is not on it."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4, "height": LAPTOP.height})
    comes_to(page, CUT_ON_PAPER, [])
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")


def on_a_large_screen(page: Page) -> None:
    """Letters grow, and the figure still begins within 300 px, below the whole title."""
    page.set_viewport_size({"width": LARGE.width, "height": LARGE.height})
    expect(page.locator("html")).to_have_css("font-size", "18px")
    still(page)
    assert measured(page)["begins"] <= 300
    comes_to(page, COVERED, 0)


def presented(page: Page, address: str) -> None:
    """Every text can be read from the last row; of some pages on two screens, where no two texts touch."""
    expect(page.locator("html[data-dml-presents=page]")).to_be_attached()
    page.keyboard.press("Alt+p")
    expect(page.get_by_role("button", name="Leave the presentation")).to_be_visible()
    if address not in WHOLE:
        expect(page.get_by_role("heading", level=1)).to_be_hidden()
    name = address.removeprefix("/")
    main = str(page.locator("html").get_attribute("data-dml-presents")).split()
    figure = PRESENTED.get(name, "")
    if figure in main:
        without_faults(page, figure)
    sized(page, WALL)
    comes_to(page, TOO_SMALL, [])
    if address not in WHOLE:
        comes_to(page, CUT, 0)
    if figure and figure not in main:
        present(page, name, figure)
        without_faults(page, figure)


def without_faults(page: Page, figure: str) -> None:
    """The figure that is presented is large on both screens, and no two texts touch."""
    for screen in (LARGE, WALL):
        sized(page, screen)
        rest(page)
        assert not faults(page, figure), (screen, figure)


def marked(page: Page, name: str) -> None:
    """The menu shows where the page is, and so do its tabs."""
    own = whole_of_page(name)
    comes_to(page, MARKED, [section_of(name) or own.title])
    if own.tabs:
        expect(page.locator(".st-key-tabs a")).to_have_text([*own.tabs.values()])
        expect(page.locator(".st-key-tab-here a")).to_have_text(own.tabs[name])


def every_page_is_in_the_menu(page: Page) -> None:
    expect(page.get_by_test_id("stTopNavLink").first).to_be_visible()
    shown = page.get_by_test_id("stTopNavLink").count()
    for section in page.get_by_test_id("stTopNavSection").all():
        section.click()
        expect(page.get_by_test_id("stTopNavDropdownLink").first).to_be_visible()
        shown += page.get_by_test_id("stTopNavDropdownLink").count()
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("stTopNavDropdownLink")).to_have_count(0)
    assert shown == sum(page_in_menu(url) == url for url in titles())


def on_a_phone(page: Page, name: str) -> None:
    """A slider is in sight together with its figure, and only the lines of presets and knobs scroll sideways."""
    if name in ("ranked_list", "proxies"):
        found = measured(page)
        assert set(found["sideways"]) <= {"st-key-presets", "st-key-rail"}
        assert found["rows"] == 1
        assert found["smallest"][0][0] >= 12
        holds(page, TOGETHER)


@pytest.fixture(scope="module")
def tour(profile: BrowserContext, server: Server) -> Iterator[Page]:
    """A tab that goes from page to page, so that Streamlit's scripts are read once."""
    yield profile.new_page()
    forget(profile, server)


@pytest.fixture
def page(tour: Page) -> Iterator[Page]:
    tour.emulate_media(reduced_motion="reduce")  # recorded runs show a step, instead of playing while the page is measured
    with minded(tour) as tab:
        yield tab


def opened(page: Page, address: str, scheme: Literal["light", "dark"]) -> None:
    """The page at ``address``, as by a click; by its address in other colours, after a presented page, or one of its title."""
    name, before = address.removeprefix("/"), urlsplit(page.url)
    # A page that draws itself anew in other colours may lose a click.
    is_first = before.scheme == "about" or not page.evaluate(IS_DARK, scheme == "dark")
    page.emulate_media(color_scheme=scheme)
    if is_first or "present=" in before.query or whole_of_page(before.path.strip("/")) == whole_of_page(name):
        page.goto(address)
    else:
        travel(page, address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    if name in PICTURED:
        page.locator(", ".join(FIGURE)).first.wait_for()
    holds(page, "() => document.fonts.status === 'loaded'")


def on_a_laptop(page: Page, name: str) -> None:
    """The menu and the tabs say where the page is, and its picture is on the first screen."""
    expect(page.get_by_test_id("stTopNavSection")).to_have_count(len(SECTIONS) - 1)
    marked(page, name)
    if not name:
        every_page_is_in_the_menu(page)
    if name in PICTURED:
        on_the_first_screen(page, name)


@pytest.mark.parametrize("visit", VISITS, ids=str)
def test_page_opens_on_a_laptop_and_a_phone_without_a_fault_accessibly(page: Page, visit: Visit) -> None:
    address, name = visit.address, visit.address.removeprefix("/")
    page.set_viewport_size({"width": LAPTOP.width, "height": LAPTOP.height})
    opened(page, address, visit.scheme)
    holds(page, IS_DARK, arg=visit.scheme == "dark")
    for screen in (LAPTOP, PHONE):
        sized(page, screen)
        expect(page.get_by_test_id("stAlert").filter(has_text="an error in the app")).to_have_count(0)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        comes_to(page, FITS, True)
        comes_to(page, WITHOUT_WORDS, [])  # every figure says in words, with numbers, what it shows
        (on_a_laptop if screen == LAPTOP else on_a_phone)(page, name)
        if screen == LAPTOP and name in PICTURED:
            in_high_contrast(page, visit.scheme)
            on_paper(page)
            sized(page, LAPTOP)
        if screen == visit.reads:
            assert grave(page, without=() if screen == LAPTOP else SCROLLED, rests=False) == []
    for width in TABLETS:
        page.set_viewport_size({"width": width, "height": LAPTOP.height})
        comes_to(page, FITS, True)
    if name in GROWS:
        on_a_large_screen(page)
    if name in (*PRESENTED, *READ):
        presented(page, address)
