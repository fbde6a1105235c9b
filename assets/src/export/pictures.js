import { table } from "./csv.js";
import { frozen } from "./svg.js";
import { svgNode } from "../kit/svg.js";

/**
 * What can be exported. Every picture has: key; palette (Python's); size() in px; theme(); title(); words(); recipe(), the
 * recipe with what is seen now; key(), entries {text, sign} of a legend that stands outside the drawing; draw({width,
 * height, family, legend, theme}), the promise of SVG nodes in that frame; table(); and chart(), {data, layout} or null. One
 * whose height follows from its width has heightAt(width).
 */
const EDGE = 8; // px around a drawing that is cut out of its frame

/** What every picture says; `about` gives {name, palette, theme, title, words, recipe, key, table} as they are now. */
export class Picture {
  drawn = null; // says whether it is drawn, where that takes time
  hold = null; // stops what would go on while a file is made

  constructor(about) {
    this.about = about;
  }

  get name() {
    return this.about().name;
  }

  get palette() {
    return this.about().palette;
  }

  theme() {
    return this.about().theme;
  }

  title() {
    return this.about().title;
  }

  words() {
    return this.about().words;
  }

  key() {
    return this.about().key ?? [];
  }

  recipe() {
    return { ...this.about().recipe, view: {} };
  }

  table() {
    return this.about().table();
  }

  chart() {
    return null;
  }
}

/** A Plotly chart in `node`. */
export class ChartPicture extends Picture {
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
    return (this.node._fullData ?? []).some(({ type }) => /gl$|3d$|image/.test(type));
  }

  recipe() {
    const { recipe } = this.about();
    return { ...recipe, view: { ...recipe.view, ...this.#view() } };
  }

  async draw({ width, height, family, legend }) {
    const { data, layout } = this.#shown();
    const font = { ...layout.font, family };
    const more = legend
      ? {}
      : { showlegend: false, annotations: (layout.annotations ?? []).filter((one) => !isKey(one)) };
    const figure = { data, layout: { ...layout, ...more, font, width, height, autosize: false } };
    const url = await this.Plotly.toImage(figure, { format: "svg", width, height });
    const text = decodeURIComponent(url.slice(url.indexOf(",") + 1));
    const made = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    made.querySelector(":scope > rect")?.remove(); // Plotly's ground
    return [...made.children].map((child) => document.importNode(child, true));
  }

  table() {
    return table(this.node._fullData.filter(({ visible }) => visible === true));
  }

  chart() {
    const { data, layout } = this.#shown();
    const [height, paper] = [layout.height ?? this.size().height, this.palette.paper[this.theme()]];
    return { data, layout: { ...layout, width: undefined, height, paper_bgcolor: paper, autosize: true } };
  }

  // As the visitor has it: zoomed, with traces switched off.
  #shown() {
    return { data: this.node.data, layout: { ...this.node.layout, modebar: undefined, uirevision: undefined } };
  }

  // The zoom, and the traces switched off, where the visitor has done so.
  #view() {
    const first = this.about().first;
    const view = {};
    for (const name of Object.keys(this.node.layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
      const { range, autorange } = this.node.layout[name];
      const begun = first?.layout?.[name]?.range;
      if (!range || !first) continue;
      if (begun ? String(begun) !== String(range) : autorange === false) view[`${name}.range`] = [...range];
    }
    const off = this.node.data.flatMap(({ visible }, k) => (visible === "legendonly" ? [k] : []));
    const begun = (first?.data ?? []).flatMap(({ visible }, k) => (visible === "legendonly" ? [k] : []));
    if (first && String(off) !== String(begun)) view.off = off;
    return view;
  }
}

const AIDS = ".dml-hand-target, .dml-hand-halo"; // what only a hand needs

/** A drawing of our own, an SVG on the page. */
export class DrawnPicture extends Picture {
  constructor(svg, about) {
    super(about);
    this.svg = svg;
  }

  size() {
    const { width, height } = this.#box();
    return { width, height };
  }

  async draw({ width, height, family }) {
    const box = this.#box();
    const scale = Math.min(width / box.width, height / box.height);
    const [x, y] = [(width - scale * box.width) / 2 - scale * box.x, (height - scale * box.height) / 2 - scale * box.y];
    const transform = `translate(${x} ${y}) scale(${scale})`;
    const group = svgNode("g", { transform }, ...frozen(this.svg, AIDS).children);
    for (const words of group.querySelectorAll("text, tspan")) words.style.fontFamily = family;
    return [group];
  }

  // What is drawn, without the empty room at the sides.
  #box() {
    const { x, y, width, height } = this.svg.getBBox();
    return { x: x - EDGE, y: y - EDGE, width: width + 2 * EDGE, height: height + 2 * EDGE };
  }
}

/** A sign of a key: a marker's corners, filled. */
export function sign(corners, colour, size = 6) {
  const points = corners.map(([x, y]) => `${(x * size).toFixed(2)},${(y * size).toFixed(2)}`).join(" ");
  return () => svgNode("polygon", { points, fill: colour });
}

// The words above a panel that explain its signs (figures/canvas.py, key).
function isKey({ yref, text }) {
  return yref === "paper" && /<span style="color:/.test(text ?? "");
}
