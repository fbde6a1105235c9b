// What components do with bad answers: cut, refused, a page in place of data, not decodable, late or never.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { attempt, fetched, imported } from "../../assets/src/host/attempt.js";
import { component } from "../../assets/src/host/mount.js";
import { LiveRun, RecordedRun } from "../../assets/src/live/source.js";

const plain = { setTimeout, clearTimeout, fetch, document: globalThis.document, WebSocket: globalThis.WebSocket };
const turns = () => new Promise((resolve) => plain.setTimeout(resolve, 1));
const restored = () => Object.assign(globalThis, plain);

/** A clock that goes only when told: `go(ms)`. */
function clock() {
  const timers = new Map();
  let [now, made] = [0, 0];
  globalThis.setTimeout = (act, ms = 0) => (timers.set(made += 1, [now + ms, act]), made);
  globalThis.clearTimeout = (timer) => timers.delete(timer);
  const due = (end) => [...timers].filter(([, [when]]) => when <= end).sort(([, [a]], [, [b]]) => a - b)[0];
  return async (ms) => {
    const end = now + ms;
    await turns();
    for (let next; (next = due(end));) {
      const [timer, [when, act]] = next;
      timers.delete(timer);
      now = when;
      act();
      await turns();
    }
    now = end;
  };
}

function encoded(header) {
  const head = new TextEncoder().encode(JSON.stringify({ arrays: {}, ...header }));
  const bytes = new Uint8Array(4 + head.length);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, 4);
  return bytes.buffer;
}

const BAD = [
  new Response("cut", { status: 200, headers: { "Content-Length": "9999" } }),
  new Response("Bad Gateway", { status: 502 }),
  new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } }),
  new Response(Uint8Array.of(255, 254, 0, 1)),
];

Deno.test("an answer that never comes is told of, given up after a minute and asked for again", async () => {
  const go = clock();
  const [words, signals] = [[], []];
  const act = (_failures, signal) => signals.push(signal) < 3 ? new Promise(() => {}) : Promise.resolve("here");
  const given = attempt(act, (said) => words.push(said), { what: "This figure" });
  await go(3900);
  deepEqual(words, []);
  await go(200);
  deepEqual(words, ["This figure is still being loaded…"]);
  await go(130_000);
  equal(await given, "here");
  deepEqual(signals.map(({ aborted }) => aborted), [true, true, false]);
  match(words[1], /^This figure could not be loaded \(the server does not answer\)\. The page goes on trying\.$/);
  equal(words.at(-1), "", "and taken back");
  restored();
});

Deno.test("tries end with what is no longer wanted, and where there were enough", async () => {
  const go = clock();
  let wanted = true;
  const failing = () => Promise.reject(new Error("no"));
  const given = attempt(failing, () => {}, { wanted: () => wanted });
  await go(5000);
  wanted = false;
  await go(60_000);
  equal(await given, undefined);
  const few = rejects(attempt(failing, () => {}, { most: 3 }), /no/);
  await go(10_000);
  await few;
  restored();
});

Deno.test("an answer of a server in trouble, or a page of a proxy, is no data", async () => {
  const found = [];
  for (const answer of BAD) {
    globalThis.fetch = () => Promise.resolve(answer.clone());
    found.push(await fetched("x").then(() => "taken", ({ message }) => message));
  }
  deepEqual(found, ["taken", "the server answered 502", "a page came instead", "taken"]);
  restored();
});

Deno.test("a recorded run is asked for until it can be read, and what cannot be drawn is said", async () => {
  const go = clock();
  const whole = new Blob([encoded({ kind: "subject", version: 2 }), encoded({ kind: "frame", version: 2, step: 0 })]);
  const parts = await whole.arrayBuffer();
  const first = encoded({ kind: "subject", version: 2 }).byteLength;
  const long = (length) => new Uint8Array(new Uint32Array([length]).buffer);
  const recording = new Blob([long(first), parts.slice(0, first), long(parts.byteLength - first), parts.slice(first)]);
  const answers = [...BAD, new Response(recording)];
  globalThis.fetch = () => Promise.resolve(answers.shift());
  const [words, drawn] = [[], []];
  const interrupted = (kind, said) => words.push([kind, said]);
  new RecordedRun(new URL("http://here/run.bin"), { interrupted, replay: (_, frames) => drawn.push(frames.length) });
  await go(60_000);
  deepEqual(drawn, [1]);
  equal(answers.length, 0);
  ok(
    words.every(([kind, said]) => kind === "missing" && said.endsWith("The page goes on trying.")) &&
      words.length === 3,
  );
  const { error } = console;
  console.error = () => {};
  const broken = new Promise((resolve) => {
    globalThis.fetch = () => Promise.resolve(new Response(recording));
    const replay = () => {
      throw new Error("no such class");
    };
    new RecordedRun(new URL("http://here/run.bin"), { interrupted: (...said) => resolve(said), replay });
  });
  await go(1000);
  deepEqual(await broken, ["broken", "no such class"]);
  console.error = error;
  restored();
});

Deno.test("only a recording of the app has a file of coordinates beside it", async () => {
  const asked = [];
  globalThis.fetch = (address) => {
    asked.push(String(address));
    return Promise.resolve(new Response(null, { status: 404 }));
  };
  for (const address of ["http://here/start.bin", "lesson:start.bin.gz"]) {
    equal(await RecordedRun.prototype.embeddings.call({ url: new URL(address) }), null);
  }
  deepEqual(asked, ["http://here/start.z.bin"]);
  restored();
});

Deno.test("a live run goes on after answers that cannot be read or drawn, and says so", async () => {
  const go = clock();
  const { error } = console;
  console.error = () => {};
  const subject = encoded({ kind: "subject", version: 2 });
  const frame = (step) => encoded({ kind: "frame", version: 2, step, latest: step });
  const bad = [
    Uint8Array.of(1, 2).buffer,
    new ArrayBuffer(0),
    Uint8Array.of(255, 255, 255, 255).buffer,
    "<!doctype html>",
  ];
  const answers = [subject, frame(0), ...bad, frame(10), subject, frame(0), frame(10)];
  globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
  globalThis.WebSocket = class {
    static OPEN = 1;
    constructor() {
      this.readyState = 1;
      queueMicrotask(() => this.onopen?.());
    }
    send() {
      const data = answers.shift();
      if (data) queueMicrotask(() => this.onmessage?.({ data }));
    }
    close() {
      this.readyState = 3;
    }
  };
  const [told, came] = [[], []];
  const run = new LiveRun("ws://here/live/x", {
    interrupted: (kind, words) => told.push([kind, words]),
    rows: () => 0,
    begun: () => came.push("begun"),
    came: ({ header }) => {
      came.push(header.step);
      if (came.length === 3) throw new Error("no such class");
    },
  });
  await go(60_000);
  run.close();
  await go(60_000);
  console.error = error;
  restored();
  equal(answers.length, 0);
  deepEqual(told.map(([kind]) => kind), ["interrupted", "interrupted", "broken"]);
  equal(told.at(-1)[1], "no such class");
  deepEqual(came, ["begun", 0, 10, "begun", 0, 10]);
});

Deno.test("data that a component cannot draw are said to be so, and those of the next rerun are drawn", async () => {
  const { error } = console;
  console.error = () => {};
  const made = () => ({ setAttribute() {}, append() {}, remove: () => host.said = "" });
  globalThis.document = { createElement: made };
  globalThis.addEventListener ??= () => {};
  const host = {
    isConnected: true,
    appendChild: (node) => Object.defineProperty(node, "textContent", { set: (words) => host.said = words }),
    replaceChildren: () => host.said = "",
  };
  const drawn = [];
  const { mount, unmount } = component(
    class {
      update({ data }) {
        if (data === "bad") throw new Error("no such class");
        drawn.push(data);
      }
      close() {
        drawn.push("closed");
      }
    },
    null,
  );
  const words = [];
  for (const data of ["bad", "good", "bad", "better"]) {
    mount({ parentElement: host, data });
    await turns();
    words.push(host.said);
  }
  host.isConnected = false;
  unmount(host);
  console.error = error;
  restored();
  const fault = "This picture could not be drawn (no such class); change a setting or reload the page.";
  deepEqual(words, [fault, "", fault, ""]);
  deepEqual(drawn, ["good", "better", "closed"]);
});

Deno.test("a script that is cut short where it still is one is no module", async () => {
  await rejects(() => imported("data:text/javascript,const mount = 1; var pt"), /cut short/);
  equal((await imported("data:text/javascript,export const mount = 1;")).mount, 1);
});
