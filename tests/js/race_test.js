// The race: labels that keep apart, spreads over seeds, and what is said of the racers.
import { mirrors, turned } from "../../assets/src/race/turned.js";
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { firstStep, spread } from "../../assets/src/race/data.js";
import { lettered, placed, spaced } from "../../assets/src/race/labels.js";
import { together, whyLast } from "../../assets/src/race/last.js";
import { stacked } from "../../assets/src/race/stack.js";
import { racerKey } from "../../assets/src/race/style.js";
import { marked, meet, pieces } from "../../assets/src/race/stripes.js";
import { RacerDesk } from "../../assets/src/race/racer_desk.js";
import { caution, reading, target } from "../../assets/src/race/table.js";

Deno.test("labels keep their order, their distance and the frame", () => {
  const cases = [
    [100],
    Array(12).fill(100),
    [0, 200, 150],
    [180, 183, 20, 21],
    [NaN, 50, NaN, 51],
  ];
  for (const wanted of cases) {
    const found = placed(wanted, 13, 10, 184);
    const order = [...wanted.keys()].filter((k) => wanted[k] === wanted[k])
      .sort((a, b) => wanted[a] - wanted[b]);
    const heights = order.map((k) => found[k]);
    ok(heights[0] >= 10 - 1e-9 && heights.at(-1) <= 184 + 1e-9);
    const sorted = heights.toSorted((a, b) => a - b);
    sorted.slice(1).forEach((height, k) => ok(height - sorted[k] >= 13 - 1e-9));
    heights.slice(1).forEach((height, k) => ok(height >= heights[k]));
  }
  deepEqual(
    placed([100, 100, 20, 100], 10, 0, 200),
    [90, 100, 20, 110],
    "around what they want",
  );
});

Deno.test("a racer on images of its own has its own classes, dimension and points", () => {
  const subject = {
    header: {
      classes: ["0", "1"],
      members: [{}, { dim: 3, data: 1 }],
      data: [{ classes: ["sun"] }],
    },
    arrays: {
      "y": [0, 1],
      "unseen": [1, 1],
      "data1.y": [0, 0, 0],
      "data1.unseen": [1, 0, 1],
    },
  };
  const pointed = [];
  const desk = {
    subject,
    dim: 2,
    group: { name: "unseen", points: [0, 1] },
    hover: (i) => pointed.push(i),
  };
  const [first, second] = [0, 1].map((k) => new RacerDesk(desk, k));
  equal(first.subject, subject);
  deepEqual([first.dim, second.dim, second.solid], [2, 3, true]);
  deepEqual(second.subject.header.classes, ["sun"]);
  deepEqual(second.group.points, [0, 2]);
  second.hover(2);
  second.hover(null);
  deepEqual(pointed, [502, null]);
  desk.hovered = 502;
  deepEqual([first.hovered, second.hovered, second.step(1)], [null, 2, 0]);
  desk.hovered = 1;
  deepEqual([first.hovered, second.hovered], [1, null]);
});

Deno.test("a racer whose frames show other points each time has those of the frame", () => {
  const subject = {
    header: {
      classes: ["0", "1"],
      members: [{}, { data: 1 }],
      data: [{ classes: ["old"] }],
    },
    arrays: {
      "y": [0, 1],
      "unseen": [1, 1],
      "data1.y": [0],
      "data1.unseen": [1],
    },
  };
  const frame = {
    header: { members: [{}, { names: ["7", "9"] }] },
    arrays: { "1.y": [1, 0, 1] },
  };
  const racer = new RacerDesk({
    subject,
    frame,
    dim: 2,
    group: { name: "unseen", points: [0, 1] },
  }, 1);
  deepEqual(racer.subject.header.classes, ["7", "9"]);
  deepEqual([racer.group.points, racer.group.classes], [[0, 1, 2], [0, 1]]);
  equal(racer.labels, frame.arrays["1.y"]);
});

Deno.test("the spread is that of the seeds that have a value", () => {
  const values = { "1.0.map": [0.2], "1.1.map": [0.5], "1.2.map": [0.3, 0.7] };
  const history = { at: (name, row) => values[name]?.[row] ?? NaN };
  const three = spread(history, 3, 1, "map", 0);
  deepEqual([three.low, three.high], [0.2, 0.5]);
  ok(
    Math.abs(three.mean - 1 / 3) < 1e-12 &&
      Math.abs(three.sd - 0.15275252) < 1e-7,
  );
  const { mean, sd, count } = spread(history, 3, 1, "map", 1);
  deepEqual([mean, sd, count], [0.7, NaN, 1]);
});

Deno.test("racers are compared by the step at which they came to what half of them have", () => {
  equal(target([0.5, 0.319, 0.1, NaN, 0.4]), 0.31);
  equal(target([0.52, 0.219]), 0.21);
  ok(Number.isNaN(target([NaN])));
  const columns = {
    "step": [0, 10, 20, 30],
    "0.0.map": [0.1, 0.3, 0.2, 0.5],
    "0.1.map": [0.1, 0.1, 0.3, 0.5],
  };
  const history = { at: (name, row) => columns[name]?.[row] ?? NaN };
  const first = (goal, row) => firstStep(history, 2, 0, "map", goal, row);
  deepEqual([
    first(0.1, 3),
    first(0.2, 3),
    first(0.25, 2),
    first(0.25, 3),
    first(0.6, 3),
  ], [0, 10, 20, 20, NaN]);
});

Deno.test("the caution names the lead and how far a seed moves a racer, or that racers are level", () => {
  const racers = ["A", "B", "C"].map((letter) => ({ letter }));
  const means = [{ mean: 0.5, low: 0.45, high: 0.52 }, {
    mean: 0.54,
    low: 0.48,
    high: 0.6,
  }];
  const several = caution(racers, means, 3);
  match(
    several,
    /B leads A by 0.04 mAP, while the seed alone moves one racer by up to 0.12.$/,
  );
  match(caution(racers, means, 1), /one seed tells nothing/);
  match(caution(racers, means, 1, true), /^Of one run each: /);
  equal(caution(racers, means.slice(0, 1), 1), "");
  const one = { mean: 0.45, low: 0.45, high: 0.45 };
  match(
    caution(racers, [one, one, { ...one, mean: 0.2 }], 1),
    /A and B are level at 0.45 mAP/,
  );
  match(
    caution(racers, [one, { ...one, mean: 0.4465 }, one], 1),
    /A, C and B are level/,
  );
});

Deno.test("what bands and columns are is said for one seed and for several", () => {
  match(reading(3), /from the lowest to the highest/);
  ok(!reading(1).includes("mean"));
  for (const seeds of [1, 3]) match(reading(seeds), /In all: .* whichever step is shown. Seconds:/);
});

Deno.test("a key of a file names every racer in lines that fit", () => {
  const racers = [
    { letter: "A", title: "Triplet, margin 0.5" },
    {
      letter: "B",
      title: "Multi-Similarity, alpha 3, beta 40",
      branch: [1200, 0],
    },
  ];
  deepEqual(
    racerKey({}, racers).map(({ text, sign }) => [text, Boolean(sign)]),
    [
      ["A Triplet, margin 0.5", true],
      ["B Multi-Similarity, alpha 3, beta", true],
      ["40, from A at step 1,200", false],
    ],
  );
});

Deno.test("letters stand on their lines and never above one another", () => {
  const lines = Array.from(
    { length: 12 },
    (_, k) =>
      [[30, 0], [200, 85], [390, 85]].map(([x, rise]) => ({
        x,
        y: 10 * k + rise,
      })),
  );
  const places = lines.map((points, k) => lettered(points, k, lines.length, 15, 30, 400));
  places.forEach((letters, k) => {
    ok(letters.length);
    for (const { x, y } of letters) {
      ok(Math.abs(y - 10 * k - (Math.min(x, 200) - 30) / 2) < 1e-9);
    }
  });
  const across = places.flat().map(({ x }) => x).sort((a, b) => a - b);
  across.slice(1).forEach((x, k) => ok(x - across[k] >= 15 - 1e-9));
});

Deno.test("a measured point is marked where it is apart from others", () => {
  deepEqual(
    spaced([0, 1, 3, 20, 40, 43].map((x) => ({ x })), 6).map(({ x }) => x),
    [20],
  );
});

Deno.test("points on the circle never lie on each other, and keep their angle", () => {
  const angles = [0, 0.01, 0.02, 3, 6.28, 1];
  const at = { x: angles.map(Math.cos), y: angles.map(Math.sin) };
  const rows = [0, 1, 2, 4, 5];
  const { x, y } = stacked(at, rows, 0.06);
  for (const i of rows) {
    ok(
      Math.abs(Math.sin(Math.atan2(y[i], x[i]) - angles[i])) < 1e-6,
      `point ${i} keeps its angle`,
    );
    for (const k of rows) {
      if (k !== i) {
        ok(
          Math.hypot(x[i] - x[k], y[i] - y[k]) > 0.05,
          `${i} and ${k} are apart`,
        );
      }
    }
  }
  ok(
    Math.abs(Math.hypot(x[5], y[5]) - 1) < 1e-6,
    "a point alone stays on the circle",
  );
  equal(x[3], Math.fround(at.x[3]), "another group's point stays where it is");
});

Deno.test("why a racer is last is said from its own numbers, and only where it is last", () => {
  const plain = { map: 0.8, together: 0.1, active: 1, rose: 0.01 };
  const of = (more) =>
    whyLast([{ ...plain, name: "A Triplet" }, {
      ...plain,
      map: 0.4,
      name: "B FastAP",
      ...more,
    }]);
  match(
    of({ together: 0.97, collapsed: true }),
    /^B FastAP is last, with 0\.40 mAP: its points have collapsed: .* 0\.97 \(others: at most 0\.10\)\.$/,
  );
  match(of({ together: 0.54 }), /: its points lie closer together: .* 0\.54 /);
  match(
    of({ active: 0.8 }),
    /20 % of its batch has no gradient \(others: none\)\.$/,
  );
  match(
    of({ rose: 0.07 }),
    /rose by 0\.07 over the last fifth of the steps \(others: at most 0\.01\)\.$/,
  );
  const falling = whyLast([{ ...plain, name: "A", rose: -0.08 }, {
    ...plain,
    name: "B",
    map: 0.4,
    rose: -0.05,
  }]);
  match(falling, /no collapse, idle batch or late rise of its own/);
  match(
    of({ together: NaN, collapsed: true }),
    /its points have collapsed, as its picture says, and those of no other have\.$/,
  );
  const forked = { ...plain, name: "C", rose: NaN };
  const learns = { ...plain, map: 0.4, name: "B", rose: 0.07 };
  match(
    whyLast([{ ...plain, name: "A" }, learns, forked]),
    /rose by 0\.07 over the last fifth of the steps \(others: at most 0\.01\)\.$/,
    "a racer without a number of before is not compared",
  );
  match(
    whyLast([forked, learns]),
    /: no collapse or idle batch of its own tells why/,
    "what cannot be compared is not denied",
  );
  match(
    of({ active: 0.25, began: 0.25 }),
    /of its own tells why/,
    "a share that is idle from the start is no reason",
  );
  match(of({}), /tells why; with another learning rate or seed/);
  equal(of({ map: 0.799 }), "", "two that are level have no last");
  equal(of({ map: NaN }), "", "one that has no score is not last");
  ok(Math.abs(together([1, 0, 0, 1, 1, 0], 2, [0, 1, 2]) - 1 / 3) < 1e-9);
});

Deno.test("lines that lie on each other are striped where they do, and each is marked in its turn", () => {
  // A and B are together until the third point, C is alone.
  const heights = [[9, 9, 9, 5], [9, 9, 9, 9], [1, 2, 3, 4]];
  const lines = heights.map((each) => each.map((y, x) => ({ x, y, line: `${x} ${y}` })));
  for (let i = 0; i < 4; i += 1) meet(lines.map((points, k) => [k, points[i]]));
  const drawn = lines.map((points, k) =>
    pieces(points, k).map((
      { points, dash, offset },
    ) => [points[0].x, points.at(-1).x, dash, Math.abs(offset)])
  );
  deepEqual(drawn[0], [[0, 2, "9 9", 0], [2, 3, "", 0]]);
  deepEqual(drawn[1], [[0, 2, "9 9", 9], [2, 3, "", 0]]);
  deepEqual(drawn[2], [[0, 3, "", 0]]);
  deepEqual(lines.map((points, k) => marked(points, k).map(({ x }) => x)), [
    [0, 2, 3],
    [1, 3],
    [0, 1, 2, 3],
  ]);
});

Deno.test("a map is turned, and where that helps mirrored, until its points lie as in another one", () => {
  const towards = { x: [1, 0, -0.5, 0.2], y: [0, 0.7, -1, 0.3] };
  const [c, s] = [Math.cos(2), Math.sin(2)];
  for (const sign of [1, -1]) {
    const from = {
      x: towards.x.map((x, i) => sign * (c * x - s * towards.y[i])),
      y: towards.x.map((x, i) => s * x + c * towards.y[i]),
    };
    const points = [0, 1, 2, 3];
    equal(mirrors(from, towards, points), sign < 0);
    const { x, y } = turned(from, towards, points, sign < 0);
    points.forEach((i) => ok(Math.hypot(x[i] - towards.x[i], y[i] - towards.y[i]) < 1e-6));
  }
});
