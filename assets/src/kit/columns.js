/** How many of `many` equal cells are in a row: as many as there is room for, at least two, and the last row as full as the others. */
export function columnsFor(width, many, least, gap) {
  const most = Math.max(2, Math.floor((width + gap) / (least + gap)));
  return Math.max(1, Math.ceil(many / Math.max(1, Math.ceil(many / most))));
}
