/** The figures of rows over each other, laid into less height than they were made for, where a page is presented. */

import { axesIn } from "./layout.js";

const SHORTEST = 24; // px of a row; where rows would be lower, they stand in two columns
const LINE = 15; // px from a name to the next
const TALL = 12; // px of a bar with its gap, in which a number can be read
const TITLE = 24; // px from an axis to its title
const APART = 0.07; // of the width, between the two columns
const [FEW, FEWER] = [80, 50]; // px of a row with at most three ticks, and with at most two
const LETTER = 6.4; // px of a heading's letter, about
const SECOND = "99"; // of the x axis of the first column

/** The traces and the layout for `tall` px, in a picture `wide` px wide: gaps between the rows, which hold headings and ticks,
 * stay as high as they are, and rows share the rest. A figure of one row, or with room enough, is returned as it is.
 * @param {Trace[]} data @param {Layout} layout @param {number} wide @param {number} tall @returns {PlotlyFigure} */
export function restacked(data, layout, wide, tall) {
  const { t = 0, b = 0, l = 0, r = 0 } = layout.margin ?? {};
  const [before, inside] = [layout.height - t - b, tall - t - b];
  const rows = rowsOf(layout);
  if (!(inside < before) || inside <= 0) return { data, layout };
  if (rows.length < 2) return named(data, { ...layout, annotations: spread(layout, inside) }, wide - l - r, inside);
  const one = mapping(rows, before, inside);
  const shared = axesIn(layout, "x").length === 1;
  if (one.least >= SHORTEST || !shared || rows.length < 4) {
    return { data, layout: moved(layout, () => one.to, inside) };
  }
  const half = Math.ceil(rows.length / 2);
  const [first, second] = [rows.slice(0, half), rows.slice(half)].map((some) => mapping(some, before, inside));
  return inColumns(data, layout, first, second, rows[half - 1], wide - l - r, inside);
}

/** @typedef {{low: number, high: number, axes: AxisName[]}} Row */
/** @typedef {ReturnType<typeof mapping>} Mapping */

// The annotations of a figure of one row, those of one place on the x axis apart from each other, about where they were.
/** @param {Layout} layout @param {number} inside */
function spread({ annotations = [], yaxis }, inside) {
  if (!yaxis?.range) return annotations;
  const [low, high] = yaxis.range;
  const out = [...annotations];
  /** @param {number} k */ const at = (k) => annotations[k].y;
  const groups = Map.groupBy(annotations.keys(), (k) => annotations[k].yref ? null : annotations[k].x);
  groups.delete(null);
  for (const places of groups.values()) {
    const sorted = places.sort((one, other) => at(other) - at(one));
    const apart = Math.min(LINE / inside, 1 / sorted.length) * (high - low);
    let above = Infinity;
    const moved = sorted.map((k) => above = Math.min(at(k), above - apart));
    const mean = sorted.reduce((sum, k, order) => sum + at(k) - moved[order], 0) / sorted.length;
    const shift = Math.max(low + apart / 2 - moved.at(-1), Math.min(mean, high - apart / 2 - moved[0]));
    for (const [order, k] of sorted.entries()) out[k] = { ...annotations[k], y: moved[order] + shift };
  }
  return out;
}

/** @param {Trace["y"]} column @returns {column is string[]} */ function isNames(column) {
  return Array.isArray(column) && typeof column[0] === "string";
}

// Names on a vertical axis that would touch in one column stand in two, the upper half of them in the first.
/** @param {Trace[]} data @param {Layout} layout @param {number} wide @param {number} inside */
function named(data, layout, wide, inside) {
  const names = [...new Set(data.flatMap(({ y }) => (isNames(y) ? y : [])))];
  if (layout.yaxis?.dtick !== 1 || names.length * LINE <= inside) return { data, layout };
  if (data.some(({ x, y }) => !Array.isArray(x) || !Array.isArray(y))) return { data, layout };
  const half = Math.floor(names.length / 2);
  const lower = new Set(names.slice(0, half));
  const between = (Math.max(...names.map(({ length }) => length)) * LETTER) / wide;
  const width = (1 - between) / 2;
  const { title, ...xaxis } = layout.xaxis;
  const { automargin: _automargin, ...yaxis } = layout.yaxis;
  const below = { text: title?.text, x: 0.5, y: 0, xref: "paper", yref: "paper", yanchor: "top", yshift: -TITLE };
  const columns = {
    xaxis: { ...xaxis, domain: [0, width] },
    yaxis: { ...layout.yaxis, categoryarray: names.slice(half) },
    [`xaxis${SECOND}`]: { ...xaxis, domain: [1 - width, 1], anchor: `y${SECOND}` },
    [`yaxis${SECOND}`]: { ...yaxis, categoryarray: names.slice(0, half), anchor: `x${SECOND}` },
    annotations: [...layout.annotations ?? [], { ...below, showarrow: false }],
  };
  const bare = inside / (names.length - half) < TALL ? { textposition: "none" } : {};
  const traces = data.map((trace) => trace.type === "bar" ? { ...trace, ...bare } : trace).flatMap((trace) => [
    partOf(trace, (name) => !lower.has(name)),
    { ...partOf(trace, (name) => lower.has(name)), xaxis: `x${SECOND}`, yaxis: `y${SECOND}` },
  ]);
  return { data: traces, layout: { ...layout, ...columns } };
}

// A trace, or a part of one, with the values of those of its points whose name is to be kept.
/** @template {object} T @param {T} trace @param {(name: string) => boolean} accepts @param {string[]} names @returns {T} */
function partOf(trace, accepts, names = /** @type {{y?: string[]}} */ (trace).y) {
  /** @param {[string, unknown]} entry */ const some = ([key, value]) => {
    if (Array.isArray(value) && value.length === names.length) return [key, value.filter((_, k) => accepts(names[k]))];
    return [key, value?.constructor === Object ? partOf(/** @type {object} */ (value), accepts, names) : value];
  };
  return /** @type {T} */ (Object.fromEntries(Object.entries(trace).map(some)));
}

/** The names of the vertical axes that have a part of the height. @param {Layout} layout */
function verticalAxes(layout) {
  return axesIn(layout, "y").filter((name) => layout[name].domain);
}

/** The intervals of the vertical axes, from the top down, with the axes in each. @param {Layout} layout */
function rowsOf(layout) {
  /** @type {Row[]} */ const rows = [];
  for (const name of verticalAxes(layout).sort((one, other) => layout[other].domain[1] - layout[one].domain[1])) {
    const [low, high] = layout[name].domain;
    const last = rows.at(-1);
    if (last && high > last.low) {
      last.low = Math.min(last.low, low);
      last.axes.push(name);
    } else rows.push({ low, high, axes: [name] });
  }
  return rows;
}

// Where a share of the height that is in or above one of `rows` comes to lie; `least` is the height of the lowest row, in px.
/** @param {Row[]} rows @param {number} before @param {number} inside */
function mapping(rows, before, inside) {
  const gaps = rows.slice(1).map((row, k) => (rows[k].low - row.high) * before);
  const left = inside - gaps.reduce((sum, gap) => sum + gap, 0);
  const all = rows.reduce((sum, { low, high }) => sum + high - low, 0);
  const scale = left / all;
  /** @type {{low: number, high: number, top: number, bottom: number}[]} */ const places = [];
  let top = inside;
  for (const [k, { low, high }] of rows.entries()) {
    places.push({ low, high, top, bottom: top - (high - low) * scale });
    top = places[k].bottom - (gaps[k] ?? 0);
  }
  /** @param {number} share */ const to = (share) => {
    const at = places.find(({ low }) => share >= low - 1e-9) ?? places.at(-1);
    if (share > at.high) return (at.top + (share - at.high) * before) / inside;
    if (share < at.low) return (at.bottom - (at.low - share) * before) / inside;
    return (at.bottom + ((share - at.low) / (at.high - at.low || 1)) * (at.top - at.bottom)) / inside;
  };
  return {
    to,
    least: Math.min(...places.map((place) => place.top - place.bottom)),
    /** @param {number} share */
    holds: (share) => share >= rows.at(-1).low - 1e-9,
  };
}

/** @param {Layout} layout @param {(share: number) => (share: number) => number} mapOf @param {number} inside */
function moved(layout, mapOf, inside) {
  /** @param {Annotation} part */ const vertical = (part) => {
    if (part.yref !== "paper") return part;
    const changed = { ...part };
    for (const name of /** @type {const} */ (["y", "y0", "y1"])) {
      if (typeof part[name] === "number") changed[name] = mapOf(part[name])(part[name]);
    }
    return changed;
  };
  /** @type {Layout} */
  const out = { ...layout, annotations: layout.annotations?.map(vertical), shapes: layout.shapes?.map(vertical) };
  for (const name of verticalAxes(layout)) {
    const axis = layout[name];
    const to = mapOf(axis.domain[0]);
    const domain = axis.domain.map((share) => Math.min(1, Math.max(0, to(share))));
    const high = (domain[1] - domain[0]) * inside;
    const nticks = high < FEWER ? 2 : high < FEW ? 3 : axis.nticks;
    const ticks = high < SHORTEST ? { showticklabels: false } : nticks && !axis.tickvals ? { nticks } : {};
    out[name] = { ...axis, domain, ...ticks };
  }
  return out;
}

/** @param {Trace[]} data @param {Layout} layout @param {Mapping} first @param {Mapping} second @param {Row} last
 * @param {number} wide @param {number} inside */
function inColumns(data, layout, first, second, last, wide, inside) {
  /** @param {number} share */ const of = (share) => first.holds(share) ? first : second;
  const out = moved(layout, (share) => of(share).to, inside);
  const width = (1 - APART) / 2;
  const letters = Math.floor((wide * width) / LETTER);
  const left = new Set(verticalAxes(layout).filter((name) => first.holds(layout[name].domain[0])));
  /** @param {string} ref */
  const isLeft = (ref) => left.has(/** @type {AxisName} */ (String(ref ?? "y").replace(/ domain$/, "").replace("y", "yaxis")));
  const axis = { ...layout.xaxis };
  if (axis.ticktext) axis.ticktext = axis.ticktext.map((text) => String(text).split("<br>")[0]);
  out.xaxis = { ...axis, domain: [1 - width, 1] };
  out[`xaxis${SECOND}`] = { ...axis, domain: [0, width], anchor: last.axes[0].replace("axis", ""), matches: "x" };
  for (const name of left) out[name].anchor = `x${SECOND}`;
  /** @param {Annotation} part @param {Annotation} before */ const across = (part, before) => {
    const paper = before.yref === "paper";
    const here = paper ? first.holds(before.y ?? before.y0) : isLeft(before.yref);
    const changed = { ...part };
    if (before.xref === "paper") {
      for (const name of /** @type {const} */ (["x", "x0", "x1"])) {
        if (typeof part[name] === "number") changed[name] = (here ? 0 : 1 - width) + part[name] * width;
      }
      if (typeof part.text === "string") changed.text = shortened(part.text, letters);
    } else if (here) changed.xref = String(before.xref ?? "x").replace("x", `x${SECOND}`);
    return changed;
  };
  for (const name of /** @type {const} */ (["annotations", "shapes"])) {
    out[name] = out[name]?.map((part, k) => across(part, layout[name][k]));
  }
  const traces = data.map((trace) => isLeft(trace.yaxis) ? { ...trace, xaxis: `x${SECOND}` } : trace);
  return { data: traces, layout: out };
}

// The beginning of a heading, up to a comma, a colon or the like, with at most so many letters; tags do not count.
/** @param {string} text @param {number} letters */ function shortened(text, letters) {
  /** @param {string} part */ const bare = (part) => part.replace(/<[^>]*>/g, "").length;
  let head = text;
  while (bare(head) > letters) {
    const cut = Math.max(...[";", ",", ":", " → ", " ("].map((mark) => head.lastIndexOf(mark)));
    if (cut <= 0) break;
    head = head.slice(0, cut);
  }
  return head + (head.match(/<(b|i|span)\b[^>]*>/g) ?? []).slice((head.match(/<\/(b|i|span)>/g) ?? []).length)
    .map((tag) => `</${tag.slice(1).match(/\w+/)[0]}>`).reverse().join("");
}
