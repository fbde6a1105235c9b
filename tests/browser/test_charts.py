"""Charts that are moved show what they were last given, whatever they were given before."""

import math

import pytest
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

# Places of the words of a chart whose box is as small as a page that changes its layout makes it for a moment.
SQUEEZED = """async () => {
  const { Chart } = await import("/live-assets/1/src/plot/chart.js");
  const { dots } = await import("/live-assets/1/src/plot/layout.js");
  const { plotly } = await import("/live-assets/1/src/plot/library.js");
  const box = document.body.appendChild(document.createElement("div"));
  box.style = "position: fixed; inset: 0 auto auto 0; width: 10px; height: 10px";
  const title = { text: "share", standoff: 4 };
  const layout = { xaxis: { title }, yaxis: { title }, margin: { l: 40, r: 10, t: 13, b: 30 } };
  await plotly();
  const chart = new Chart(plotly(), box, () => ({ traces: [dots({ x: [1, 2], y: [1, 2] })], layout }));
  chart.node.style = "height: 100%";
  await 0;
  await chart.idle();
  const words = chart.node.querySelectorAll(".xtitle, .ytitle");
  const places = [...words].flatMap((word) => [word.getAttribute("x"), word.getAttribute("y")]);
  chart.close();
  box.remove();
  return places;
}"""

# Marks and lines of every kind of style in turn on one chart, each beside a chart of its own: what differs, and how many.
REDRAWN = """async () => {
  const Plotly = await (await import("/live-assets/1/src/plot/library.js")).plotly();
  const one = { type: "scatter", mode: "markers", x: [1, 2, 3], y: [1, 3, 2], marker: { color: "#123456", size: 9 } };
  const styled = (marker) => ({ ...one, marker: { ...one.marker, ...marker } });
  const stems = (line) => ({ type: "scatter", mode: "lines", x: [1, 1, null, 2, 2], y: [0, 1, null, 0, 2], line });
  const states = [
    [one], [one], [styled({ color: ["red", "green", "blue"] })], [styled({ color: [0, 1, 2], colorscale: "Viridis" })],
    [styled({ symbol: ["circle", "x-open", "star"], size: [5, 9, 20] })], [styled({ opacity: [0.1, 0.5, 1] })],
    [styled({ line: { width: 3, color: ["red", "green", "blue"] } })], [styled({ line: { width: [0, 2, 5], color: "blue" } })],
    [styled({ symbol: "circle-open", line: { width: 2, dash: "dot" } })], [{ ...one, x: [3, 2, 1] }], [styled({ angle: 40 })],
    [{ type: "bar", x: [1, 2, 3], y: [1, 2, 1], marker: { color: ["red", "rgba(0, 0, 255, .4)", "blue"] } }, one],
    [{ ...one, mode: "lines+markers", customdata: [[1], [2], [3]] }], [one, styled({ color: "red" })],
    [styled({ color: "red" }), one], [stems({ color: "blue" })], [stems({ color: "rgba(0, 0, 255, .4)" })],
    [stems({ color: "blue", dash: "dot", shape: "hv" })], [one, stems({ color: "red" })],
  ];
  const boxes = [0, 1].map(() => document.body.appendChild(document.createElement("div")));
  const look = (mark) => {
    const { fill, fillOpacity, opacity, stroke, strokeDasharray, strokeOpacity, strokeWidth } = getComputedStyle(mark);
    const edge = strokeWidth === "0px" ? [] : [stroke, strokeDasharray, strokeOpacity, strokeWidth];
    return [mark.getAttribute("d"), mark.getAttribute("transform"), fill, fillOpacity, opacity, ...edge];
  };
  const marks = (box) => [...box.querySelectorAll(".point, .point path, .js-line")].map((mark) => look(mark).join(" "));
  const [different, counts] = [[], []];
  for (const [k, data] of states.entries()) {
    await Plotly.react(boxes[0], structuredClone(data), { width: 300, height: 200 });
    await Plotly.newPlot(boxes[1], structuredClone(data), { width: 300, height: 200 });
    const [again, anew] = boxes.map(marks);
    again.forEach((mark, i) => mark !== anew[i] && different.push([k, mark, anew[i]]));
    counts.push(anew.length === again.length && anew.length);
  }
  boxes.forEach((box) => box.remove());
  return [different, counts];
}"""


# The ranges of the x axis of a figure that is given points, then the range of what is to come, then points there.
FOLLOWED = """async () => {
  const { mount } = await import("/live-assets/1/src/components/figure.js");
  const { show } = await import("/live-assets/1/src/host/mount.js");
  const box = document.body.appendChild(document.createElement("div"));
  const ranges = [];
  for (const [alt, x, xaxis] of [["a", [4, 100], { type: "log" }], ["b", [], { range: [20, 33] }], ["c", [20, 33], {}]]) {
    const figure = JSON.stringify({ data: [{ type: "scatter", mode: "lines", x, y: x }], layout: { xaxis, meta: { alt } } });
    show({ mount }, box, { figure, height: 200, theme: "light", link: null });
    const drawn = () => box.querySelector(".dml-figure")?._fullLayout?.meta.alt === alt;
    while (!drawn()) await new Promise((resolve) => setTimeout(resolve, 4));
    ranges.push(box.querySelector(".dml-figure")._fullLayout.xaxis.range);
  }
  box.remove();
  return ranges;
}"""


def test_a_chart_draws_what_it_is_given_whatever_it_drew_before(page: Page) -> None:
    page.goto("/reference")
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    assert page.evaluate(GIVEN) == [[2, 3], [0, 0], [4, 5], [0, 1], [3, 4]]
    places = page.evaluate(SQUEEZED)
    assert len(places) == 4
    assert all(math.isfinite(float(place)) for place in places)
    different, counts = page.evaluate(REDRAWN)
    assert not different, "drawn in place of another figure, it looks as it does anew"
    assert sorted({*counts[:-4]}) == [3, 4, 6, 9], "as many marks and lines as anew"
    assert counts[-4:] == [1, 2, 2, 5], "stretches are one line, but where they may show through one another, or have steps"
    logarithmic, *others = page.evaluate(FOLLOWED)
    assert [10**end for end in logarithmic] == pytest.approx([4, 100])
    assert others == [[20, 33], [20, 33]], "an axis without a range follows its data, also after one with a range"
