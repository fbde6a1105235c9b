// Pictures of pixels in an SVG: a heat map, which Plotly draws as an image, becomes cells again.

import { svgNode } from "../draw/svg.js";

const MOST = 20_000; // cells; an image of more is no heat map

/** Makes every image of few plain cells into rectangles, except those marked dmlStays. @param {SVGSVGElement} svg */
export async function vectorise(svg) {
  for (const image of svg.querySelectorAll("image")) {
    const pixels = image.dmlStays ? null : await pixelsOf(image);
    const cells = pixels && cellsOf(pixels);
    if (cells) image.replaceWith(rectangles(image, pixels, cells));
  }
}

/** @param {SVGImageElement} image */ async function pixelsOf(image) {
  const source = image.getAttribute("href") ?? image.getAttributeNS("http://www.w3.org/1999/xlink", "href");
  if (!source?.startsWith("data:")) return null;
  const picture = await imageAt(source);
  const { naturalWidth: width, naturalHeight: height } = picture;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  return context.getImageData(0, 0, width, height);
}

/** @param {string} src */ async function imageAt(src) {
  const image = Object.assign(new Image(), { src });
  await image.decode();
  return image;
}

/** What `use` makes of an SVG text as an image. @template T @param {string} text @param {(image: HTMLImageElement) => T} use */
export async function withImage(text, use) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    return await use(await imageAt(url));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Where rows and columns of cells begin; null where there are too many. @param {ImageData} pixels */
function cellsOf({ data, width, height }) {
  const words = new Uint32Array(data.buffer, data.byteOffset, width * height);
  /** @param {number} length */ const all = (length) => [...Array(length).keys()];
  /** @param {number} first @param {number} other */ const differs = (first, other) => words[first] !== words[other];
  const columns = all(width).filter((x) => !x || all(height).some((y) => differs(y * width + x, y * width + x - 1)));
  const rows = all(height).filter((y) => !y || all(width).some((x) => differs(y * width + x, (y - 1) * width + x)));
  return columns.length * rows.length > MOST ? null : { columns: [...columns, width], rows: [...rows, height] };
}

/** @param {SVGImageElement} image @param {ImageData} pixels @param {{columns: number[], rows: number[]}} cells */
function rectangles(image, { data, width, height }, { columns, rows }) {
  const group = svgNode("g", { "shape-rendering": "crispEdges" });
  for (const name of ["transform", "clip-path", "opacity"]) {
    if (image.hasAttribute(name)) group.setAttribute(name, image.getAttribute(name));
  }
  const [x, y, wide, tall] = /** @type {const} */ (["x", "y", "width", "height"]).map((name) => image[name].baseVal.value);
  const [across, down] = [wide / width, tall / height];
  for (let r = 0; r + 1 < rows.length; r += 1) {
    for (let c = 0; c + 1 < columns.length; c += 1) {
      const at = 4 * (rows[r] * width + columns[c]);
      const [red, green, blue, alpha] = data.subarray(at, at + 4);
      if (!alpha) continue;
      const corner = { x: x + columns[c] * across, y: y + rows[r] * down };
      const size = { width: (columns[c + 1] - columns[c]) * across, height: (rows[r + 1] - rows[r]) * down };
      const numbers = Object.entries({ ...corner, ...size }).map(([name, value]) => [name, value.toFixed(3)]);
      const faint = alpha < 255 ? { "fill-opacity": (alpha / 255).toFixed(3) } : {};
      const look = { fill: `rgb(${red}, ${green}, ${blue})`, ...faint };
      group.append(svgNode("rect", { ...Object.fromEntries(numbers), ...look }));
    }
  }
  return group;
}
