// The sizes of a drawing and of its words, and what is to be said of them.

const [PIXELS, POINTS] = [96, 72]; // to the inch
export const SMALLEST = 6; // points of a letter that is read in print
const HIGHEST = 9; // inches of a drawing on a page of print
const SAME = 0.99; // of a size: a smaller difference is not said

/** Of a drawing in the document: `range`, the points of its smallest and its largest words, null without any; and of its least
 * `indices`.
 * @param {SVGSVGElement} svg */
export function sizesOf(svg) {
  const sizes = [.../** @type {NodeListOf<SVGTextElement>} */ (svg.querySelectorAll("text:not([aria-hidden])"))].map((text) => {
    const { a, b, c, d } = text.getScreenCTM();
    const unit = (POINTS / PIXELS) * Math.sqrt(Math.abs(a * d - b * c));
    const each = [text, ...text.children].map((node) => unit * parseFloat(getComputedStyle(node).fontSize));
    const parts = text.children.length ? each.slice(1) : each;
    return { words: Math.max(...parts), indices: Math.min(...parts) };
  });
  const words = sizes.map(({ words }) => words);
  const range = words.length ? [Math.min(...words), Math.max(...words)] : null;
  return { range, indices: Math.min(Infinity, ...sizes.map(({ indices }) => indices)) };
}

/** Notes on words that are smaller than asked for, and on indices that are hardly read.
 * @param {number[] | null} range @param {number} indices @param {ExportOptions} options */
export function smaller(range, indices, { points }) {
  if (!range || !points) return [];
  /** @param {number} size */ const plain = (size) => Number(size.toFixed(1));
  const words = `The smallest words have ${plain(range[0])} pt; ${points} pt were asked for.`;
  const small = indices < SAME * Math.min(SMALLEST, range[0]);
  return [...(range[0] < SAME * points ? [words] : []), ...(small ? [`Indices have ${plain(indices)} pt.`] : [])];
}

/** A note on a drawing that is higher than a page, where no height was asked for.
 * @param {Size} inches @param {Pick<ExportOptions, "height" | "points">} options */
export function taller({ height }, options) {
  if (options.height || !options.points || height <= HIGHEST) return [];
  return [`It is ${height.toFixed(1)} in high; a page of print has about ${HIGHEST} in.`];
}
