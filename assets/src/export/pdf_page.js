import { channels } from "./colours.js";
import { numbers, outline } from "./pdf_path.js";
import { shading } from "./pdf_shading.js";
import { text } from "./pdf_text.js";

const SILENT = new Set(["defs", "metadata", "title", "desc", "style", "clippath", "script"]);
const SHAPES = new Set(["path", "rect", "circle", "ellipse", "line", "polygon", "polyline"]);
const CAPS = { butt: 0, round: 1, square: 2 };
const JOINS = { miter: 0, round: 1, bevel: 2 };

/** What a page draws of `svg`, in PDF's own words; `page` has fonts, states, shadings, images, the scale and how tall it is (points). */
export function content(svg, page) {
  const { x, y } = svg.viewBox.baseVal;
  const pen = new Pen(page);
  pen.say(`${numbers(page.scale, 0, 0, -page.scale, -x * page.scale, page.tall + y * page.scale)} cm 1 j`);
  for (const child of svg.children) pen.draw(child, 1);
  return pen.operators.join("\n");
}

class Pen {
  operators = [];

  constructor(page) {
    this.page = page;
  }

  say(words) {
    this.operators.push(words);
  }

  draw(node, above) {
    const name = node.tagName.toLowerCase();
    if (SILENT.has(name)) return;
    const style = getComputedStyle(node);
    if (style.display === "none") return;
    const opacity = above * Number(style.opacity);
    if (!opacity) return;
    this.say("q");
    this.#place(node, name);
    this.#clip(node, style);
    if (SHAPES.has(name)) this.#shape(node, style, opacity);
    else if (name === "text") text(node, opacity, this);
    else if (name === "image") this.#image(node, opacity);
    else for (const child of node.children) this.draw(child, opacity);
    this.say("Q");
  }

  /** Chooses the colour and opacity of what is filled or stroked next; whether there is anything to see. */
  paint(kind, style, opacity) {
    const colour = channels(style[kind]);
    const alpha = opacity * Number(style[`${kind}Opacity`] || 1) * (colour?.[3] ?? 0);
    if (!alpha) return false;
    const [red, green, blue] = colour.map((value) => value / 255);
    this.say(`${numbers(red, green, blue)} ${kind === "fill" ? "rg" : "RG"} /${this.#state(kind, alpha)} gs`);
    return true;
  }

  /** Sets the width, dashes and corners of lines; whether they have any width. */
  stroke(style) {
    const width = parseFloat(style.strokeWidth);
    if (!(width > 0)) return false;
    const dashes = style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat);
    const ends = `${CAPS[style.strokeLinecap] ?? 0} J ${JOINS[style.strokeLinejoin] ?? 0} j`;
    this.say(
      `${numbers(width)} w ${ends} [${numbers(...dashes)}] ${numbers(parseFloat(style.strokeDashoffset) || 0)} d`,
    );
    return true;
  }

  #place(node, name) {
    const { x = 0, y = 0 } = name === "svg" ? { x: node.x.baseVal.value, y: node.y.baseVal.value } : {};
    if (x || y) this.say(`1 0 0 1 ${numbers(x, y)} cm`);
    const matrix = node.transform?.baseVal.consolidate()?.matrix;
    if (matrix) this.say(`${numbers(...["a", "b", "c", "d", "e", "f"].map((key) => matrix[key]))} cm`);
  }

  #clip(node, style) {
    const clip = referred(node, style.clipPath);
    if (!clip) return;
    const moved = clip.transform?.baseVal.consolidate()?.matrix;
    if (moved) this.say(`${numbers(...["a", "b", "c", "d", "e", "f"].map((key) => moved[key]))} cm`);
    this.say(`${[...clip.children].map(outline).filter(Boolean).join(" ") || "0 0 0 0 re"} W n`);
    if (!moved) return;
    const back = moved.inverse();
    this.say(`${numbers(...["a", "b", "c", "d", "e", "f"].map((key) => back[key]))} cm`);
  }

  #shape(node, style, opacity) {
    const path = outline(node);
    if (!path || style.visibility !== "visible") return;
    const even = style.fillRule === "evenodd" ? "*" : "";
    const gradient = referred(node, style.fill);
    if (gradient) this.#shade(node, path, gradient, opacity * Number(style.fillOpacity || 1));
    else if (node.tagName !== "line" && style.fill !== "none" && this.paint("fill", style, opacity)) {
      this.say(`${path} f${even}`);
    }
    if (style.stroke !== "none" && this.stroke(style) && this.paint("stroke", style, opacity)) this.say(`${path} S`);
  }

  #shade(node, path, gradient, opacity) {
    const { shadings } = this.page;
    shadings.push({ name: `S${shadings.length + 1}`, body: shading(gradient, node.getBBox()) });
    this.say(`q ${path} W n /${this.#state("fill", opacity)} gs /${shadings.at(-1).name} sh Q`);
  }

  #image(node, opacity) {
    const { page } = this;
    const [x, y, width, height] = ["x", "y", "width", "height"].map((key) => node[key].baseVal.value);
    const pixels = node.dmlPixels;
    if (!pixels || !width || !height) return;
    const name = `I${page.images.length + 1}`;
    const count = pixels.width * pixels.height;
    const rgb = new Uint8Array(3 * count);
    const alpha = Uint8Array.from({ length: count }, (_, k) => pixels.data[4 * k + 3] * opacity);
    for (let k = 0; k < count; k += 1) rgb.set(pixels.data.subarray(4 * k, 4 * k + 3), 3 * k);
    page.images.push({ name, width: pixels.width, height: pixels.height, rgb, alpha });
    this.say(`${numbers(width, 0, 0, -height, x, y + height)} cm /${name} Do`);
  }

  #state(kind, alpha) {
    const key = `${kind} ${alpha.toFixed(3)}`;
    const { states } = this.page;
    if (!states.has(key)) {
      const body = `<< /Type /ExtGState /${kind === "fill" ? "ca" : "CA"} ${alpha.toFixed(3)} >>`;
      states.set(key, { name: `G${states.size + 1}`, body });
    }
    return states.get(key).name;
  }
}

// What a property refers to by url(#...), if it does.
function referred(node, property) {
  const [, id] = /url\(["']?#([^"')]+)/.exec(property) ?? [];
  return id ? node.ownerSVGElement.querySelector(`[id="${CSS.escape(id)}"]`) : null;
}
