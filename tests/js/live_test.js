// What a live picture knows of its run: history, axes, the ring of class means, proxies, and what it tells Python.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { relative } from "../../assets/src/plot/slide.js";
import { around, belowTheAxis, decades, fromZero, steps } from "../../assets/src/plot/layout.js";
import { Camera } from "../../assets/src/draw/sphere.js";
import { ring } from "../../assets/src/live/circle.js";
import { Desk } from "../../assets/src/live/desk.js";
import { EmbeddingDisc } from "../../assets/src/live/embedding_disc.js";
import { agreement, shareRight } from "../../assets/src/runs/group.js";
import { tickText } from "../../assets/src/lesson/in_place/chart.js";
import { History, thinned } from "../../assets/src/live/history.js";
import { Reports } from "../../assets/src/live/report.js";

const shaped = (values, shape) => Object.assign(Float32Array.from(values), { shape });

Deno.test("what faces the viewer follows the pointer, and a turn changes no size", () => {
  const points = Float32Array.from(
    { length: 150 },
    (_, k) => Math.sin(3 * k + 1),
  );
  for (let k = 0; k < 150; k += 3) {
    const length = Math.hypot(...points.subarray(k, k + 3));
    for (let axis = k; axis < k + 3; axis += 1) points[axis] /= length;
  }
  const camera = new Camera();
  const before = camera.project(points);
  camera.rotate(0.01, 0);
  const right = camera.project(points);
  camera.rotate(-0.01, 0.01);
  const down = camera.project(points);
  for (let i = 0; i < 50; i += 1) {
    ok(
      Math.abs(Math.hypot(before.x[i], before.y[i], before.depth[i]) - 1) <
        1e-5,
    );
    if (before.depth[i] <= 0.5) continue;
    ok(right.x[i] > before.x[i]);
    ok(Math.abs(before.y[i] - down.y[i] - 0.01 * before.depth[i]) < 1e-4);
  }
});

Deno.test("a lesson's file writes shares beside an axis in percent, as Plotly does", () => {
  deepEqual([0, 0.05, 0.15].map((share) => tickText(share, ".0%")), ["0%", "5%", "15%"]);
  deepEqual([tickText(0.05), tickText(20, "d"), tickText(0.01, "~g")], ["0.05", "20", "0.01"]);
});

Deno.test("the ring belongs to the nearest class mean", () => {
  const means = [10, 100, 250].map((degrees) => (degrees * Math.PI) / 180).map((
    a,
  ) => [Math.cos(a), Math.sin(a)]);
  const arcs = ring([...means, null]).map(({ x, y }) => x.map((value, k) => [value, y[k]]).filter(([v]) => v === v));
  deepEqual(arcs.pop(), []);
  arcs.forEach((arc, c) => {
    const nearest = ([x, y]) => {
      const cosines = means.map(([u, v]) => u * x + v * y);
      return cosines.indexOf(Math.max(...cosines));
    };
    // Only ends of arcs touch another class.
    ok(
      arc.slice(1, -1).filter((point) => nearest(point) === c).length >
        0.97 * (arc.length - 2),
    );
  });
  ok(arcs.reduce((sum, arc) => sum + arc.length, 0) >= 240);
});

Deno.test("proxies are drawn with the class that they are of", () => {
  const angles = [5, 15, 25, 95, 105, 115].map((degrees) => (degrees * Math.PI) / 180); // three of class 1, three of 4
  const proxies = shaped(angles.flatMap((a) => [Math.cos(a), Math.sin(a)]), [
    6,
    2,
  ]);
  const desk = Object.assign(new Desk(), {
    subject: { header: { dim: 2, trained: [1, 4] } },
    group: { classes: [2, 4], kinds: [2, 4], kindOf: [2, 4], drawn: [[0], [1]], points: [0, 1] },
    frame: {
      arrays: { "0.view": shaped([1, 0, 0, 1], [2, 2]), "0.proxies": proxies },
    },
    look: { edge: "#ffffff", ink: "#000000", ofClass: (c) => ({ colour: `#00000${c}`, marker: "circle" }) },
  });
  const node = () => ({ setAttribute() {}, append() {}, appendChild: (child) => child });
  globalThis.document = { createElementNS: node };
  const disc = new EmbeddingDisc(desk);
  const drawn = [];
  disc.proxies = (owners, seen) => drawn.push([owners, [...seen.x]]);
  disc.place();
  disc.draw({ width: 100, height: 100, imaged: false, single: null });
  delete globalThis.document;
  const [[owners, x]] = drawn;
  deepEqual(owners, [4, 4, 4], "class 2 was not trained on and has none");
  x.forEach((each, k) => ok(Math.abs(each - Math.cos(angles[3 + k])) < 1e-6));
});

Deno.test("rows of another frame's points stand where they belong, and a picture of none keeps its bounds", () => {
  const plain = globalThis.matchMedia;
  globalThis.matchMedia = () => ({ matches: false });
  const desk = Object.assign(new Desk(), { subject: { header: { dim: 5, trained: [] } }, status: "running" });
  const node = () => ({ setAttribute() {}, append() {}, appendChild: (child) => child });
  globalThis.document = { createElementNS: node };
  const disc = new EmbeddingDisc(desk);
  delete globalThis.document;
  /** @param {number[]} x @param {object} group */ const placed = (x, group) => {
    desk.frame = { arrays: { "0.view": shaped(x.flatMap((each) => [each, 0, 0]), [x.length, 3]) } };
    desk.group = group;
    disc.place();
    return [...disc.seen.x].map((each) => Math.round(10 * each) / 10);
  };
  /** @param {number} n */ const of = (n) => ({ points: [...Array(n).keys()] });
  const two = of(2);
  deepEqual(placed([0.1, 0.5], two), [0.1, 0.5]);
  deepEqual(placed([0.3, 0.9], two), [0.1, 0.5], "points of one group are on their way");
  deepEqual(placed([0.2, 0.4, 0.6], of(3)), [0.2, 0.4, 0.6], "more points than before");
  deepEqual(placed([0.1, 0.3, 0.2], of(3)), [0.1, 0.3, 0.2], "as many, but others");
  const { most } = disc;
  placed([NaN, 0.1], of(2));
  equal(disc.most, most);
  ok(!disc.moved);
  globalThis.matchMedia = plain;
});

Deno.test("history takes each row once and finds steps", () => {
  const history = new History();
  for (let step = 0; step < 3000; step += 10) {
    const rows = [[step - 10, 9], [step, step / 2]].slice(step ? 0 : 1); // the first of them is known already
    const arrays = { rows: shaped(rows.flat(), [rows.length, 2]) };
    history.add({ header: { step, columns: ["loss"], members: [{}] }, arrays });
  }
  deepEqual([history.count, history.latest, history.frames.size], [
    300,
    2990,
    300,
  ]);
  deepEqual([0, 9, 10, 15, 2990, 1e9].map((step) => history.row(step)), [
    0,
    0,
    1,
    1,
    299,
    299,
  ]);
  deepEqual([0, 7, 999].map((row) => history.at("loss", row)), [0, 35, NaN]);
  const thin = thinned(history.column("step"), 50);
  ok(thin.length <= 50);
  equal(thin.at(-1), 2990);
});

Deno.test("history names the columns of each seed of each member", () => {
  const history = new History();
  const rows = shaped([10, ...Array(8).keys()], [1, 9]);
  history.add({
    header: { step: 10, columns: ["map", "r1"], members: [{}, {}] },
    arrays: { rows },
  });
  const names = [
    "0.0.map",
    "0.0.r1",
    "0.1.map",
    "0.1.r1",
    "1.0.map",
    "1.0.r1",
    "1.1.map",
    "1.1.r1",
  ];
  deepEqual([...history.columns.keys()], ["step", ...names]);
  deepEqual(names.map((name) => history.at(name, 0)), [...names.keys()]);
});

Deno.test("axes stay while the values fit them", () => {
  const first = fromZero(null, 0.9);
  ok(fromZero(first, 0.95) === first && fromZero(first, 0.4) === first);
  ok(fromZero(first, 2)[1] >= 2);
  const [, shrunk] = fromZero(first, 0.1);
  ok(shrunk >= 0.1 && shrunk <= 0.16);
  ok(around(null, 0, 0.9)[0] < 0, "a line along zero is not cut in half");
  const [low, high] = around(null, -0.5, 0.2);
  ok(low <= -0.5 && high >= 0.2);
  deepEqual([decades(null, 0.003, 0.4), decades(null, Infinity, -Infinity)], [[
    -3,
    0,
  ], [-2, 0]]);
  deepEqual([steps(30, 1000), steps(600, 1000), steps(0, 0)], [[0, 30], [
    0,
    1000,
  ], [0, 10]]);
});

Deno.test("what the picture told Python does not come back as a request, and nothing is told after its end", () => {
  const waiting = [];
  const { setTimeout: plain, clearTimeout: clear } = globalThis;
  globalThis.setTimeout = (act) => waiting.push(act);
  globalThis.clearTimeout = (timer) => timer && (waiting[timer - 1] = null);
  globalThis.document = { querySelector: () => null };
  const later = () => waiting.splice(0).forEach((act) => act?.());
  const sent = [];
  const send = (name, value) => sent.push([name, value]);
  const component = (data) => ({
    data,
    setStateValue: (name, { value, at }) => ok(at > 0) || send(name, value),
    setTriggerValue: send,
  });
  const reports = new Reports();
  const requests = [
    reports.take(component({ step: null, query: 4, status: "running" })),
  ];
  reports.send("step", 30);
  reports.send("step", 40);
  later();
  requests.push(reports.take(component({ step: 40, query: 4 })));
  reports.send("step", null);
  later();
  reports.send("step", 40); // which Python knows, but for what it is about to hear
  later();
  reports.send("step", null);
  later();
  requests.push(reports.take(component({ step: null, query: 4 })));
  requests.push(reports.take(component({ step: 70, query: 4 })));
  for (const status of ["running", "done", "done"]) reports.status(status);
  reports.fallback();
  reports.fallback();
  reports.send("query", 5);
  reports.close();
  later();
  Object.assign(globalThis, { setTimeout: plain, clearTimeout: clear });
  deepEqual(requests, [{ query: 4 }, {}, {}, { step: 70 }]);
  deepEqual(sent, [
    ["step", 40],
    ["step", null],
    ["step", 40],
    ["step", null],
    ["status", "done"],
    ["fallback", true],
  ]);
});

Deno.test("answers in any order show the step that was asked for last, and none of before a reset", async () => {
  const waiting = new Map();
  const source = {
    at: (step) => new Promise((answer) => waiting.set(step, () => answer(frame(step)))),
  };
  const frame = (step) => ({
    header: {
      kind: "frame",
      step,
      latest: 40,
      status: "running",
      columns: ["loss"],
      members: [],
    },
    arrays: { rows: shaped([step, step], [1, 2]) },
  });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
  const picture = { found() {}, came() {}, open() {}, redraw() {} };
  const desk = Object.assign(
    new Desk(picture, { status() {}, send() {} }, null),
    { source, frame: frame(30) },
  );
  const asked = desk.go(10);
  desk.go(20);
  await desk.came(frame(40)); // news overtakes the answers
  waiting.get(10)();
  await turn();
  waiting.get(20)();
  await asked;
  deepEqual([desk.frame.header.step, desk.newest.header.step], [20, 40]);
  const late = desk.go(30);
  desk.restarted();
  deepEqual(
    [desk.history.latest, desk.rows()],
    [40, 0],
    "the curves stay until the first frame is there",
  );
  desk.go(desk.history.at("step", 0)); // the slider is moved before the run has shown anything again
  desk.go(0);
  waiting.get(30)();
  await turn();
  waiting.get(0)();
  await late;
  ok(!waiting.has(NaN));
  await desk.came(frame(10));
  deepEqual([desk.frame.header.step, desk.history.latest, desk.history.count], [
    0,
    10,
    2,
  ]);
  desk.source = { at: () => null }; // not in time
  await desk.go(5);
  await desk.came(frame(5));
  equal(desk.frame.header.step, 5);
  desk.status = "done";
  desk.go(10);
  desk.report();
  ok(
    desk.following,
    "what comes after the last step of a run that rests is shown",
  );
  const requested = [];
  desk.reports.send = (_, step) => requested.push(step);
  desk.source = { throughPython: true, at: () => null };
  const reached = desk.reach(15);
  deepEqual(requested, [15]);
  await turn();
  await desk.came(frame(15));
  await reached;
  equal(desk.frame.header.step, 15);
});

Deno.test("a new frame is drawn once its maps are made, or without them where they take long", async () => {
  let drawn = 0;
  const picture = { found() {}, redraw: () => (drawn += 1) };
  const frame = (step) => ({
    header: { kind: "frame", step, latest: step, status: "running", columns: ["loss"], members: [] },
    arrays: { rows: shaped([step, step], [1, 2]) },
  });
  const desk = Object.assign(new Desk(picture, { status() {} }, null), { subject: { arrays: {} } });
  let made;
  desk.history.maps.follow = () => new Promise((resolve) => (made = resolve));
  const came = desk.came(frame(1));
  await Promise.resolve();
  equal(drawn, 0);
  made();
  await came;
  equal(drawn, 1);
  await desk.came(frame(2)); // its maps are never made
  equal(drawn, 2);
});

Deno.test("a run that its server has lost is asked for when the page is connected and rests, until there is another one", () => {
  const { setTimeout: plain, clearTimeout: clear, document } = globalThis;
  const waits = [];
  let [next, connected, testScriptState] = [null, false, "notRunning"];
  globalThis.setTimeout = (act, wait) => (waits.push(wait), next = act);
  globalThis.clearTimeout = (act) => act === next && (next = null);
  const querySelector = (name) => name.includes("script") ? { dataset: { testScriptState } } : connected || null;
  globalThis.document = { querySelector };
  const [asked, lost] = [[], () => asked.push("lost")];
  const page = (url) => ({
    data: { url },
    setTriggerValue: (...sent) => asked.push(sent),
  });
  const reports = new Reports();
  reports.take(page("/live/replaced"));
  reports.gone(lost);
  reports.take(page("/live/lost"));
  equal(next, null);
  reports.gone(lost);
  next();
  [connected, testScriptState] = [true, "running"];
  next();
  equal(asked.length, 0);
  testScriptState = "notRunning";
  next();
  reports.take(page("/live/lost"));
  next();
  reports.take(page("/live/back"));
  Object.assign(globalThis, {
    setTimeout: plain,
    clearTimeout: clear,
    document,
  });
  equal(next, null);
  deepEqual(waits, [250, 250, 100, 100, 8000, 8000]);
  deepEqual(asked, Array(2).fill(["lost", ["status", "gone"]]).flat());
});

Deno.test("a symbol of Plotly's is written as moves from wherever it begins", () => {
  equal(
    relative("M4,0A4,4 0 1,1 0,-4A 4,4 0 0,1 4,0Z"),
    "m4 0a4 4 0 1 1 -4 -4a4 4 0 0 1 4 4Z",
  );
  equal(relative("M4,1H1V4H-4L0,-4Z"), "m4 1l-3 0l0 3l-5 0l4 -8Z");
  equal(relative("M0,2l2,2l2,-2Z"), "m0 2l2,2l2,-2Z");
});

Deno.test("a run that has begun without a picture does not give its status to the run on the screen", async () => {
  const shown = [];
  const picture = {
    found() {},
    came: () => shown.push("came"),
    open() {},
    redraw() {},
  };
  const desk = Object.assign(
    new Desk(picture, { status() {}, send() {} }, null),
    { status: "recorded" },
  );
  desk.begun({ header: {}, arrays: { y: [] } });
  await desk.came({
    header: { kind: "tick", status: "running", latest: -1 },
    arrays: {},
  });
  deepEqual([desk.status, desk.now, shown], ["recorded", null, []]);
});

Deno.test("the loss of a loop that trains elsewhere has every step, and its gap where it is not finite", () => {
  const history = new History();
  history.losses = new Float32Array([1, 3, 3, 2, 1, 2, 4, NaN, NaN]);
  deepEqual(history.lossCurve(), [[1, 2, 2, 4], [3, 1, 2, NaN]]);
});

Deno.test("a length that becomes 0 goes down to the foot of its logarithmic axis, and up again", () => {
  deepEqual(belowTheAxis([3, 2, 0, 0, 1, 4], 0.1), [NaN, 2, 0.1, 0.1, 1, NaN]);
  deepEqual(belowTheAxis(Float32Array.of(3, 2), 0.1), [NaN, NaN]);
});

Deno.test("a picture says its own share of right neighbours and, where it differs from R@1 by more than .1, why", () => {
  const at = { x: [0, 1, 10, 11, 12.5, NaN], y: [0, 0, 0, 0, 0, 0] };
  equal(shareRight(at, [0, 1, 2, 3, 4], [0, 0, 1, 1, 0]), 4 / 5);
  equal(shareRight(at, [0, 1, 2], [0, 1, 1]), 0.5);
  equal(shareRight(at, [0, 1, 2, 4], [0, 0, 1, 1, 2]), 1, "a point alone in its class does not count");
  ok(Number.isNaN(shareRight(at, [0, 2], [0, 1, 1])), "nobody can be right");
  for (const [right, seen, says] of [[0.62, 0.6, false], [0.62, 0.52, false], [0.62, 0.5, true], [0.1, 0.25, true]]) {
    for (const [picture, why] of [["map", /does not show what the net has learned/], ["plane", /two directions cannot keep/]]) {
      const words = agreement(right, seen, 64, picture);
      match(words, new RegExp(`${right.toFixed(2)} in 64 dimensions, ${seen.toFixed(2)} in this ${picture}`));
      equal(why.test(words), says);
    }
  }
});
