const SMALLEST = 0.6; // of the size of a note's letters; smaller ones could not be read
const EDGE = 6; // px that Plotly leaves around a note, with what its bold letters are wider than semi-bold ones
const MARKUP = /<[^>]*>/g;

/** The layout with smaller letters in notes that would end outside of a picture `wide` px wide; `lineWidth` is the width of a
 * line in letters of so many px of a font, bold or not. `drawn` has the margins of the picture that was drawn, which names of an
 * axis may widen.
 * @param {Layout} layout @param {number} wide @param {(line: string, size: number, family: string, bold: boolean) => number} lineWidth
 * @param {{l?: number, r?: number}} drawn @returns {Layout} */
export function withNotesInside(layout, wide, lineWidth, drawn = {}) {
  const shared = layout.template?.layout ?? {};
  const { l = 0, r = 0 } = { ...shared.margin, ...layout.margin, ...drawn };
  const annotations = layout.annotations?.map((note) => {
    if (note.xref !== "paper" || note.textangle || !note.text) return note;
    const { size = 12, family = "sans-serif" } = { ...shared.font, ...layout.font, ...note.font };
    const at = l + note.x * (wide - l - r) + (note.xshift ?? 0);
    const room = { left: wide - at, right: at, center: 2 * Math.min(at, wide - at) }[anchorOf(note)];
    /** @param {string} line */ const widthOf = (line) =>
      line.split(/<\/?b>/).reduce((sum, part, k) => sum + lineWidth(part.replace(MARKUP, ""), size, family, k % 2 === 1), 0);
    const share = Math.max(SMALLEST, (room - EDGE) / Math.max(...note.text.split(/<br ?\/?>/).map(widthOf)));
    return share < 1 ? { ...note, font: { ...note.font, size: size * share } } : note;
  });
  return annotations ? { ...layout, annotations } : layout;
}

// Which end of a note is at its place: of one that says nothing, the end that is nearer to a side of the picture.
/** @param {Layout["annotations"][number]} note */ function anchorOf({ x, xanchor = "auto" }) {
  if (xanchor !== "auto") return xanchor;
  return x < 1 / 3 ? "left" : x > 2 / 3 ? "right" : "center";
}
