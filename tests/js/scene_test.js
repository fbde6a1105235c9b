// The edited scene: roles, what can be undone, caps of circle and sphere, and words that cover nothing.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Camera } from "../../assets/src/draw/sphere.js";
import { arcCap, cap } from "../../assets/src/scene/caps.js";
import { recipeHere } from "../../assets/src/lesson/recipe_here.js";
import { best } from "../../assets/src/scene/labels.js";
import { between, Glide, mixed } from "../../assets/src/scene/glide.js";
import { SceneLosses } from "../../assets/src/scene/losses.js";
import { pick, settle } from "../../assets/src/scene/roles.js";
import { Report } from "../../assets/src/scene/report.js";
import { read, write } from "../../assets/src/scene/scene.js";
import { State } from "../../assets/src/scene/state.js";

const ON_THE_PATH = 2e-4; // path data have four decimals
const PRESETS = {
  one: ["a10_20b40_50", "a10~0_20~0b40~0_50~0"],
  two: ["a1_2b3", "a1~0_2~0b3~0"],
};
const LIMITS = { fewest: 2, most: 6, classes: 3 };
const DATA = {
  base: "one",
  picked: [0],
  choose: ["query"],
  presets: PRESETS,
  limits: LIMITS,
  scene: PRESETS.one[0],
};

function edited() {
  const finals = [];
  const state = new State((final) => finals.push(final));
  state.take(DATA, true);
  return { state, finals, text: () => write(state.scene) };
}

Deno.test("clicks on a triplet go to the roles that they fit", () => {
  const [roles, scene] = [
    ["anchor", "positive", "negative"],
    read("a10_20_30b40_50_60"),
  ];
  let now = { picked: settle([], roles, scene), place: 0 };
  const after = [4, 5, 2, 0, 3].map((index) => {
    now = pick(now, { index, proxy: false }, roles, scene);
    return [...now.picked, now.place];
  });
  deepEqual(after, [
    [4, 3, 0, 1], // the anchor's class has another positive now
    [4, 5, 0, 2],
    [4, 5, 2, 0],
    [0, 1, 3, 1], // the anchor again
    [0, 1, 3, 0], // of another class: it cannot be the positive, so it is the negative
  ]);
});

Deno.test("every change can be undone and done again", () => {
  const { state, text } = edited();
  const now = () => [text(), state.picked];
  const acts = [
    () => (state.note(), state.drag(1, [33.3333]), state.drag(1, [35]), state.drop()),
    () => state.pick(2),
    () => state.add(),
    () => state.relabel(),
    () => state.remove(),
    () => state.turnInto(3),
    () => state.preset("two"),
    () => state.nudge(0, 10, 0),
    () => state.reset(),
  ];
  const forth = [now(), ...acts.map((act) => (act(), now()))];
  equal(forth[1][0], "a10_35b40_50");
  forth.slice(1).forEach((one, k) => ok(String(one) !== String(forth[k]), "everything changes something"));
  const back = [];
  for (; state.can("undo"); state.undo()) back.push(now());
  deepEqual([...back, now()], forth.toReversed());
  while (state.can("redo")) state.redo();
  deepEqual(now(), forth.at(-1));
});

Deno.test("nothing can be done that a link could not hold", () => {
  const { state, text } = edited();
  while (state.can("add")) state.add();
  equal(read(text()).points.length, 6);
  const labels = Array.from(
    { length: 4 },
    () => (state.relabel(), state.labelOf(state.touched)),
  );
  deepEqual(
    labels,
    [1, 2, 0, 1],
    "a class of its own comes after the last one that has others",
  );
  while (state.can("remove")) state.remove();
  equal(read(text()).points.length, 2);
});

Deno.test("a point that is taken away leaves the query where it was", () => {
  const { state, text } = edited();
  state.pick(2);
  state.touched = 0;
  state.remove();
  deepEqual([text(), state.picked], ["a20b40_50", [1]]);
});

Deno.test("key presses in a row are undone as one", () => {
  const { state, text, finals } = edited();
  for (let k = 0; k < 5; k += 1) state.nudge(1, 1, 0);
  equal(text(), "a10_25b40_50");
  state.undo();
  deepEqual([text(), state.can("undo"), finals.filter(Boolean).length], [
    "a10_20b40_50",
    false,
    1,
  ]);
});

Deno.test("a scene of Python is taken only with a new revision", () => {
  const { state, text } = edited();
  state.take({ ...DATA, scene: "a1_2" }, false);
  equal(text(), "a10_20b40_50");
  state.take({ ...DATA, scene: "a1_2" }, true);
  equal(text(), "a1_2");
  state.undo();
  equal(text(), "a10_20b40_50");
});

// The ends of all pieces of path data, straight and round.
function ends(path) {
  const found = path.matchAll(
    /[ML]([-\d.]+) ([-\d.]+)|A(?:[-\d.]+ ){5}([-\d.]+) ([-\d.]+)/g,
  );
  return [...found].map(([, ...numbers]) => numbers.filter((one) => one !== undefined).map(Number));
}

Deno.test("the boundary of a cap is where the distance is its radius", () => {
  const camera = Object.assign(new Camera(), { turn: 0.7, tilt: 0.3 });
  const away = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
  for (const radius of [0.05, 0.5, 1, Math.SQRT2, 1.7, 1.99]) {
    let checked = 0;
    for (let k = 0; k < 5; k += 1) {
      const some = [
        Math.sin(5 * k + 1),
        Math.sin(7 * k + 2),
        Math.sin(11 * k + 3),
      ];
      const centre = some.map((x) => x / Math.hypot(...some));
      const flat = centre.slice(0, 2).map((x) => x / Math.hypot(centre[0], centre[1]));
      for (const end of ends(arcCap(flat, radius).front)) {
        ok(
          Math.abs(away(end, flat) - radius) < ON_THE_PATH &&
            Math.abs(Math.hypot(...end) - 1) < ON_THE_PATH,
        );
      }
      const { front, back } = cap(centre, radius, camera);
      for (const [side, path] of [[1, front], [-1, back]]) {
        for (
          const [x, y] of ends(path).filter((end) => Math.hypot(...end) < 0.99)
        ) {
          const point = camera.unproject(
            x,
            y,
            side * Math.sqrt(1 - x * x - y * y),
          );
          ok(Math.abs(away(point, centre) - radius) < 0.01);
          checked += 1;
        }
      }
    }
    ok(checked > 200);
  }
});

Deno.test("words cover no words and stay in the picture where there is room", () => {
  const angles = [60, 64, 69, 75, 82, 178, 181, 270].map((degrees) => (degrees * Math.PI) / 180);
  const points = angles.map((
    angle,
  ) => [200 + 150 * Math.cos(angle), 200 - 150 * Math.sin(angle)]);
  const taken = points.map(([x, y]) => ({ x, y, r: 7 }));
  const boxes = [];
  for (const [x, y] of points) {
    boxes.push(
      best(
        { x, y, text: "negative", towards: [x - 200, y - 200] },
        boxes,
        taken,
        400,
        400,
      ),
    );
  }
  boxes.forEach((a, k) => {
    ok(
      a.left >= 0 && a.left + a.width <= 400 && a.top >= 0 &&
        a.top + a.height <= 400,
    );
    for (const b of boxes.slice(0, k)) {
      const across = a.left >= b.left + b.width || b.left >= a.left + a.width;
      ok(across || a.top >= b.top + b.height || b.top >= a.top + a.height);
    }
  });
});

// Python writes the losses when a page asks for them: here there are none.
Deno.test("losses that cannot be loaded are said in a sentence, but to no editor that is gone", async () => {
  const said = [];
  const gone = new SceneLosses(() => {}, (words) => said.push(words));
  gone.take({});
  gone.close();
  const words = await new Promise((resolve) => {
    const missing = new SceneLosses(() => {}, (told) => {
      missing.close();
      resolve(told);
    });
    missing.take({});
  });
  match(words, /^The losses could not be loaded \(.*\)\. The page goes on trying\.$/s);
  deepEqual(said, []);
});

Deno.test("what a revealed answer changes is seen in motion, from what was shown to exactly what it shows", () => {
  const [from, to] = [
    { scene: read("a10_20b350"), numbers: { alpha: 1.2, bins: 10, form: "soft", list: [0, 4] } },
    { scene: read("a30_20b10"), numbers: { alpha: 0.8, bins: 100, form: "hard", list: [1, 8] } },
  ];
  const glide = new Glide(from, to);
  deepEqual([glide.share(500), glide.share(1500), glide.share(9000)], [0, 0.5, 1]);
  const half = glide.at(0.5);
  equal(write(half.scene), "a20_20b0", "points take the shorter way round");
  deepEqual(half.numbers, { alpha: 1, bins: 55, form: "hard", list: [1, 6] });
  equal(glide.at(1), to);
  equal(between(read("a10"), read("a10_20"), 0.5).points.length, 2, "another number of points is no way");
});

Deno.test("a last report that is lost is sent again when the page rests, until Python has its number", () => {
  const { setTimeout: plain, clearTimeout: clear, document } = globalThis;
  let [next, testScriptState] = [null, "running"];
  globalThis.setTimeout = (act) => next = act;
  globalThis.clearTimeout = (act) => act === next && (next = null);
  globalThis.document = {
    querySelector: (name) => name.includes("script") ? { dataset: { testScriptState } } : {},
  };
  const { state } = edited();
  const sent = [];
  const data = (serial, revision = 0) => ({
    data: { serial, revision },
    setStateValue: (_name, report) => sent.push(report),
  });
  try {
    const report = new Report(state, () => "", () => {});
    report.take(data(-1), true);
    state.add();
    report.now();
    state.add();
    report.now();
    deepEqual(sent.map(({ serial }) => serial), [0, 1]);
    report.take(data(0), false);
    next();
    equal(sent.length, 2, "the page runs");
    testScriptState = "notRunning";
    next();
    deepEqual(sent[2], { ...sent[1], serial: 2 });
    report.take(data(2), false);
    next();
    equal(sent.length, 3);
    state.add();
    report.now();
    report.take(data(2, 1), true);
    equal(next, null, "Python has replaced the scene");
    state.add();
    report.now();
    for (let turn = 0; turn < 20; turn += 1) next();
    equal(sent.length, 3 + 1 + 1 + 5, "a page that never answers is left alone");
    report.close();
    equal(next, null);
  } finally {
    Object.assign(globalThis, { setTimeout: plain, clearTimeout: clear, document });
  }
});

Deno.test("the loss of another formula is not mixed with the one before", () => {
  const [from, to] = [{ a: 0, loss: { program: [1, 2], m: 0 } }, { a: 2, loss: { program: [1, 3], m: 4 } }];
  deepEqual(mixed(from, to, 0.5), { a: 1, loss: to.loss });
  deepEqual(mixed(from, { ...to, loss: { program: [1, 2], m: 4 } }, 0.5).loss, { program: [1, 2], m: 2 });
});

Deno.test("the link of a file's scene names its query also where that is what the query's control begins with", () => {
  const opened = { link: "page?page.scene=one", settings: { "page.scene": "one" }, caption: "Page: one.", versions: {} };
  const here = recipeHere(opened, DATA, DATA, { "page.knob": 7 }, (key) => ({ "page.query": 0, "page.knob": 7 })[key]);
  deepEqual([here.link, here.query], ["page?page.query=0&page.scene=one", 0]);
});
