/** The height, in px, that a figure has where its page is presented, else Infinity. @param {Element} node */
export function presentedHeight(node) {
  return parseFloat(getComputedStyle(node).getPropertyValue("--dml-room")) || Infinity;
}

/** In how many columns `many` equal squares, each with `words` px of words, are largest in `width` by `tall` px, and their side.
 * @param {number} width @param {number} tall @param {number} many @param {number} gap @param {number} words */
export function largestIn(width, tall, many, gap, words) {
  /** @param {number} columns */ const side = (columns) => {
    const rows = Math.ceil(many / columns);
    return Math.min((width - gap * (columns - 1)) / columns, (tall - gap * (rows - 1)) / rows - words);
  };
  let columns = 1;
  for (let more = 2; more <= many; more += 1) if (side(more) > 1.02 * side(columns)) columns = more;
  return { columns, side: side(columns) };
}

/** How many of `many` equal cells are in a row: as many as there is room for, at least two, and the last row as full as the
 * others.
 * @param {number} width @param {number} many @param {number} least @param {number} gap */
export function columnsFor(width, many, least, gap) {
  const most = Math.max(2, Math.floor((width + gap) / (least + gap)));
  return Math.max(1, Math.ceil(many / Math.max(1, Math.ceil(many / most))));
}
