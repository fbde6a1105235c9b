"""Charts that are moved show what they were last given, whatever they were given before."""

from playwright.sync_api import Page, expect

# A line and dots, given points, then none while the chart is drawn anew, as of a run that begins again, then points.
GIVEN = """async () => {
  const { Chart } = await import("/live-assets/1/src/plot/chart.js");
  const { dots, line } = await import("/live-assets/1/src/plot/layout.js");
  const { plotly } = await import("/live-assets/1/src/plot/library.js");
  await plotly();
  const box = document.body.appendChild(document.createElement("div"));
  box.style = "position: fixed; inset: 0 auto auto 0; width: 300px; height: 200px";
  const layout = () => ({ xaxis: {}, margin: { l: 0, r: 0, t: 0, b: 0 } });
  const build = () => ({ traces: [line({ line: { width: 2 } }), dots({})], layout: layout() });
  const chart = new Chart(plotly(), box, build);
  chart.node.style = "height: 100%";
  await 0; // the library is handed over
  const shown = [];
  for (const count of [3, 0, 5, 1, 4]) {
    const x = Float32Array.from({ length: count }, (_, k) => k);
    if (count < 3) [0, 1].forEach(() => chart.rebuild(false)); // what is given meanwhile is drawn with the second
    chart.move([[0, { x, y: x.map((k) => k % 2) }], [1, { x, y: x }]]);
    chart.range("xaxis", [0, Math.max(count, 1)]);
    await chart.idle();
    const segments = chart.node.querySelector(".js-line")?.getAttribute("d").match(/[LHV]/g) ?? [];
    shown.push([segments.length, chart.node.querySelectorAll(".point").length]);
  }
  chart.close();
  box.remove();
  return shown;
}"""


def test_a_chart_that_had_no_points_for_a_while_draws_those_that_it_is_given_then(page: Page) -> None:
    page.goto("/reference")
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    assert page.evaluate(GIVEN) == [[2, 3], [0, 0], [4, 5], [0, 1], [3, 4]]
