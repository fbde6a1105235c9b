import { recolour } from "./colours.js";
import { faces, facesOf, family } from "./fonts.js";
import { vectorised } from "./raster.js";
import { SVG, svgNode } from "../kit/svg.js";

const PIXELS = 96; // to the inch
const DESIGNED = 13; // px of the words that pictures are designed with
const STYLED = [
  "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin opacity",
  "font-family font-size font-weight font-style text-anchor dominant-baseline paint-order visibility display vector-effect",
].join(" ").split(" ");
const LEAST = 120; // px of a drawing's height
const [LINE, ROW, EDGE] = [20, 22, 10]; // px: of a line of the title, of a row of the key, and from the edge

/**
 * A picture drawn as `options` says, in the document and out of sight: {svg, inches, faces, close}.
 *
 * Options has width and height (inches; null for the picture's own), font ("sans" or "serif"), points (the size of its words;
 * 0 for what the screen has), line (times as wide), palette ("screen", "light" or "grey"), title and legend (whether).
 * Words are laid out at the size that the picture was designed for and the whole is then scaled, so that nothing collides
 * at one size that does not at another.
 */
export async function engraved(picture, options) {
  const all = await faces();
  const own = picture.size();
  const about = picture.about();
  const wanted = options.points ? (options.points * PIXELS) / 72 / DESIGNED : 1;
  const width = Math.round(options.width ? (options.width * PIXELS) / wanted : own.width);
  // The page is exactly as wide as asked for; its words give way by less than a hundredth.
  const scale = options.width ? (options.width * PIXELS) / width : wanted;
  const title = options.title ? broken(about.recipe.title, width) : [];
  const key = options.legend ? rowsOf(about.key ?? [], width) : [];
  const head = (title.length ? title.length * LINE + EDGE : 0) + (key.length ? key.length * ROW + EDGE / 2 : 0);
  const height = Math.max(
    options.height ? (options.height * PIXELS) / scale - head : Math.round(picture.heightAt?.(width) ?? own.height),
    LEAST,
  );
  // Pixels cannot be recoloured once they are drawn.
  const theme = options.palette === "screen" ? about.theme : "light";
  const drawing = await picture.draw({ width, height, family: family(options.font), legend: options.legend, theme });
  const tall = height + head;
  const inches = { width: (width * scale) / PIXELS, height: (tall * scale) / PIXELS };
  const measure = (value) => (options.points ? `${Number(value.toFixed(4))}in` : `${Math.round(value * PIXELS)}`);
  const svg = svgNode(
    "svg",
    { viewBox: `0 0 ${width} ${tall}`, xmlns: SVG, width: measure(inches.width), height: measure(inches.height) },
    svgNode("g", head ? { transform: `translate(0 ${head})` } : {}, ...drawing),
  );
  const holder = document.createElement("div");
  holder.style.cssText = "position:fixed;left:-20000px;top:0;visibility:visible;pointer-events:none";
  holder.setAttribute("aria-hidden", "true");
  holder.append(svg);
  document.body.append(holder);
  await vectorised(svg);
  headed(svg, title, key, options, picture);
  settle(svg, options, recolour(options, about.palette, about.theme));
  grounded(svg, width, tall, options, picture);
  return { svg, inches, faces: all, close: () => holder.remove() };
}

/** A clone of an SVG on the page with its look written into it, without what nobody sees and what is of the page alone. */
export function frozen(live, aids) {
  const clone = live.cloneNode(true);
  const [from, to] = [live, clone].map((root) => [root, ...root.querySelectorAll("*")]);
  const helping = aids ? from.flatMap((node, k) => (node.matches(aids) ? [to[k]] : [])) : [];
  from.forEach((node, k) => {
    const style = getComputedStyle(node);
    for (const name of STYLED) to[k].style.setProperty(name, style.getPropertyValue(name));
    for (const name of ["class", "role", "tabindex"]) to[k].removeAttribute(name);
    for (const { name } of [...to[k].attributes]) if (/^(aria|data)-/.test(name)) to[k].removeAttribute(name);
  });
  const unseen = [...clone.querySelectorAll("*")].filter(({ style, children }) => {
    if (style.display === "none") return true;
    return !children.length && style.stroke === "none" && /^(none|transparent|rgba\(.*, 0\))$/.test(style.fill);
  });
  for (const node of [...unseen, ...helping]) node.remove();
  return clone;
}

/** The SVG as a file: with the fonts that it uses, its words, and the recipe. */
export function written({ svg, faces: all }, { title, words, recipe }) {
  const copy = svg.cloneNode(true);
  const recipeNode = document.createElementNS("https://dml-viz.invalid/recipe", "dml:recipe");
  recipeNode.textContent = recipe;
  copy.prepend(
    svgNode("title", {}, title),
    svgNode("desc", {}, words),
    svgNode("metadata", {}, recipeNode),
    svgNode("style", {}, used(svg, all)),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

// The fonts in use, as rules that a style sheet inside the SVG has.
function used(svg, all) {
  const inUse = new Set();
  for (const node of svg.querySelectorAll("text, tspan")) {
    const own = [...node.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data).join(
      "",
    );
    if (own) { for (const face of facesOf(all, getComputedStyle(node), own)) inUse.add(face); }
  }
  return [...inUse].map(({ name, weight, slant, bytes }) => {
    const source = `url(data:font/woff2;base64,${base64(bytes)}) format("woff2")`;
    return `@font-face{font-family:"${name}";font-weight:${weight};font-style:${slant};src:${source}}`;
  }).join("\n");
}

/** Bytes as base64. */
export function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

// Colours, widths of lines, and lines that ignore the scale of their group, in what every reader of SVG understands.
function settle(body, options, colour) {
  const root = body.getCTM();
  for (const node of body.querySelectorAll("*")) {
    const style = getComputedStyle(node);
    for (const kind of ["fill", "stroke", "stop-color"]) {
      const own = node.style.getPropertyValue(kind) || node.getAttribute(kind);
      if (!own || own === "none" || own.startsWith("url")) continue;
      const other = colour(style.getPropertyValue(kind));
      node.removeAttribute(kind);
      node.style.setProperty(kind, other);
    }
    if (style.stroke === "none") continue;
    const fixed = style.vectorEffect === "non-scaling-stroke";
    const matrix = fixed ? root.inverse().multiply(node.getCTM()) : null;
    const factor = options.line / (matrix ? Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c)) : 1);
    if (factor !== 1) {
      node.style.strokeWidth = `${Number((parseFloat(style.strokeWidth) * factor).toPrecision(6))}`;
      if (fixed && style.strokeDasharray !== "none") {
        const dashes = style.strokeDasharray.split(/[ ,]+/).map((dash) =>
          Number((parseFloat(dash) * factor).toPrecision(6))
        );
        node.style.strokeDasharray = dashes.join(" ");
      }
    }
    if (fixed) {
      node.style.removeProperty("vector-effect");
      node.removeAttribute("vector-effect");
    }
  }
}

// The title and the key, above the drawing.
function headed(svg, title, key, options, picture) {
  const style = `font-family:${family(options.font)};fill:${picture.paper.ink}`;
  const say = (x, y, text, more) => {
    svg.append(svgNode("text", { x, y, style: `${style};${more}` }, text));
  };
  title.forEach((line, k) => say(EDGE, LINE * (k + 1), line, "font-size:15px;font-weight:600"));
  const top = title.length ? title.length * LINE + EDGE : 0;
  key.forEach((row, k) => {
    const y = top + ROW * (k + 1) - 6;
    for (const { x, text, sign } of row) {
      if (sign) {
        const made = sign();
        made.setAttribute("transform", `translate(${x + 6} ${y - 5})`);
        svg.append(made);
      }
      say(x + (sign ? 16 : 0), y, text, "font-size:13px");
    }
  });
}

function grounded(svg, width, height, options, picture) {
  const fill = options.palette === "screen" ? picture.paper.paper : "#ffffff";
  svg.prepend(svgNode("rect", { x: 0, y: 0, width, height, style: `fill:${fill}` }));
}

// A title in lines that fit.
function broken(text, width) {
  const most = Math.max(20, Math.floor((width - 2 * EDGE) / 7.4));
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    if (lines.at(-1).length && lines.at(-1).length + 1 + word.length > most) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines.filter(Boolean);
}

// The entries of a key in rows that fit, each with its place.
function rowsOf(entries, width) {
  const rows = [];
  let x = Infinity;
  for (const entry of entries) {
    const wide = 7 * entry.text.length + (entry.sign ? 16 : 0) + 16;
    if (x + wide > width) {
      rows.push([]);
      x = EDGE;
    }
    rows.at(-1).push({ ...entry, x });
    x += wide;
  }
  return rows;
}
