// A classroom in the browser: its words, its conversation, and what a student's and a teacher's device do.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readQuestion } from "../../assets/src/classroom/composer.js";
import { ClickPause } from "../../assets/src/classroom/click_pause.js";
import { csvOf } from "../../assets/src/classroom/csv.js";
import { Following } from "../../assets/src/classroom/follow.js";
import { StudentStore } from "../../assets/src/classroom/student_store.js";
import { plainWords } from "../../assets/src/draw/marked.js";
import { Pupil } from "../../assets/src/classroom/pupil.js";
import { codeIn } from "../../assets/src/classroom/surface.js";
import { readNumber } from "../../assets/src/classroom/question.js";
import { PointDrag } from "../../assets/src/scene/point_drag.js";
import { Teacher } from "../../assets/src/classroom/teacher.js";
import { ownOf } from "../../assets/src/classroom/results.js";
import { adviceOf, answeredOf, precise, verdictOf, wordsOf } from "../../assets/src/classroom/words.js";
import { pauseOf } from "../../assets/src/classroom/root.js";
import { Wire } from "../../assets/src/classroom/wire.js";

const code = "BCDFGH";

/** A storage in memory; `blocked` throws, as in a frame of another site. */
function storage(blocked = false) {
  const items = new Map();
  return () => {
    if (blocked) throw new Error("blocked");
    return {
      getItem: (name) => items.get(name) ?? null,
      setItem: (name, text) => items.set(name, text),
    };
  };
}

/** A student's device without a network: what it says, and how to let it hear. */
function pupil(store = new StudentStore(code, storage())) {
  const said = [];
  class Line {
    say(message) {
      said.push(message);
    }
    again() {}
    close() {}
  }
  const device = new Pupil(code, () => {}, { wire: Line, store });
  const online = () => {
    device.online = true;
    device.hear({ type: "welcome", ticket: "t" });
  };
  online();
  return { device, said, online };
}

const by = { kind: "choice", options: ["more", "fewer"], points: [] };
const question = {
  name: "fastap.bins",
  title: "",
  page: "fastap",
  text: "How many?",
  allows: "",
  by,
};
const state = (now, votes, more = {}) => ({
  type: "state",
  state: now,
  votes,
  epoch: votes.at(-1) ?? 0,
  question,
  waits: false,
  ...more,
});

/** Sockets that do as `script` says, one after another: "open", "fail" or "late". */
function network(
  script,
  polls = async () => ({
    ok: true,
    json: async () => ({ server: "s", seen: 1, messages: [] }),
  }),
) {
  const sockets = [];
  class Socket {
    readyState = 0;
    said = [];
    #on = {};
    constructor() {
      sockets.push(this);
      const does = script.shift() ?? "late";
      if (does !== "late") {
        queueMicrotask(() => (does === "open" ? this.tell("open", {}) : this.tell("close", { code: 1006, reason: "" })));
      }
    }
    addEventListener(type, act) {
      this.#on[type] = act;
    }
    tell(type, event) {
      if (type === "open") this.readyState = 1;
      this.#on[type]?.(event);
    }
    send(text) {
      this.said.push(JSON.parse(text));
    }
    close() {}
  }
  const world = {
    address: new URL("http://here/classroom/BCDFGH/live"),
    WebSocket: Socket,
    fetch: polls,
    later: (act) => setTimeout(act, 0),
  };
  return { sockets, world };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 15));

Deno.test("a code is read as people type it", () => {
  equal(codeIn(" bcd-fgh "), code);
  equal(codeIn("BCDFGA"), "");
  equal(codeIn("BCDFG"), "");
});

Deno.test("words with TeX and Markdown are read as text", () => {
  equal(
    plainWords(
      String
        .raw`**$n'$** is at most $\alpha$ = 45°, $d_p^2 - \frac{1}{2}$, 3\*4`,
    ),
    "n′ is at most α = 45°, dp2−1⁄2, 3*4",
  );
});

Deno.test("answers, verdicts and counts are said in words", () => {
  const scale = {
    kind: "mark",
    label: "",
    low: 0,
    high: 1,
    step: 0.05,
    unit: "%",
  };
  equal(wordsOf(scale, 0.1), "0.10%");
  equal(wordsOf({ kind: "drag", points: [], point: 0 }, -90), "270°");
  equal(wordsOf(by, 1), "“fewer”");
  const truth = { truth: 359, exact: 5, tolerance: 15 };
  deepEqual(
    [2, 12, 40].map((angle) => verdictOf({ kind: "drag", points: [], point: 0 }, angle, truth)),
    ["right", "close", "wrong"],
  );
  equal(
    verdictOf(scale, 0.3, { truth: 0.3 + 1e-9, exact: 0, tolerance: 0.1 }),
    "right",
  );
  equal(verdictOf(by, 1, { truth: null, exact: 0, tolerance: 0 }), "");
  equal(answeredOf({ answered: 23, silent: 8, people: 31 }), "23 of 31 answered");
  equal(answeredOf({ answered: 2, silent: 1, people: 2 }), "2 of 3 answered"); // one answered and left
});

Deno.test("pauses grow, and differ within a class", () => {
  deepEqual([1, 2, 3, 4, 9].map((failures) => pauseOf(failures, () => 0.5)), [
    250,
    500,
    1000,
    2000,
    2000,
  ]);
  equal(pauseOf(1, () => 0), 125);
  equal(pauseOf(9, () => 1), 3000);
});

Deno.test("a student's answer is kept, said once it can be, and said again with its receipt after a new connection", () => {
  const { device, said, online } = pupil();
  device.hear(state("open 1", [3]));
  device.answer(1);
  device.answer(0); // one answer in a vote
  deepEqual(said, [{ type: "answer", epoch: 3, value: 1, receipt: "" }]);
  device.hear({ type: "taken", epoch: 3, value: 1, receipt: "r" });
  device.hear(state("closed 1", [3]));
  equal(said.length, 1);
  online();
  device.hear(state("open 2", [3, 5]));
  deepEqual(said.at(-1), { type: "answer", epoch: 3, value: 1, receipt: "r" });
  device.online = false;
  device.answer(0);
  equal(said.length, 2);
  online();
  device.hear(state("open 2", [3, 5]));
  deepEqual(said.slice(2).map(({ epoch }) => epoch), [3, 5]);
});

Deno.test("a reload keeps answers and id in the tab; another question forgets them, a classroom that waits does not", () => {
  const tab = storage();
  const { device } = pupil(new StudentStore(code, tab));
  device.hear(state("open 1", [3]));
  device.answer(1);
  const again = pupil(new StudentStore(code, tab));
  equal(again.device.store.id, device.store.id);
  again.device.hear(state("idle", [], { question: null, waits: true }));
  equal(again.device.store.answers.length, 1);
  again.device.hear(state("open 1", [3]));
  equal(again.said[0].value, 1);
  again.device.hear(state("open 1", [8]));
  deepEqual(again.device.answers, [null]);
  const other = new StudentStore(code, storage(true));
  ok(other.id.length >= 22);
});

Deno.test("a late answer that was refused does not stand as if it counted", () => {
  const { device } = pupil();
  device.hear(state("open 1", [3]));
  device.answer(1);
  device.hear(state("closed 1", [3]));
  device.hear({
    type: "refused",
    what: "answer",
    why: "The vote is closed.",
    epoch: 3,
  });
  deepEqual(device.answers, [null]);
  equal(device.refusal, "The vote is closed.");
});

Deno.test("a refused answer of the open vote can be given anew, and one that was counted stays", () => {
  const { device, said } = pupil();
  device.hear(state("open 1", [3]));
  device.answer(2e9);
  device.hear({ type: "refused", what: "answer", why: "Too large.", epoch: 3 });
  deepEqual(device.answers, [null]);
  device.answer(2);
  deepEqual(said.map(({ value }) => value), [2e9, 2]);
  device.hear({ type: "taken", epoch: 3, value: 2, receipt: "r" });
  device.hear({ type: "refused", what: "answer", why: "It cannot be changed.", epoch: 3 });
  equal(device.answers[0].value, 2);
});

Deno.test("a tab that comes back shows the answer that another tab of the student has given, and does not say it again", () => {
  const { device, said, online } = pupil();
  device.hear(state("open 1", [3]));
  online();
  device.hear({ type: "taken", epoch: 3, value: 1, receipt: "r" });
  device.hear(state("open 1", [3]));
  device.answer(0);
  deepEqual(device.answers, [{ epoch: 3, value: 1, receipt: "r" }]);
  deepEqual(said, []);
});

Deno.test("a refusal is shown as long as the state that it speaks of", () => {
  class Line {
    say() {}
    close() {}
  }
  const device = new Teacher(code, "t", "console", () => {}, { wire: Line });
  const why = "The classroom has moved on: it is idle now.";
  device.hear(state("revealed", [3], { epoch: 5 }));
  device.hear({ type: "refused", what: "next", why, epoch: 6 });
  device.hear(state("idle", [], { epoch: 6, question: null }));
  equal(device.refusal, why);
  device.hear(state("open 1", [7]));
  equal(device.refusal, "");
  device.close();
  sessionStorage.clear();
});

Deno.test("the second click of a double click does nothing on the buttons that the first has brought", () => {
  const { setTimeout: plain } = globalThis;
  let [click, ends] = [() => {}, () => {}];
  globalThis.setTimeout = (act) => ends = act;
  const marks = new Set();
  const one = { closest: () => one, setAttribute: (name) => marks.add(name), removeAttribute: (name) => marks.delete(name) };
  const pause = new ClickPause({ addEventListener: (_, act) => click = act, querySelectorAll: () => [one] });
  const pressed = () => {
    let passed = true;
    click({ target: one, preventDefault() {}, stopPropagation: () => passed = false });
    return passed;
  };
  deepEqual([pressed(), pressed(), ...marks], [true, false, "aria-disabled"]);
  ends();
  equal(marks.size, 0);
  pause.mark();
  equal(marks.size, 0);
  pause.begin(); // the buttons have changed
  marks.clear();
  pause.mark(); // and once more in the pause
  deepEqual([pressed(), ...marks], [false, "aria-disabled"]);
  ends();
  ok(pressed());
  globalThis.setTimeout = plain;
});

Deno.test("a vote that is closed ends a drag, and the point goes back to where it was", () => {
  const listeners = {};
  const node = () => ({
    style: {},
    dataset: {},
    classList: { toggle() {} },
    append() {},
    appendChild: (child) => child,
    insertBefore: (child) => child,
    setAttribute() {},
    focus() {},
    addEventListener(type, act) {
      this[`on${type}`] = act;
    },
    getBoundingClientRect: () => ({ left: 0, top: 0, width: 200, height: 200 }),
  });
  const { document, ResizeObserver, window, matchMedia } = globalThis;
  Object.assign(globalThis, {
    document: { createElement: node, createElementNS: node },
    ResizeObserver: class {
      observe() {}
    },
    window: { addEventListener: (type, act) => listeners[type] = act },
    matchMedia: () => ({ matches: true }),
  });
  try {
    const reports = [];
    const drag = new PointDrag((angle) => reports.push(angle));
    drag.draw = () => {};
    const data = { points: [[30, 0]], point: 0, answer: null, way: null };
    drag.take({ ...data, fixed: false });
    drag.guess.onpointerdown({ pointerId: 1, clientX: 150, clientY: 60, preventDefault() {} });
    listeners.pointermove({ pointerId: 1, clientX: 100, clientY: 0 });
    equal(drag.angle, 90);
    drag.take({ ...data, fixed: true });
    drag.take({ ...data, fixed: false }); // the next vote, while the pointer is still held
    listeners.pointermove({ pointerId: 1, clientX: 0, clientY: 100 });
    listeners.pointerup({ pointerId: 1 });
    deepEqual([drag.angle, reports], [30, []]);
  } finally {
    Object.assign(globalThis, { document, ResizeObserver, window, matchMedia });
  }
});

Deno.test("the marks of a scale are as precise as its ends and steps", () => {
  const said = ([low, step, value]) => precise(value, { low, step });
  const marks = [[0, .25, .75], [0, 5, 35], [.1, .5, .6], [0, 1e-3, .1 + .2], [-.5, 1, .5], [0, 1 / 3, 2 / 3]];
  deepEqual(marks.map(said), ["0.75", "35", "0.6", "0.300", "0.5", "0.666666667"]);
});

Deno.test("what is revealed goes with its question", () => {
  const { device } = pupil();
  device.hear(state("revealed", [3]));
  device.hear({ type: "reveal", truth: 1 });
  equal(device.reveal.truth, 1);
  device.hear(state("idle", [], { question: null }));
  equal(device.reveal, null);
});

Deno.test("a lost socket is opened again and says hello first", async () => {
  const { sockets, world } = network(["open", "open"]);
  const heard = [];
  const wire = new Wire(
    code,
    () => ({ type: "hello" }),
    (message) => heard.push(message.type),
    () => {},
    world,
  );
  await soon();
  sockets[0].tell("message", { data: '{"type": "welcome", "server": "a"}' });
  ok(wire.online);
  sockets[0].readyState = 2; // it closes, and has not said so
  wire.say({ type: "open", epoch: 1 });
  sockets[0].tell("close", { code: 1006, reason: "" });
  ok(!wire.online);
  wire.say({ type: "close", epoch: 1 });
  await soon();
  sockets[1].tell("message", { data: '{"type": "welcome", "server": "b"}' });
  deepEqual(sockets[1].said.map(({ type }) => type), ["hello", "open", "close"]);
  wire.close();
});

Deno.test("an end for good is not tried again, and says why", async () => {
  const { sockets, world } = network(["open"]);
  let last = null;
  const wire = new Wire(
    code,
    () => ({ type: "hello" }),
    () => {},
    (status) => last = status,
    world,
  );
  await soon();
  sockets[0].tell("close", { code: 4410, reason: "The classroom has ended." });
  await soon();
  equal(sockets.length, 1);
  deepEqual(last, {
    online: false,
    ended: 4410,
    why: "The classroom has ended.",
  });
  wire.close();
});

Deno.test("where no socket opens the classroom is polled, and what is said goes with the next poll", async () => {
  const bodies = [];
  const polls = async (_address, { body, signal }) => {
    bodies.push(JSON.parse(body));
    const first = bodies.length === 1;
    if (!first && !bodies.at(-1).messages.length) {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }
    return {
      ok: true,
      json: async () => ({
        server: "s",
        seen: 4,
        messages: first ? [{ type: "welcome", server: "s" }] : [],
      }),
    };
  };
  const { world } = network(["fail", "fail"], polls);
  const heard = [];
  const wire = new Wire(
    code,
    () => ({ type: "hello" }),
    (message) => heard.push(message.type),
    () => {},
    world,
  );
  await soon();
  await soon();
  ok(wire.online);
  wire.say({ type: "answer", epoch: 3, value: 1, receipt: "" });
  await soon();
  deepEqual(heard, ["welcome"]);
  deepEqual([bodies[0].server, bodies[0].seen, bodies[0].wait], ["", 0, 0]);
  deepEqual(
    bodies.find(({ messages }) => messages.length).messages.map(({ type }) => type),
    ["answer"],
  );
  equal(bodies.at(-1).seen, 4);
  wire.close();
});

Deno.test("who lets go is left alone, and comes back to the newest", async () => {
  const done = [];
  const following = new Following(
    (link) => done.push(link),
    ({ page }) => done.push(`scene of ${page}`),
    () => 0,
  );
  following.link("/fastap");
  await soon();
  following.lets();
  following.link("/angular");
  following.scene({ page: "angular" });
  await soon();
  deepEqual(done, ["/fastap"]);
  following.back();
  await soon();
  deepEqual(done.slice(1).sort(), ["/angular", "scene of angular"]);
  following.close();
});

Deno.test("a teacher's own question is read, or what is wrong with it is said", () => {
  const fields = {
    text: "Why?",
    kind: "choice",
    options: "a *\nb",
    label: "",
    unit: "",
    low: "0",
    high: "10",
    step: "1",
  };
  deepEqual(readQuestion(fields), {
    ask: {
      text: "Why?",
      by: { kind: "choice", options: ["a", "b"] },
      right: 0,
    },
  });
  deepEqual(readQuestion({ ...fields, kind: "mark", unit: "%" }).ask.by, {
    kind: "mark",
    label: "Your answer",
    low: 0,
    high: 10,
    step: 1,
    unit: "%",
  });
  for (
    const wrong of [
      { text: " " },
      { options: "a" },
      { options: "a *\nb *" },
      {
        options: "a\na",
      },
      { kind: "mark", high: "0" },
      { kind: "mark", step: ".3" },
    ]
  ) {
    ok(readQuestion({ ...fields, ...wrong }).wrong);
  }
});

Deno.test("an answer that is close is not called right", () => {
  const state = { suggestion: "go on", votes: [3] };
  equal(adviceOf({ ...state, question }), "Most were right: reveal, and go on.");
  equal(adviceOf({ ...state, question: { ...question, by: { kind: "mark" } } }), "Most were right or close: reveal, and go on.");
  match(adviceOf({ ...state, suggestion: "explain", votes: [3, 5], question }), /^Few .* even after they had talked/);
  match(adviceOf({ ...state, suggestion: "talk", votes: [3, 5], question }), /^Some .* after they had talked: reveal/);
});

Deno.test("a comma before three digits is not read as a point", () => {
  const read = (text) => readNumber(text, 1e9);
  deepEqual(read("60,000"), { value: null, wrong: "Write 60000, or 60.000: a comma can mean both." });
  deepEqual(read(" −0,25 "), { value: -0.25, wrong: "" });
  deepEqual(read(""), { value: null, wrong: "" });
  for (const wrong of ["1,000,000", "1.000,5", "2e9", "one"]) ok(read(wrong).wrong, wrong);
});

Deno.test("an own answer is drawn in its vote", () => {
  equal(ownOf([{}], [0, 1]), 0);
  equal(ownOf([{}, {}], [0, 1]), 1);
  equal(ownOf([{}, {}], [0, null]), 0);
  equal(ownOf([{}], []), null);
});

Deno.test("the file of a question has counts of answers and nothing of who answered", () => {
  const votes = [{ answered: 6, counts: [4, 2] }, null];
  const text = csvOf({ ...question, text: "=1+1, $B$?" }, {
    votes,
    truth: 1,
    right: "“fewer”",
    switched: null,
  }, new Date(1970, 0, 1));
  const [head, first, second, hidden, end] = text.split("\n");
  equal(head, "date,question,text,vote,answer,count,answered,truth");
  equal(first, '1970-01-01,fastap.bins,"\'=1+1, B?",1,more,4,6,fewer');
  equal(second.split(",").at(-3), "2");
  equal(hidden.split(",").slice(-5).join(), "2,fewer than five answered,,,fewer");
  equal(end, "");
});

Deno.test("the date in a file is that of the teacher's place", () => {
  const reveal = { votes: [null], truth: null, switched: null };
  const tokyo = { getFullYear: () => 2026, getMonth: () => 1, getDate: () => 1 }; // 8 a.m. of the next day
  const morning = Object.assign(new Date("2026-01-31T23:00:00Z"), tokyo);
  match(csvOf(question, reveal, morning), /\n2026-02-01,/);
});
