"""From a slider's move to its figures repainted, in a browser (``python -m benchmarks.slider``).

A key moves a slider by one, which is timed until the last of the figures on the screen is painted again, or is answered to
be the same. Also printed: how many figures the browser requests at each move; figures outside the screen are not computed.
"""

import statistics
import sys

from playwright.sync_api import Page, expect

from tests import chromium

MOVES = 21
TARGET = 150.0  # ms at the median
WAIT = 60_000.0  # ms, on a machine that is busy with something else
RUN = "?subject=live+run&run.steps=200&step=200"
SUBJECTS = {
    "FastAP, a scene": ("/fastap", "bins"),
    "FastAP, 250 points of a run": (f"/fastap{RUN}", "bins"),
    "Angular, a scene": ("/angular", "alpha"),
    "Angular, 250 points of a run": (f"/angular{RUN}", "alpha"),
    "Proxies, a scene": ("/proxies", "alpha"),
    "Proxies, 250 points of a run": (f"/proxies{RUN}", "alpha"),
    "Ranked List, 250 points of a run": (f"/ranked_list{RUN}", "alpha"),
    "Pairs, 250 points of a run": (f"/pairs{RUN}", "margin"),
}

# A figure that a slider does not change is not painted again: what counts is that the browser knows it.
ANSWERS = """
  const [answered, ask] = [new Map(), fetch];
  window.moved = { key: 0, painted: new Map() };
  window.fetch = async (address, ...given) => {
    const answer = await ask(address, ...given);
    const name = /figures\\/([^/]+)/.exec(address)?.[1];
    if (name && answer.status === 200) {
      const text = await answer.clone().text();
      if (answered.get(name) === text) moved.painted.set(name, performance.now());
      answered.set(name, text);
    }
    return answer;
  };
"""
LISTEN = """() => {
  document.addEventListener("keydown", () => { moved.key = performance.now(); moved.painted.clear(); }, true);
  window.seen = [...document.querySelectorAll(".js-plotly-plot")].filter((chart) => {
    const { top, bottom } = chart.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });
  for (const [k, chart] of seen.entries()) {
    chart.on("plotly_afterplot", () => requestAnimationFrame(() => moved.painted.set(k, performance.now())));
  }
  return seen.length;
}"""
DRAWN = """() => {
  const figures = [...document.querySelectorAll(".dml-figure")];
  const near = figures.filter((figure) => figure.getBoundingClientRect().top < innerHeight);
  return figures.length > 0 && near.every((figure) => figure.querySelector(".main-svg"));
}"""
REPAINTED = "() => moved.painted.size >= seen.length"
TOOK = "() => [...moved.painted.values()].sort((a, b) => a - b)[seen.length - 1] - moved.key"


def repaints(page: Page, address: str, knob: str) -> tuple[list[float], int, float]:
    """The milliseconds of each move until the figures on the screen are painted, their number, and that of figures requested."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/figures/" in request.url else None)
    page.add_init_script(ANSWERS)
    page.goto(address)
    slider = page.get_by_role("slider", name=knob).first
    expect(slider).to_be_visible()
    page.wait_for_function(DRAWN)
    training = page.get_by_role("main").get_by_role("button", name="Pause", exact=True)
    expect(training).to_have_count(0)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    seen = page.evaluate(LISTEN)
    took, before = [], len(asked)
    for move in range(MOVES):
        slider.focus()
        slider.press("ArrowLeft" if move % 2 else "ArrowRight")  # never beyond an end of the slider
        page.wait_for_function(REPAINTED)
        if seen:
            took.append(page.evaluate(TOOK))
    return took, seen, (len(asked) - before) / MOVES


def main() -> int:
    """Print the times and whether the medians meet the target; return 1 if one does not."""
    late = 0
    expect.set_options(timeout=WAIT)
    with chromium.beside_the_app() as (browser, url):
        print(
            f"{'page and points':33} {'on the screen':>13} {'asked for':>10} {'median ms':>10} {'slowest ms':>11}   of {TARGET:g}"
        )
        for name, (address, knob) in SUBJECTS.items():
            with browser.new_context(base_url=url, viewport={"width": 1366, "height": 768}) as context:
                took, seen, asked = repaints(context.new_page(), address, knob)
            median = statistics.median(took) if took else 0.0
            late += median > TARGET
            print(f"{name:33} {seen:13} {asked:10.1f} {median:10.0f} {max(took, default=0.0):11.0f}")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
