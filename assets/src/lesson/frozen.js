import { element } from "../draw/panel.js";
import { fill } from "./words.js";

/** A figure as it was when the file was written: an image, in which nothing runs. @param {FrozenFigure} figure @param {string} base */
export function frozenFigure({ name, claim, svg, words, lookFor, misleads }, base) {
  const [title, look, how] = [
    element("h2", { class: "dml-claim" }),
    element("p", { class: "dml-notes-of" }),
    element("p", { class: "dml-caption" }),
  ];
  fill(title, claim, base);
  fill(look, lookFor && `**Look for** ${lookFor}`, base);
  fill(how, misleads && `**How this picture misleads:** ${misleads}`, base);
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  const image = element("img", { class: "dml-frozen", src, alt: words });
  const saved = element(
    "figcaption",
    { class: "dml-caption" },
    element("span", { class: "dml-chip-saved" }, "as saved"),
    " ",
    element("a", { href: src, download: `${name}.svg` }, "SVG"),
  );
  return element("figure", { class: "dml-figure", "data-figure": name }, title, image, saved, look, how);
}
