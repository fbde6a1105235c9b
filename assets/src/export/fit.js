// A Plotly figure laid out for another size than the screen's: words in lines that fit, rows that keep their gaps, small
// multiples in fewer columns.

import { textWidth } from "./measure.js";
import { axesIn, withFontSizes } from "../plot/layout.js";

const SPACING = 1.3; // of a line to its letters, as Plotly has it
const EDGE = 4; // px between words and the page's side
const ROW = 26; // px of a row's height, at least
const PLOT = 70; // px of a plot's height, at least
const FLAT = 0.55; // of its width: the height of a chart of no height of its own, at least
const SMALL = 0.8; // of a chart's own height: below it labels beside points get a ground
const [AIR, BAR] = [0.4, 72]; // letters of a cell beside its number; px of a bar of colours
const [APART, LOWER] = [" · ", 0.5]; // between numbers below a panel, which may be broken there; radii of the second line
const READ = 8; // px of the letters of a cell on a screen, at least
const BOLD = 1.06; // times as wide as the same words not bold

/** The figure {data, layout} for a page `width` px wide: {data, layout, height, least}. `height` is the one asked for, or null
 * for as much as it needs; `least` is the height below which it is no picture. Letters have `least` px at least; `pad` {l, r, t,
 * b} is added to its margins; `paper` is the colour of the page.
 * @param {PlotlyFigure} figure @param {FitFrame} page */
export function fitted({ data, layout }, { width, height = null, tall, family, letters = 0, pad = null, paper }) {
  const size = layout.font?.size ?? layout.template?.layout?.font?.size ?? 13;
  const ownMargin = { ...(layout.template?.layout?.margin ?? {}), ...layout.margin, ...layout.meta?.margin };
  /** @type {Sides} */ const margin = { l: ownMargin.l ?? 50, r: ownMargin.r ?? 12, t: ownMargin.t ?? 34, b: ownMargin.b ?? 42 };
  const plotHeight = (layout.height ?? tall) - margin.t - margin.b;
  const enlarged = withFontSizes({ data, layout }, (size) => Math.max(size, letters));
  const tiles = letters && layout.meta?.tiles && retiled(enlarged, { width, height, size: Math.max(size, letters), family });
  const traces = tiles?.data ?? enlarged.data;
  const notes = enlarged.layout.annotations ?? [];
  const listed = letters ? listOf(enlarged.data) : 0;
  const rows = rowsOf(enlarged.layout, plotHeight);
  const extra = rows.map(() => 0);
  /** @param {Annotation} note */ const letterOf = (note) => note.font?.size ?? size;
  const inLine = width - margin.l - margin.r - EDGE;
  // If one line has to be broken, all start at the page's side.
  const long = notes.some((note) =>
    isKey(note) && lines(brokenToFit(note.text, inLine, letterOf(note), family)) > lines(note.text)
  );
  const [shift, room] = long ? [EDGE - margin.l, width - 2 * EDGE - 12] : [0, inLine];
  const annotations = (tiles?.annotations ?? notes).map((note) => {
    if (!isKey(note)) return note;
    const letter = letterOf(note);
    const before = lines(note.text);
    const text = brokenToFit(note.text, room, letter, family);
    const more = Math.round((lines(text) - before) * letter * SPACING);
    const at = note.yanchor === "top" ? -1 : rows.findIndex(({ high }) => Math.abs(high - note.y) < 1e-6);
    if (more && at > 0) extra[at] += more;
    else if (more) margin[note.yanchor === "top" ? "b" : "t"] += more;
    return { ...note, text, xshift: (note.xshift ?? 0) + shift };
  });
  for (const side of Object.keys(pad ?? {})) margin[side] += pad[side];
  const added = margin.t + margin.b - (ownMargin.t ?? 34) - (ownMargin.b ?? 42) + extra.reduce((a, b) => a + b, 0);
  const gaps = rows.reduce((sum, { gap }, k) => sum + gap + extra[k], 0);
  const least = tiles?.least ??
    margin.t + margin.b + gaps + (rows.length > 1 ? ROW * rows.length : Math.max(PLOT, SPACING * listed * letters));
  const free = tiles?.height ?? Math.max((layout.height ?? tall) + added, rows.length > 1 ? 0 : FLAT * width);
  const high = letters ? Math.max(least, height ?? free) : (height ?? free);
  const newShare = shareMap(rows, extra, high - margin.t - margin.b);
  /** @type {Layout} */ const page = { ...enlarged.layout, annotations, margin, width, height: high, autosize: false };
  if (rows.length > 1) {
    for (const name of axesIn(page, "y")) {
      const [low, top] = page[name].domain ?? [0, 1];
      page[name] = { ...page[name], domain: [newShare(low), newShare(top)] };
    }
    page.annotations = annotations.map((note) => (note.yref === "paper" ? { ...note, y: newShare(note.y) } : note));
  }
  if (tiles) Object.assign(page, tiles.layout);
  if (listed) page.yaxis = { ...page.yaxis, tickmode: "linear", dtick: 1 };
  if (letters) {
    page.annotations = spreadLabels(page.annotations, page, size);
    Object.assign(page, fitTitles(page, size, family));
  }
  // Their places avoid lines only at about the size for which they were chosen.
  if (letters && high < SMALL * (layout.height ?? tall)) {
    page.annotations = page.annotations.map((note) => note.xref || note.xanchor ? note : { bgcolor: `${paper}cc`, ...note });
  }
  return { data: traces.map((trace) => fitCells(trace, page, letters)), layout: page, height: high, least };
}

// Axes with titles beside them in lines that reach half-way to the next plot, and hardly beyond the first and the last.
/** @param {Layout} layout @param {number} size @param {string} family */
function fitTitles(layout, size, family) {
  const { height, margin } = layout;
  const inner = height - margin.t - margin.b;
  const names = axesIn(layout, "y");
  const spans = names.map((name) => layout[name].domain ?? [0, 1]);
  const made = names.filter((name) => layout[name].title?.text).map((name) => {
    const [low, high] = layout[name].domain ?? [0, 1];
    const gaps = spans.flatMap(([from, to]) => [from - high, low - to]).filter((gap) => gap > 0);
    const free = Math.min(2 * EDGE, ...gaps.map((gap) => gap * inner));
    const { text, font } = layout[name].title;
    const lines = brokenToFit(text, (high - low) * inner + free, font?.size ?? size, family);
    return [name, { ...layout[name], title: { ...layout[name].title, text: lines } }];
  });
  return Object.fromEntries(made);
}

// Labels in a column beside a plot, each a line below the one above it, as near to their places as that leaves them.
/** @param {Annotation[]} notes @param {Layout} layout @param {number} size */
function spreadLabels(notes, { yaxis, margin, height }, size) {
  if (!yaxis?.range || yaxis.type === "log") return notes;
  const [low, high] = yaxis.range;
  const unit = (high - low) / (height - margin.t - margin.b);
  const labels = notes.filter(({ xref, yref, xanchor, showarrow }) =>
    !xref && !yref && xanchor === "left" && showarrow === false
  );
  const places = new Map();
  for (const x of new Set(labels.map((note) => note.x))) {
    const column = labels.filter((note) => note.x === x);
    let above = Infinity;
    for (const note of column.sort((a, b) => b.y - a.y)) {
      above = Math.min(note.y, above - 0.95 * SPACING * (note.font?.size ?? size) * unit);
      places.set(note, above);
    }
    const up = column.reduce((sum, note) => sum + note.y - places.get(note), 0) / column.length;
    for (const note of column) places.set(note, places.get(note) + up);
  }
  return notes.map((note) => (places.has(note) ? { ...note, y: places.get(note) } : note));
}

/** Words with breaks where they have to be, `room` px wide; marks of bold, colour and index stay around what they are around.
 * @param {string} text @param {number} room @param {number} size @param {string} family */
export function brokenToFit(text, room, size, family) {
  /** @param {string} marked */ const plain = (marked) => marked.replace(/<[^>]*>/g, "").replace(/&nbsp;/g, " ");
  /** @param {string} line */ const measured = (line) => textWidth(plain(line), size, family) * (/<b>/.test(text) ? BOLD : 1);
  return text.split(/<br\s*\/?>/).map((line) => {
    const [first, ...words] = line.match(/(?:<[^>]*>|[^\s<]|\u00a0)+|[^\S\n\u00a0]+/g) ?? [""];
    const made = [first];
    for (const word of words) {
      if (word.trim() && measured(made.at(-1) + word) > room && plain(made.at(-1)).trim().length > 1) {
        made[made.length - 1] = made.at(-1).trimEnd();
        made.push(word);
      } else made[made.length - 1] += word;
    }
    return made.join("<br>");
  }).join("<br>");
}

/** The number of names below each other beside bars. @param {Trace[]} data */
function listOf(data) {
  const bars = data.filter(({ type, orientation }) => type === "bar" && orientation === "h");
  return new Set(
    bars.flatMap(({ y }) => Array.from(/** @type {ArrayLike<unknown>} */ (y))).filter((name) => typeof name === "string"),
  ).size;
}

/** @param {string} text */ function lines(text) {
  return text.split(/<br\s*\/?>/).length;
}

/** Words at the left of a panel or above it, which may be long. @param {Annotation} note */
function isKey({ xref, yref, xanchor, showarrow, textangle, text }) {
  return xref === "paper" && yref === "paper" && xanchor === "left" && showarrow === false && !textangle && text;
}

// Panels above each other, from the top: their places (shares of the height), heights and the gaps above them in px.
/** @param {Layout} layout @param {number} inner */ function rowsOf(layout, inner) {
  const names = axesIn(layout, "y").filter((name) => !layout[name].overlaying);
  const places = names.map((name) => layout[name].domain ?? [0, 1]);
  const each = [...new Map(places.map((domain) => [domain.join(), domain])).values()].sort((a, b) => b[1] - a[1]);
  if (each.some(([, high], k) => k && high > each[k - 1][0] + 1e-9)) return [];
  /** @param {number} k */ const gap = (k) => (k ? (each[k - 1][0] - each[k][1]) * inner : 0);
  return each.map(([low, high], k) => ({ low, high, tall: (high - low) * inner, gap: gap(k) }));
}

// Where a share of the old height is of a new one of `inner` px, in which gaps are as they were, or larger by `extra`.
/** @param {PanelRow[]} rows @param {number[]} extra @param {number} inner @returns {(share: number) => number} */
function shareMap(rows, extra, inner) {
  if (rows.length < 2) return (share) => share;
  const gaps = rows.reduce((sum, { gap }, k) => sum + gap + extra[k], 0);
  const scale = (inner - gaps) / rows.reduce((sum, { tall }) => sum + tall, 0);
  let at = inner;
  const knots = rows.flatMap(({ low, high, tall, gap }, k) => {
    at -= gap + extra[k];
    const top = at;
    at -= tall * scale;
    return [[high, top / inner], [low, Math.max(0, at / inner)]];
  });
  return (share) => {
    const k = knots.findIndex(([from]) => from <= share + 1e-9);
    if (k < 0) return knots.at(-1)[1];
    if (!k || Math.abs(knots[k][0] - share) < 1e-9) return knots[k][1] + (k ? 0 : share - knots[k][0]);
    const [[a, p], [b, q]] = [knots[k - 1], knots[k]];
    return p + ((share - a) / (b - a)) * (q - p);
  };
}

/** Numbers on bars as large as they are, and in the cells of a heat map where they fit and can be read; where they cannot, the
 * bar of colours is removed if `letters` are asked for, or the numbers are.
 * @param {Trace} trace @param {Layout} layout @param {number} letters */
function fitCells(trace, { width, margin, font }, letters) {
  if (trace.type === "bar" && letters) return { ...trace, constraintext: "none" };
  if (trace.type !== "heatmap" || !trace.texttemplate || !trace.text) return trace;
  const least = letters || READ;
  const across = trace.z[0].length;
  const bar = trace.showscale === false ? 0 : BAR;
  const written = Array.from(trace.text).flatMap((row) => Array.from(row)).flatMap((text) => text.split(/<br\s*\/?>/));
  const long = Math.max(...written.map((text) => textWidth(text.replace(/<[^>]*>/g, ""), 100, font?.family))) / 100;
  /** @param {number} spare */ const room = (spare) => (width - margin.l - margin.r - bar + spare) / across;
  if (!letters && (trace.textfont?.size ?? 0) * long <= room(0)) return trace;
  /** @param {number} spare */ const fits = (spare) => room(spare) / (AIR + long);
  /** @param {number} spare */ const size = (spare) => Math.max(least, Math.min(13, fits(spare)));
  if (fits(0) >= least) return { ...trace, textfont: { ...trace.textfont, size: size(0) } };
  if (letters && fits(bar) >= letters) return { ...trace, showscale: false, textfont: { ...trace.textfont, size: size(bar) } };
  return { ...trace, text: undefined, texttemplate: undefined };
}

// Small multiples drawn on one pair of axes, in as many columns as their words fit. `layout.meta.tiles` says how they lie:
// {across, down, top, columns, many}, distances from panel to panel and from a panel's middle to the top of its row.
/** @param {PlotlyFigure} figure @param {TileFrame} page */
function retiled({ data, layout }, { width, height, size, family }) {
  const { across, down, top, columns: begun, many } = layout.meta.tiles;
  /** @param {Annotation} note */
  const pieces = ({ text }) => text.split(/<br\s*\/?>/).map((line) => line.replace(/<[^>]*>/g, ""));
  /** @param {Annotation} note */
  const lengths = (note) => pieces(note).map((line) => textWidth(line, note.font?.size ?? size, family));
  /** @param {Annotation[]} notes */ const widest = (notes) => Math.max(...notes.flatMap(lengths));
  const [x0, x1] = layout.xaxis.range;
  const edge = x1 - x0 - (Math.min(many, begun) - 1) * across;
  const foot = layout.margin.t + layout.margin.b;
  const [low, high] = layout.yaxis.range;
  const below = high - low - (Math.ceil(many / begun) - 1) * down;
  let [columns, more] = [begun, 0]; // more: radii of a row for numbers in two lines, where height is short
  let words = layout.annotations;
  const narrow = words.map((note) => {
    const lower = 0.5 * SPACING * (note.font?.size ?? size);
    return note.text.includes(APART) ? { ...note, text: note.text.replaceAll(APART, "<br>"), yshift: -lower } : note;
  });
  /** @param {Annotation[]} notes */
  const fits = (notes) => (across * width) / ((columns - 1) * across + edge) >= 1.05 * widest(notes);
  while (columns > 1 && !fits(words)) {
    if (height && !more && fits(narrow)) [words, more] = [narrow, LOWER];
    else columns = Math.ceil(columns / 2);
  }
  const wideness = (columns - 1) * across + edge;
  const tallness = (Math.ceil(many / columns) - 1) * (down + more) + below + more;
  const radius = Math.max(2 * SPACING * size, (across * 0.4 * width) / wideness / across);
  const natural = Math.round((width / wideness) * tallness + foot);
  // Where height is short, panels lie as far apart as the width has room.
  const spread = more ? Math.max(1, (width / wideness) * (tallness / (height - foot))) : 1;
  /** @param {number} x @param {number} y */ const move = (x, y) => {
    const [c, r] = [Math.round((x - x0 - edge / 2) / across), Math.max(0, Math.floor((top - y) / down))];
    const k = r * begun + Math.min(begun - 1, Math.max(0, c));
    const lower = Math.floor(k / columns) * (down + more) - Math.floor(k / begun) * down;
    return [x + ((k % columns) * spread - (k % begun)) * across, y - lower];
  };
  /** @param {Numbers} xs @param {Numbers} ys */
  const pairs = (xs, ys) => Array.from(xs, (x, i) => (x === null || Number.isNaN(x) ? [x, ys[i]] : move(x, ys[i])));
  const moved = data.map((trace) => {
    const at = pairs(/** @type {number[]} */ (trace.x), /** @type {number[]} */ (trace.y));
    return { ...trace, x: at.map(([x]) => x), y: at.map(([, y]) => y) };
  });
  const shapes = layout.shapes.map((shape) => {
    const [dx, dy] = move((shape.x0 + shape.x1) / 2, (shape.y0 + shape.y1) / 2)
      .map((value, k) => value - (k ? shape.y0 + shape.y1 : shape.x0 + shape.x1) / 2);
    return { ...shape, x0: shape.x0 + dx, x1: shape.x1 + dx, y0: shape.y0 + dy, y1: shape.y1 + dy };
  });
  const annotations = words.map((note) => {
    const [x, y] = move(note.x, note.y);
    return { ...note, x, y };
  });
  const left = x0 - ((spread - 1) * edge) / 2;
  const xaxis = { ...layout.xaxis, range: [left, left + spread * wideness] };
  const yaxis = { ...layout.yaxis, range: [high - tallness, high] };
  const least = Math.min(natural, Math.round(radius * tallness + foot));
  const placed = { xaxis, yaxis, shapes, annotations };
  return { data: moved, annotations, layout: placed, height: natural, least: height ? least : 0 };
}
