// The data of a figure as a table: a row for each point of each trace.

import { allowed } from "./allowed.js";
import declared from "./declared.js";
import { axesIn } from "../plot/layout.js";
/** @typedef {Record<string, unknown>} Row */

const { meaning: MEANING, traceLooks, lineLooks, markerLooks, axisLooks } = declared;
export const COLUMNS = Object.keys(MEANING).slice(3);
const FORMULA = /^[=+@\t\r-](?![\d.,e∞-]*$)/; // what spreadsheets compute, unless an apostrophe comes before it

/** Rows of full Plotly traces: {columns, rows, notes}; columns that no trace has are left out. @param {Trace[]} traces */
export function table(traces, layout = {}) {
  /** @type {Row[]} */ const rows = [];
  // Plotly counts a trace without a point as invisible.
  const seen = traces.filter(pointsOf).map((trace) => ({ ...trace, name: nameGiven(trace.name) }));
  seen.forEach((trace, k) => {
    const name = trace.name ?? "";
    const rowOf = (isGrid(trace) ? cell : point)(trace, layout);
    for (let i = 0; i < pointsOf(trace); i += 1) rows.push({ trace: k, name, point: i, ...rowOf(i) });
  });
  const filled = COLUMNS.filter((column) => rows.some((row) => row[column] !== undefined));
  const columns = [...Object.keys(MEANING).slice(0, 3), ...filled];
  const cells = rows.map((row) => columns.map((column) => /** @type {Cell} */ (row[column] ?? "")));
  return { columns, rows: cells, notes: notesOn(seen, layout, columns) };
}

// The meanings of columns of our own tables, by the words at their ends; the first that fits.
const OWN = [
  ["point", "number of the point or proxy"],
  ["class", "its class"],
  ["role", "its part in the loss, such as anchor or query"],
  ["racer", "letter of the racer"],
  ["loss", "the loss"],
  ["seeds", "how many seeds were trained"],
  ["steps trained", "batches trained on, by each seed"],
  ["step", "steps from the start"],
  ["seconds a seed", "seconds of training, of each seed"],
  ["rank", "place by similarity to the query, which has 0"],
  ["image", "number of the image among the points"],
  ["right", "1 for an image of the query's class"],
  ["active share", "share of the batch's points with a gradient"],
  ["active", "share of the batch's points with a gradient"],
  ["grad", "length of the loss's gradient at the embeddings of the batch"],
  ["batch", "images in the batch"],
  ["|g|", "length of the gradient"],
  ["value", "value of the loss"],
  ["within", "mean distance within classes"],
  ["between", "mean distance between classes"],
  ["map", "mean average precision"],
  ...["mean", "standard deviation", "lowest", "highest"].map((of) => [of, `${of} over the seeds`]),
  ...["x", "y", "z"].map((axis) => [`d/d${axis}`, `derivative of the loss along ${axis}`]),
  ...["x", "y", "z"].map((axis) => [axis, `coordinate ${axis} of the embedding`]),
];

/** A line for each of the columns that no note is about. @param {string[]} columns @param {string[]} notes */
function glossary(columns, notes) {
  /** @param {string} name */ const explained = (name) => notes.some((note) => note.startsWith(`column ${name}: `));
  /** @param {string} name @param {string} end */
  const endsIn = (name, end) => name.endsWith(end) && !/\w/.test(name.at(-1 - end.length) ?? "");
  /** @param {string} name */ const meaning = (name) => OWN.find(([end]) => endsIn(name, end))?.[1] ?? "as it is called";
  return columns.filter((name) => !explained(name)).map((name) => `column ${name}: ${meaning(name)}`);
}

/** A table, its cells apart by `separator`, below its recipe, caption and notes.
 * @param {TableData} table @param {Pick<FileAbout, "caption" | "recipe">} about @param {string} separator */
export function csv({ columns, rows, notes: tableNotes = [] }, { caption, recipe }, separator) {
  const notes = [...tableNotes, ...glossary(columns, tableNotes)];
  const lines = [columns, ...rows].map((row) => row.map((value) => field(value, separator)).join(separator));
  const head = allowed([caption, ...notes].join("\n")).split(/\r\n?|\n/).map((line) => `# ${line}`);
  return [`# dml-viz recipe: ${recipe}`, ...head, ...lines, ""].join("\r\n");
}

// What the columns mean, what each trace looks like, and the axes: enough to draw the figure again.
/** @param {Trace[]} traces @param {Layout} layout @param {string[]} columns */
function notesOn(traces, layout, columns) {
  /** @param {AxisName} name */
  const axisOf = (name) => ({ title: plain(nameGiven(layout[name].title?.text)), ...pick(layout[name], axisLooks) });
  const axes = Object.fromEntries(axesIn(layout).map((name) => [name, axisOf(name)]));
  /** @param {string} letter */ const named = (letter) => {
    const titles = Object.entries(axes).filter(([name, { title }]) => title && name[0] === letter);
    return [...new Set(titles.map(([, { title }]) => title))].join("; ");
  };
  /** @param {Trace} trace */ const look = (trace) => ({
    ...pick(trace, traceLooks),
    ...(trace.line && { line: pick(trace.line, lineLooks) }),
    ...(trace.marker && { marker: pick(trace.marker, markerLooks, true) }),
    name: plain(trace.name ?? ""),
  });
  return [
    ...columns.map((name) => `column ${name}: ${[MEANING[name], named(name)].filter(Boolean).join(", ")}`),
    ...traces.map((trace, k) => `trace ${k}: ${JSON.stringify(look(trace))}`),
    `layout: ${JSON.stringify({ ...axes, barmode: layout.barmode ?? "overlay" })}`,
  ];
}

/** @param {object} source @param {string[]} names */ function pick(source, names, single = false) {
  const values = /** @type {Record<string, unknown>} */ (source);
  const present = names.filter((name) => values[name] != null && !(single && typeof values[name] === "object"));
  return Object.fromEntries(present.map((name) => [name, values[name]]));
}

// Plotly's own names for traces and axes without a name are left out.
function nameGiven(text = "") {
  return /^(trace \d+$|Click to enter )/.test(text) ? "" : text;
}

/** @param {string} text */ function plain(text) {
  return text.replace(/<br>/g, " ").replace(/<sub>/g, "_").replace(/<[^>]*>/g, "");
}

/** @param {Trace} trace */ function isGrid({ type }) {
  return type === "heatmap" || type === "contour";
}

/** How many points a trace has. @param {Trace} trace */
export function pointsOf(trace) {
  if (isGrid(trace)) return trace.z.length * (trace.z[0]?.length ?? 0);
  return Math.max(0, ...["x", "y", "u"].map((name) => arrayOf(trace, name)?.length ?? 0));
}

/** @param {Trace} trace @param {Layout} layout @returns {(i: number) => Row} */
function point(trace, layout) {
  const columns = new Map(COLUMNS.map((name) => [name, arrayOf(trace, name)]));
  for (const letter of /** @type {const} */ (["x", "y"])) {
    const [called, values] = [names(trace, layout, letter), columns.get(letter)];
    if (called?.some((text, i) => numberIn(text) !== values[i])) columns.set(`${letter} name`, called);
  }
  return (i) => {
    const there = [...columns].filter(([, values]) => values && i < values.length);
    return Object.fromEntries(there.map(([name, values]) => [name, values[i] ?? ""]));
  };
}

/** @param {Trace} trace @param {Layout} layout @returns {(i: number) => Row} */
function cell(trace, layout) {
  const { x, y, z, meta } = trace;
  const [columns, rows] = [names(trace, layout, "x"), names(trace, layout, "y")];
  return (i) => {
    const wide = z[0].length;
    const [r, c] = [Math.floor(i / wide), i % wide];
    const named = columns && rows ? { column: columns[c], row: rows[r] } : {};
    const value = meta?.values && { value: meta.values[r][c] ?? "" };
    return { x: x?.[c] ?? c, y: y?.[r] ?? r, z: z[r][c] ?? "", ...named, ...value };
  };
}

// The tick labels of an axis at all places of a trace; null where one has none.
/** @param {Trace} trace @param {Layout} layout @param {"x" | "y"} letter */
function names(trace, layout, letter) {
  const axis = layout[/** @type {AxisName} */ ((trace[`${letter}axis`] ?? letter).replace(letter, `${letter}axis`))];
  const [ticks, words, values] = [axis?.tickvals, axis?.ticktext, arrayOf(trace, letter)];
  if (!ticks?.length || !words?.length || !values) return null;
  const named = new Map(Array.from(ticks, (tick, k) => [tick, plain(String(words[k]))]));
  const labels = Array.from(/** @type {ArrayLike<number>} */ (values), (value) => named.get(value));
  return labels.includes(undefined) ? null : labels;
}

/** @param {string} text */ function numberIn(text) {
  return Number(text.replaceAll(",", "").replace("−", "-"));
}

/** A trace without x or y counts from x0 or y0. @param {Trace} trace @param {string} name @returns {ArrayLike<Cell> | null} */
function arrayOf(trace, name) {
  const value = name === "size" ? trace.marker?.size : /** @type {Record<string, unknown>} */ (trace)[name];
  return Array.isArray(value) || ArrayBuffer.isView(value) ? /** @type {ArrayLike<Cell>} */ (value) : null;
}

/** @param {unknown} value @param {string} separator */ function field(value, separator) {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = allowed(String(value)).replace(/<br>/g, "; ").replace(/<[^>]*>/g, "").replace(FORMULA, "'$&");
  return /["\r\n#]/.test(text) || text.includes(separator) ? `"${text.replace(/"/g, '""')}"` : text;
}
