// Panels of all losses beside a scene that is moved.
import { deepEqual } from "node:assert/strict";
import { fromScene } from "../../assets/src/gradients/contents.js";

const response = (dim) => {
  const [z, arrows] = [new Float64Array(2 * dim), new Float64Array(2 * dim)];
  return { scene: { dim, n: 2, z, y: [0, 1] }, others: z, along: arrows, lengths: [0, 0], value: 0, norm: 0, m: 2, rows: 1 };
};

Deno.test("a loss whose gradient is still that of the circle is not drawn on the sphere", () => {
  const found = { triplet: response(3), circle: response(2) };
  const names = ["triplet", "circle", "margin"];
  const drawn = (dim, known) => fromScene({ found, names, scene: { dim } }, known, { part: "tangent" });
  deepEqual(drawn(3, { margin: { n: 2, dim: 2 } }).map((content) => content?.name ?? null), ["triplet", null, null]);
  deepEqual(drawn(2, { margin: { n: 2, dim: 2, name: "margin" } }).map((content) => content?.name ?? null), [
    null,
    "circle",
    "margin",
  ]);
});
