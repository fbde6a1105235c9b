"""A page on a telephone, by the measures of `tests.space`; other screens are those of `test_every_page`."""

from playwright.sync_api import Browser

from tests.served import Server
from tests.space import PHONE, measured, on, ready

BOTH = """() => {
  const [rail, stage] = [".st-key-rail", ".dml-scene-stage"].map((name) => document.querySelector(name));
  if (!rail || !stage) return false;
  stage.scrollIntoView({ block: "end" });
  const [above, figure] = [rail, stage].map((node) => node.getBoundingClientRect());
  const slider = rail.querySelector("[data-testid=stSlider]").getBoundingClientRect();
  return slider.top >= 0 && slider.bottom <= above.bottom && figure.top >= above.bottom && figure.bottom <= innerHeight + 1;
}"""


def test_a_phone_shows_slider_and_figure_together_and_only_the_lines_of_presets_and_knobs_scroll_sideways(
    browser: Browser, server: Server
) -> None:
    with on(browser, server.url, PHONE) as page:
        for address in ("ranked_list", "proxies"):
            ready(page, address)
            found = measured(page)
            assert found["overflow"] == 0
            assert set(found["sideways"]) <= {"st-key-presets", "st-key-rail"}
            assert found["rows"] == 1
            assert found["smallest"][0][0] >= 12
            page.wait_for_function(BOTH)
