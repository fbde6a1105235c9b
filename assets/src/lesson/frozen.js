import { element } from "../draw/panel.js";
import { faces } from "../export/fonts.js";
import { ExportMenu } from "../export/menu.js";
import { Picture } from "../export/pictures.js";
import { fill } from "../draw/marked.js";
import { fillNotes } from "./notes.js";

const [PIXELS, RUNS] = [96, "script, foreignObject, iframe, a, animate, set"]; // to the inch; elements that no drawing of ours has

/** A figure as it was when the file was written, drawn for light paper. */
class FrozenPicture extends Picture {
  /** @param {SVGSVGElement} svg @param {() => PictureAbout} about */ constructor(svg, about) {
    super(about);
    this.svg = svg;
  }

  size() {
    return { width: Number(this.svg.getAttribute("width")), height: Number(this.svg.getAttribute("height")) };
  }

  /** The drawing as it is, out of sight in the document, where its fonts are known. @returns {Promise<Engraving>} */
  async renderForExport() {
    const svg = /** @type {SVGSVGElement} */ (this.svg.cloneNode(true));
    const holder = element("div", { "aria-hidden": "true" }, svg);
    holder.style.cssText = "position:fixed;left:-20000px;top:0";
    document.body.append(holder);
    const { width, height } = this.size();
    const inches = { width: width / PIXELS, height: height / PIXELS };
    return { svg, inches, faces: await faces(), notes: [], range: null, like: null, close: () => holder.remove() };
  }
}

/** A figure that the file does not compute, with its words. @param {FrozenFigure} figure @param {Palette} palette @param {string} base */
export function frozenFigure({ name, claim, svg: text, words, recipe, lookFor, misleads }, palette, base) {
  const title = element("h2", { class: "dml-claim" });
  const [look, how] = ["dml-notes-of", "dml-caption"].map((name) => element("p", { class: name }));
  fill(title, claim, base);
  fillNotes(look, how, { lookFor, misleads }, base);
  const svg = drawing(text);
  // In a tree of its own: two drawings may have parts of the same name.
  const frame = element("div", { class: "dml-frozen", role: "img", "aria-label": words });
  frame.attachShadow({ mode: "open" }).append(svg);
  const box = element("div", { class: "dml-frozen-box" }, frame);
  new ExportMenu(box, new FrozenPicture(svg, () => ({ palette, theme: "light", words, recipe })));
  const saved = element(
    "figcaption",
    { class: "dml-caption dml-chip-saved" },
    "As saved: this figure and its sentences do not follow the points.",
  );
  return element("figure", { class: "dml-figure", "data-figure": name }, title, box, saved, look, how);
}

/** The nodes of a drawing, without anything that could run. @param {string} text */ function drawing(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(parsed, true)));
  for (const node of svg.querySelectorAll(RUNS)) node.remove();
  for (const node of [svg, ...svg.querySelectorAll("*")]) {
    for (const { name, value } of [...node.attributes]) {
      if (/^on/i.test(name) || (/href$/i.test(name) && !/^(#|data:image\/png)/.test(value))) node.removeAttribute(name);
    }
  }
  const [width, height] = ["width", "height"].map((name) => parseFloat(svg.getAttribute(name) ?? "0"));
  if (!svg.hasAttribute("viewBox")) svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.style.cssText = "display:block;width:100%;height:auto";
  return svg;
}
