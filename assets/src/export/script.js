import { COLUMNS, pointsOf } from "./csv.js";
import declared from "./declared.js";
import { json } from "./html.js";
import { textOf } from "../host/assets.js";

const [DRAWN, UNSEEN, UNSEEN_LAYOUT] = [declared.redrawn, declared.unseenOfTrace, declared.unseenOfLayout].map((names) =>
  new Set(names)
);
const NO_LOOK = '{"data": [], "layout": {}}';

/** Whether the program draws `chart`, {data, layout} or null. @param {PlotlyFigure} chart */
export function redrawable(chart) {
  return Boolean(chart) && chart.data.every(({ type = "scatter" }) => DRAWN.has(type));
}

/** A program that draws a chart again from its CSV, as Python writes it (dml_viz/figure_files/formats/py.py, ipynb.py).
 * @param {string} name @param {string} figure @param {PlotlyFigure} chart @param {Pick<FileAbout, "caption" | "recipe">} about */
export async function script(name, figure, chart, { caption, recipe }) {
  if (!redrawable(chart)) throw new Error(`no script draws ${figure} again: it is a drawing, no chart`);
  const text = (await textOf("scripts/redraw.py")).replaceAll("FIGURE", figure).replace(NO_LOOK, () => look(chart));
  if (name === "py") return `# dml-viz recipe: ${recipe}\n${text}`;
  const cells = [
    { cell_type: "markdown", id: "words", metadata: {}, source: caption },
    {
      cell_type: "code",
      id: "redraw",
      metadata: {},
      outputs: /** @type {object[]} */ ([]),
      execution_count: /** @type {number | null} */ (null),
      source: text,
    },
  ];
  const kernelspec = { display_name: "Python 3", language: "python", name: "python3" };
  const metadata = { kernelspec, dml_viz_recipe: JSON.parse(recipe) };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

/** What the traces of a chart look like, without the numbers of its table, as JSON with a line for each trace and property.
 * @param {PlotlyFigure} chart */
export function look({ data, layout }) {
  const seen = Object.entries(layout).filter(([name, value]) => value !== undefined && !UNSEEN_LAYOUT.has(name));
  const lines = seen.map(([name, value]) => `${JSON.stringify(name)}: ${json(value)}`);
  const traces = data.filter(pointsOf).map((trace) => json(looksOf(trace)));
  return `{"data": [\n${traces.join(",\n")}\n], "layout": {\n${lines.join(",\n")}\n}}`;
}

/** @param {Trace} trace */ function looksOf(trace) {
  const { mode = "", texttemplate, textposition = "none" } = trace;
  const words = mode.includes("text") || texttemplate !== undefined || textposition !== "none";
  const properties = Object.entries(trace).filter(([name, value]) =>
    !UNSEEN.has(name) && (words || name !== "text") && !(COLUMNS.includes(name) && inTable(name, value))
  );
  const { marker } = trace;
  const { size, ...others } = marker ?? {};
  const markerLook = marker && { marker: inTable("size", size) ? others : marker };
  return { type: "scatter", ...Object.fromEntries(properties), ...markerLook };
}

// Whether the table has the values: numbers, as of words it has none of the marks.
/** @param {string} name @param {unknown} value */ function inTable(name, value) {
  if (name === "text" || !(Array.isArray(value) || ArrayBuffer.isView(value))) return false;
  return name === "z" || !Array.from(/** @type {ArrayLike<unknown>} */ (value)).some((item) => typeof item === "string");
}
