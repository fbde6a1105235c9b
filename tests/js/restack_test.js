// Figures in less height than they were made for.
import { restacked } from "../../assets/src/plot/restack.js";

const NAMES = [..."abcdefg"].map((letter) => `loss ${letter}`);
const BARS = {
  type: "bar",
  x: [1, 2, 3, 4, 5, 6, 7],
  y: NAMES,
  text: NAMES,
  marker: { color: [..."7654321"], size: 9 },
};
const LAYOUT = {
  height: 300,
  margin: { t: 20, b: 40, l: 50, r: 10 },
  xaxis: { title: { text: "cosine" }, range: [0, 8] },
  yaxis: { dtick: 1, automargin: true },
  annotations: [],
};

function same(one, other) {
  if (JSON.stringify(one) !== JSON.stringify(other)) {
    throw new Error(`${JSON.stringify(one)} is not ${JSON.stringify(other)}`);
  }
}

Deno.test("names that would touch stand in two columns, each with its own values, and none is left out", () => {
  const { data, layout } = restacked([BARS], LAYOUT, 600, 160);
  same(data.map(({ y }) => y), [NAMES.slice(3), NAMES.slice(0, 3)]);
  same(data.map(({ x }) => x), [[4, 5, 6, 7], [1, 2, 3]]);
  same(data.map(({ marker }) => marker.color.join("")), ["4321", "765"]);
  same([layout.yaxis.categoryarray, layout.yaxis99.categoryarray], [NAMES.slice(3), NAMES.slice(0, 3)]);
  const [[, end], [start]] = [layout.xaxis.domain, layout.xaxis99.domain];
  if (!(end < start)) throw new Error("the columns lie on each other");
  same(layout.annotations.map(({ text }) => text), ["cosine"]);
});

Deno.test("names with room enough stay in one column", () => {
  const { data, layout } = restacked([BARS], LAYOUT, 600, 200);
  same([data, layout], [[BARS], LAYOUT]);
});

Deno.test("labels of one place are moved apart, in their order and within the axis, and others stay", () => {
  const label = (y, more) => ({ text: String(y), x: 3, y, showarrow: false, ...more });
  const annotations = [label(4), label(5), label(1, { x: 0 }), label(1, { yref: "paper" }), label(4.5)];
  const { layout } = restacked([], { ...LAYOUT, yaxis: { range: [0, 10] }, annotations }, 600, 160);
  const [low, high, alone, paper, middle] = layout.annotations.map(({ y }) => y);
  same([alone, paper], [1, 1]);
  same([high, middle, low].map((y) => Math.round(10 * y) / 10), [6, 4.5, 3]);
});

Deno.test("rows share what is left of the height, and the gaps between them stay as high as they were", () => {
  const rows = { yaxis: { domain: [0.6, 1] }, yaxis2: { domain: [0, 0.4] } };
  const { layout } = restacked([], { height: 500, margin: { t: 0, b: 0 }, xaxis: {}, ...rows }, 600, 300);
  const [upper, lower] = [layout.yaxis.domain, layout.yaxis2.domain].map((domain) => domain.map((share) => share * 300));
  same([upper, lower].flat().map(Math.round), [200, 300, 0, 100]);
});
