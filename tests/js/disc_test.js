// Points on a plane or a sphere: what is seen of them, and which one is pointed at.
import { deepEqual, equal, ok } from "node:assert/strict";
import { Cloud } from "../../assets/src/draw/cloud.js";

const SIDE = 316; // px of the picture; its half without the edge is 150
const node = () => ({
  children: [],
  dataset: {},
  style: {},
  clientWidth: SIDE,
  clientHeight: SIDE,
  classList: { toggle() {} },
  append(...more) {
    this.children.push(...more);
  },
  appendChild(child) {
    this.children.push(child);
    return child;
  },
  replaceChildren(...others) {
    this.children = others;
  },
  setAttribute() {},
  insertBefore(child) {
    return child;
  },
  addEventListener(type, act) {
    this[`on${type}`] = act;
  },
  getBoundingClientRect: () => ({ left: 0, top: 0, width: SIDE, height: SIDE }),
});

/** A disc of rows without a page. */
function disc(rows, wide, select) {
  const plain = { document: globalThis.document, ResizeObserver: globalThis.ResizeObserver };
  globalThis.document = { createElement: node, createElementNS: node, hidden: true };
  globalThis.ResizeObserver = class {
    observe() {}
  };
  const made = new Cloud(() => {}, select);
  Object.assign(globalThis, plain);
  made.redraw = () => {};
  made.take(Object.assign(Float32Array.from(rows), { shape: [rows.length / wide, wide] }));
  return made;
}

const at = (clientX, clientY, more = {}) => ({ clientX, clientY, ...more });
const round = ({ x, y }) => [Math.round(x), Math.round(y)];

Deno.test("all points fill the picture, and the one under the pointer is found", () => {
  const made = disc([10, 20, 14, 20, 12, 24], 2);
  deepEqual([0, 1, 2].map((i) => round(made.pixel(i))), [[8, 308], [308, 308], [158, 8]]);
  equal(made.pointAt(at(300, 300)), 1);
  equal(made.pointAt(at(158, 158)), null);
});

Deno.test("a drag moves the points with the pointer, and a zoom keeps what is under it", () => {
  const made = disc([0, 0, 2, 0, 1, 2], 2);
  made.move(30, -20);
  deepEqual(round(made.pixel(0)), [38, 288]);
  const place = { x: -120, y: 130 }; // of point 0, from the middle of the picture
  made.zoom(4, place);
  deepEqual(round(made.pixel(0)), [38, 288]);
  ok(!made.pixel(1).inside);
  made.whole();
  deepEqual(round(made.pixel(0)), [8, 308]);
});

Deno.test("a class that is zoomed to fills most of the picture, and a stray of it does not keep it small", () => {
  const near = Array.from({ length: 40 }, (_, k) => [k / 1000, (k % 7) / 1000]).flat();
  const made = disc([...near, 50, 50, -50, -50], 2);
  made.zoomTo([...Array(41).keys()]);
  ok(made.reach < 2);
  ok(made.pixel(3).inside && !made.pixel(41).inside);
});

Deno.test("of two points in line the one in front is found, and after a turn the other", () => {
  const made = disc([0, 0, 1, 0, 0, -1], 3);
  Object.assign(made.camera, { turn: 0, tilt: Math.PI / 2 });
  made.take(made.rows);
  equal(made.pointAt(at(158, 158)), 0);
  for (let k = 0; k < 36; k += 1) made.root.onkeydown({ key: "ArrowUp", preventDefault() {} });
  equal(made.pointAt(at(158, 158)), 1);
});

Deno.test("a pale point gives way to one in colour, and keys step through those in sight", () => {
  const made = disc([0, 0, 0.01, 0, 5, 5, 0.02, 0], 2);
  made.colour({ kindOf: [0, 1, 0, 1], ofKind: () => ({ colour: "#000000", marker: "circle" }), pale: Uint8Array.of(1, 0, 1, 0) });
  equal(made.pointAt(at(8, 308)), 1);
  const step = (key) => (made.root.onkeydown({ key, preventDefault() {} }), made.lit);
  deepEqual([step("n"), step("n"), step("n"), step("p")], [1, 3, 1, 3]);
});

Deno.test("few points in sight are named, for their images, and none where there are many", () => {
  const made = disc([0, 0, 2, 0, 1, 2], 2);
  deepEqual([made.inSight(3), made.inSight(2)], [[0, 1, 2], []]);
  made.zoomTo([0]);
  deepEqual(made.inSight(2), [0]);
});
