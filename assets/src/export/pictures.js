import { axesIn } from "../plot/layout.js";
import { fullLayout, fullTraces } from "../plot/node.js";
import { allowed } from "./allowed.js";
import { table } from "./csv.js";
import { fitted } from "./fit.js";
import { inlineStyles } from "./svg.js";
import { mark } from "../draw/marker.js";
import { svgNode } from "../draw/svg.js";

/** What can be exported. Every picture has: about(), which gives {palette (Python's), theme, words, recipe, key: entries {text,
 * sign} of a legend outside the drawing, table: its data} as they are now; size() in px; recipe() with what is seen
 * now; draw(frame), the promise of SVG nodes in a frame {width, height, family, legend, theme, letters, pad}; table(); and
 * chart(), {data, layout} or null. heightAt(frame) is its best height in a frame of that width, leastAt(frame) its
 * least height. `letters` is the least size of its words in px, 0 for that of the screen; `pad` is added to its margins. */
const EDGE = 8; // px around a drawing that is cut out of its frame

/** The base of all pictures. */
export class Picture {
  /** @type {(() => unknown) | null} */ isDrawn = null; // says whether it is drawn, where that takes time
  /** @type {(() => void) | null} */ hold = null; // stops playback while a file is made
  /** @type {(() => Promise<unknown>) | null} */
  ready = null; // promises that its recipe is that of what is seen, where that takes time
  /** @type {MovingPicture | null} */
  moving = null; // where it has steps: {steps(), now(), show(step)}, which resolves when that step is drawn

  /** @param {() => PictureAbout} about */ constructor(about) {
    this.about = about;
  }

  get name() {
    return this.about().recipe.figure;
  }

  recipe() {
    return { ...this.about().recipe, view: {} };
  }

  table() {
    return this.about().table();
  }

  /** @returns {PlotlyFigure | null} */ chart() {
    return null;
  }

  /** The chart with the traces of its table alone; null where the table is of something else. @returns {PlotlyFigure | null} */
  seen() {
    return null;
  }

  /** Whether it fills a frame that is higher than its best height. */
  get flexible() {
    return false;
  }

  /** The colours of paper and ink on the page. */
  get paper() {
    const { palette, theme } = this.about();
    return { paper: palette.paper[theme], ink: palette.ink[theme] };
  }
}

/** A Plotly chart in `node`. */
export class ChartPicture extends Picture {
  /** @param {PlotlyLibrary} Plotly @param {ChartNode} node @param {() => PictureAbout} about */
  constructor(Plotly, node, about) {
    super(about);
    this.Plotly = Plotly;
    this.node = node;
  }

  size() {
    return { width: this.node.clientWidth, height: this.node.clientHeight };
  }

  /** Whether its SVG would hold an image, as Plotly's WebGL does. */
  get pixels() {
    return (fullTraces(this.node) ?? []).some(({ type }) => /gl$|3d$|image/.test(type));
  }

  get flexible() {
    return !this.node.layout.meta?.tiles;
  }

  recipe() {
    const { recipe } = this.about();
    return { ...recipe, view: { ...recipe.view, ...this.#view() } };
  }

  /** @param {ExportFrame} frame */ heightAt(frame) {
    return this.#fitted({ ...frame, height: null }).height;
  }

  /** @param {ExportFrame} frame */ leastAt(frame) {
    return this.#fitted({ ...frame, height: null }).least;
  }

  /** @param {ExportFrame} frame */ async draw(frame) {
    const { data, layout, height } = this.#fitted(frame);
    const text = await this.Plotly.toImage({ data, layout }, { format: "svg", width: frame.width, height, imageDataOnly: true });
    const made = new DOMParser().parseFromString(allowed(text), "image/svg+xml").documentElement;
    made.querySelector(":scope > rect")?.remove(); // Plotly's ground
    for (const node of made.querySelectorAll("[class]:not(tspan)")) node.removeAttribute("class");
    // Groups that are empty or have no effect.
    for (const node of [...made.querySelectorAll("g, path:not([d]), path[d='']")].reverse()) {
      if (!node.firstChild || !node.hasAttributes()) node.replaceWith(...node.childNodes);
    }
    return [...made.children];
  }

  /** @returns {TableData} */ table() {
    const rows = this.about().table?.();
    return rows ?? table(fullTraces(this.node).filter(({ visible }) => visible === true), fullLayout(this.node));
  }

  /** @returns {PlotlyFigure} */ chart() {
    const { data, layout } = this.#asShown();
    const paper_bgcolor = this.paper.paper;
    const height = layout.height ?? this.size().height;
    return { data, layout: { ...layout, width: undefined, height, paper_bgcolor, autosize: true } };
  }

  seen() {
    if (this.about().table) return null;
    const { data, layout } = this.chart();
    const [traces, whole] = [fullTraces(this.node), fullLayout(this.node)];
    const visible = data.flatMap((trace, k) => (traces[k].visible === true ? [unpack(trace, traces[k])] : []));
    return { data: visible, layout: { ...unpack(layout, /** @type {Layout} */ (whole)), width: this.size().width } };
  }

  /** @param {ExportFrame} frame */ #fitted(frame) {
    const { family, legend, grey } = frame;
    const { data, layout } = this.#asShown();
    // Without the words above a panel that explain its signs (dml_viz/plot/canvas.py, key), where there is no legend.
    /** @param {Annotation} note */ const isKey = ({ yref, text }) => yref === "paper" && /<span style="color:/.test(text ?? "");
    const annotations = (layout.annotations ?? []).filter((note) => legend || !isKey(note));
    const more = { font: { ...layout.font, family }, annotations, ...(legend ? {} : { showlegend: false }) };
    const arrays = data.map((trace, k) => {
      const { x, y, z } = fullTraces(this.node)[k] ?? trace;
      return { ...trace, ...(x && { x }), ...(y && { y }), ...(z && { z }), ...(grey && greysOfSign(trace)) };
    });
    const figure = { data: arrays, layout: { ...layout, ...more } };
    return fitted(figure, { ...frame, tall: this.size().height, paper: this.paper.paper });
  }

  // As the visitor has it: zoomed, with traces switched off.
  #asShown() {
    const { data } = this.node;
    const layout = { ...this.node.layout, ...this.#axes() };
    /** @type {Layout} */ const changes = { modebar: undefined, uirevision: undefined };
    return { data, layout: { ...layout, ...changes } };
  }

  // The axes without their revision, and without what Plotly wrote into them so that those of one scale fill the frame.
  #axes() {
    const { layout } = this.node;
    const initial = this.about().first?.layout ?? {};
    /** @param {AxisName} name @returns {Axis} */ const axis = (name) => ({
      ...layout[name],
      uirevision: undefined,
      ...(layout[name].constrain === "domain" && { domain: initial[name]?.domain }),
      ...(this.#widened(name) && { range: initial[name].range }),
    });
    return Object.fromEntries(axesIn(layout).map((name) => [name, axis(name)]));
  }

  // Whether an axis is longer than it was on both sides alike, while the other one of its scale is as it was.
  /** @param {AxisName} name */ #widened(name) {
    /** @type {Layout[]} */ const [now, initial] = [this.node.layout, this.about().first?.layout ?? {}];
    const other = /** @type {AxisName} */ (now[name].scaleanchor?.replace(/^[xy]/, "$&axis")) ??
      axesIn(now).find((key) => now[key].scaleanchor === name.replace("axis", ""));
    const [from, to] = [initial, now].map((axes) => axes[name]?.range);
    /** @param {number[]} range */ const middle = ([low, high]) => (low + high) / 2;
    return other && from && to && String(from) !== String(to) &&
      String(now[other].range) === String(initial[other]?.range) &&
      Math.abs(middle(from) - middle(to)) < 1e-9 * Math.abs(to[1] - to[0]);
  }

  // The zoom, and the traces switched off, where the visitor has done so.
  #view() {
    const first = this.about().first;
    const { layout } = this.node;
    /** @type {Record<string, unknown[]>} */ const view = {};
    for (const name of axesIn(layout)) {
      const { range, autorange } = layout[name];
      const begun = first?.layout?.[name]?.range;
      if (!range || !first || this.#widened(name)) continue;
      if (begun ? String(begun) !== String(range) : autorange === false) view[`${name}.range`] = [...range];
    }
    const off = this.node.data.flatMap(({ visible }, k) => (visible === "legendonly" ? [k] : []));
    const begun = (first?.data ?? []).flatMap(({ visible }, k) => (visible === "legendonly" ? [k] : []));
    if (first && String(off) !== String(begun)) view.off = off;
    return view;
  }
}

const SHARE = 0.55; // of its width: the height of a drawing that is made for it
const AIDS = ".dml-scene-target, .dml-scene-halo"; // elements that only dragging needs

/** A drawing of our own, an SVG on the page; `at(width, height)` draws it at another size and returns what undoes that. */
export class DrawnPicture extends Picture {
  /** @param {SVGSVGElement} svg @param {() => PictureAbout} about @param {LivePart["at"] | null} at */
  constructor(svg, about, at = null) {
    super(about);
    this.svg = svg;
    this.at = at;
  }

  get flexible() {
    return Boolean(this.at);
  }

  /** @param {ExportFrame} frame */ heightAt({ width }) {
    if (this.at) return Math.round(SHARE * width);
    const box = this.#box();
    return Math.min(width, Math.max(box.height, (width / box.width) * box.height));
  }

  size() {
    const { width, height } = this.#box();
    return { width, height };
  }

  /** @param {ExportFrame} frame */ async draw({ width, height, family, letters }) {
    const undo = this.at?.(width, height);
    const box = this.at ? { x: 0, y: 0, width, height } : this.#box();
    const scale = Math.min(width / box.width, height / box.height);
    const [x, y] = [(width - scale * box.width) / 2 - scale * box.x, (height - scale * box.height) / 2 - scale * box.y];
    const transform = `translate(${x} ${y}) scale(${scale})`;
    const group = svgNode("g", { transform }, ...inlineStyles(this.svg, AIDS).children);
    undo?.();
    for (const words of /** @type {NodeListOf<SVGTextElement>} */ (group.querySelectorAll("text, tspan"))) {
      words.style.fontFamily = family;
      // Words have the chosen size at any scale of the drawing.
      if (letters) words.style.fontSize = `${Math.max(letters, parseFloat(words.style.fontSize)) / scale}px`;
    }
    return [group];
  }

  // The drawing without the empty room at the sides.
  #box() {
    const { x, y, width, height } = this.svg.getBBox();
    return { x: x - EDGE, y: y - EDGE, width: width + 2 * EDGE, height: height + 2 * EDGE };
  }
}

/** The entries of a key of classes: `named` are [label, name]; with a star for proxies where there are any.
 * @param {[number, string][]} named @param {Look} look @param {unknown} proxies */
export function classKey(named, look, proxies) {
  /** @param {string} marker @param {string} fill */
  const signOf = (marker, fill) => () => svgNode("path", { d: mark(marker, 0, 0, 6), fill });
  const entries = named.map(([label, text]) => {
    const { colour, marker } = look.ofClass(label);
    return { text, sign: signOf(marker, colour) };
  });
  return proxies ? [...entries, { text: "proxy", sign: signOf("star", look.quiet) }] : entries;
}

/** The names of the axes of `dim` dimensions. @param {number} dim */
export function axesOf(dim) {
  return ["x", "y", "z"].slice(0, dim);
}

// A part of a chart with the arrays that Python has packed, as Plotly has them in the same part of its own.
/** @template T @param {T} part @param {T} full @returns {T} */ function unpack(part, full) {
  if (/** @type {{bdata?: string}} */ (part)?.bdata !== undefined) return full;
  const parts = /** @type {Record<string, unknown>} */ (full);
  if (Array.isArray(part)) {
    return part[0] instanceof Object ? /** @type {T} */ (part.map((element, k) => unpack(element, parts?.[k]))) : part;
  }
  if (!(part instanceof Object) || ArrayBuffer.isView(part)) return part;
  return /** @type {T} */ (Object.fromEntries(Object.entries(part).map(([name, value]) => [name, unpack(value, parts?.[name])])));
}

/** In greys a scale with two equally dark ends would lose its sign; from black to white it has one. @param {Trace} trace */
function greysOfSign({ colorscale, zmin, zmax }) {
  /** @type {[number, string][]} */ const greys = [[0, "rgb(40,40,40)"], [1, "rgb(250,250,250)"]];
  return zmin < 0 && zmax > 0 && Array.isArray(colorscale) ? { colorscale: greys } : {};
}
