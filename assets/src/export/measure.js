// The faults of a drawing's words: letters that the page cuts, and letters that overlap.

const TRIM = 0.25; // of a line's height above and below, where few letters reach
const TOUCH = 0.8; // px by which two words may lie on each other
const SLACK = 0.5; // px beyond the page
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u; // such as what Plotly puts around a subscript; fonts draw a box for it
/** @type {CanvasRenderingContext2D | null} */ let pen = null;

/** The width of `words` in letters of `size` px. @param {string} words @param {number} size @param {string} family */
export function textWidth(words, size, family, bold = false) {
  return measured(words, `${bold ? 600 : 400} ${size}px ${family}`).width;
}

/** Words in lines, as many in each as it `fits`. @param {string[]} words @param {(line: string) => boolean} fits */
export function inLines(words, fits) {
  const lines = [""];
  for (const word of words) {
    if (lines.at(-1) && !fits(`${lines.at(-1)} ${word}`)) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

/** How far from its baseline the middle of a font is, in px of letters of `size`.
 * @param {number} size @param {string} family @param {string} weight */
export function middleHeight(size, family, weight) {
  const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = measured("x", `${weight} ${size}px ${family}`);
  return (above - below) / 2;
}

/** @param {string} words @param {string} font */ function measured(words, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = font;
  return pen.measureText(words);
}

/** @param {Element} node */ function* textsIn(node) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) yield /** @type {Text} */ (walker.currentNode);
}

/** The letters of a text that are seen, by their part of it: {parent, style, letters: {letter, index}}. The browser has no place
 * for spaces that it collapses, and counts no index for them.
 * @param {SVGTextElement} text */
export function runs(text) {
  const parts = [];
  const count = text.getNumberOfChars();
  let [index, spaced] = [0, true];
  for (const part of textsIn(text)) {
    const letters = [];
    const { parentElement: parent } = part;
    const style = getComputedStyle(parent);
    const collapses = !style.whiteSpace.startsWith("pre");
    for (const letter of part.data) {
      const space = collapses && /[ \t\n]/.test(letter);
      if (space && spaced) continue;
      spaced = space;
      if (index < count && !UNSEEN.test(letter)) letters.push({ letter, index });
      index += letter.length;
    }
    if (letters.length && style.visibility === "visible") parts.push({ parent, style, letters });
  }
  return parts;
}

/** The opacity that the elements between a text and its words give them, without the text's own.
 * @param {Element} part @param {Node} whole */
export function opacityWithin(part, whole) {
  let opacity = 1;
  for (let at = part; at !== whole; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
  return opacity;
}

/** {l, r, t, b}: how far words reach beyond the sides of a drawing in the document; and `over`, how many overlap.
 * @param {SVGSVGElement} svg */
export function faults(svg) {
  const page = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / page.width;
  const words = [...svg.querySelectorAll("text")].flatMap(shapes);
  const beyond = { l: 0, r: 0, t: 0, b: 0 };
  for (const { corners } of words) {
    for (const { x, y } of corners) {
      beyond.l = Math.max(beyond.l, page.left - x);
      beyond.r = Math.max(beyond.r, x - page.right);
      beyond.t = Math.max(beyond.t, page.top - y);
      beyond.b = Math.max(beyond.b, y - page.bottom);
    }
  }
  let over = 0;
  words.forEach((shape, i) => {
    for (const other of words.slice(0, i)) if (shape.node !== other.node && depth(shape, other) * scale > TOUCH) over += 1;
  });
  const cut = Object.entries(beyond).map(([side, by]) => [side, by * scale > SLACK ? by * scale : 0]);
  return { cut: Object.fromEntries(cut), over };
}

/** The lines of a text as rectangles that may be turned, in px of the screen. @param {SVGTextElement} node */
function shapes(node) {
  const { a, b } = node.getScreenCTM();
  if (Math.abs(b) > 0.01 * Math.abs(a)) {
    const box = node.getBBox();
    if (!node.textContent.trim()) return [];
    const trim = TRIM * box.height;
    const [top, bottom] = [box.y + trim, box.y + box.height - trim];
    /** @param {number} x @param {number} y */ const at = (x, y) => new DOMPoint(x, y).matrixTransform(node.getScreenCTM());
    const [left, right] = [box.x, box.x + box.width];
    return [{ node, corners: [at(left, top), at(right, top), at(right, bottom), at(left, bottom)] }];
  }
  const rectangles = [];
  for (const part of textsIn(node)) {
    if (!part.data.replace(/[\u200b\ufeff]/g, "").trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(part);
    const { left, right, top, bottom, height } = range.getBoundingClientRect();
    const [high, low] = [top + TRIM * height, bottom - TRIM * height];
    rectangles.push({ node, corners: [[left, high], [right, high], [right, low], [left, low]].map(([x, y]) => ({ x, y })) });
  }
  return rectangles;
}

// How deep two convex shapes lie in each other: the least overlap along any of their sides' normals; 0 for none.
/** @param {WordShape} shape @param {WordShape} other */ function depth(shape, other) {
  let least = Infinity;
  for (const { corners } of [shape, other]) {
    for (let k = 0; k < 2; k += 1) {
      const [p, q] = [corners[k], corners[k + 1]];
      const length = Math.hypot(q.x - p.x, q.y - p.y) || 1;
      /** @param {Place} corner */ const along = ({ x, y }) => ((q.x - p.x) * x + (q.y - p.y) * y) / length;
      const [a, b] = [shape, other].map((shape) => shape.corners.map(along));
      least = Math.min(least, Math.min(Math.max(...a), Math.max(...b)) - Math.max(Math.min(...a), Math.min(...b)));
      if (least <= 0) return 0;
    }
  }
  return least;
}
