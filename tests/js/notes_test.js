// Notes of charts that are wider than the picture.
import { withNotesInside } from "../../assets/src/plot/notes.js";

const LAYOUT = { margin: { r: 10 }, template: { layout: { margin: { l: 50, r: 99 }, font: { size: 10 } } } };
const half = (line, size) => line.length * size * 0.5; // the width of a line whose letters are half as wide as high
const sizeOf = (note, wide) => {
  const [out] = withNotesInside(
    { ...LAYOUT, annotations: [{ xref: "paper", ...note }] },
    wide,
    half,
  ).annotations;
  return out.font?.size ?? 10;
};

function equal(one, other) {
  if (Math.abs(one - other) > 1e-9) throw new Error(`${one} is not ${other}`);
}

Deno.test("letters of a note are smaller by as much as its longest line is wider than its room", () => {
  equal(sizeOf({ x: 0, text: "<b>0123456789</b>01234<br>012" }, 131), 10); // 75 px at 50 px and 6 around it: just inside
  equal(sizeOf({ x: 0, text: "<b>0123456789</b>01234<br>012" }, 116), 8); // 60 px for 75
  equal(sizeOf({ x: 1, text: "0123456789" }, 56), 8); // 40 px on the left of its end
  equal(sizeOf({ x: 0.5, text: "0123456789", font: { size: 20 } }, 110), 12.8); // 35 px at each side, less the edge, for 100
  equal(sizeOf({ x: 0, xshift: 10, text: "0123456789" }, 106), 8);
});

Deno.test("the margins of what was drawn count", () => {
  const layout = { ...LAYOUT, annotations: [{ xref: "paper", x: 0, text: "0123456789" }] };
  const [out] = withNotesInside(layout, 106, half, { l: 60, r: 10 }).annotations;
  equal(out.font.size, 8); // 40 px for 50
});

Deno.test("letters stay readable, and notes at values of an axis or on end as they are", () => {
  equal(sizeOf({ x: 0, text: "0".repeat(99) }, 100), 6);
  equal(sizeOf({ x: 3, xref: "x", text: "0".repeat(99) }, 100), 10);
  equal(sizeOf({ x: 0, textangle: -90, text: "0".repeat(99) }, 100), 10);
});
