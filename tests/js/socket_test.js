// The live stream's socket: what closes, what does not answer, and what is left behind.
import { FEED } from "../../assets/src/host/bus.js";
import { Socket } from "../../assets/src/live/socket.js";
import { FedRun } from "../../assets/src/live/source.js";

const empty = encoded({ kind: "tick", arrays: {} });
let behaviour = () => {};

globalThis.WebSocket = class {
  static OPEN = 1;
  static made = 0;
  constructor() {
    this.turn = WebSocket.made += 1;
    this.readyState = 1;
    queueMicrotask(() => this.onopen?.());
  }
  send() {
    behaviour(this);
  }
  close() {
    this.readyState = 3;
  }
};

Deno.test("a socket closed with a question in flight answers that it is closed", async () => {
  behaviour = () => {};
  const socket = new Socket("ws://here/live/x");
  const asked = socket.ask({ want: "step" }).catch(({ kind }) => kind);
  await new Promise((resolve) => setTimeout(resolve, 5));
  socket.close();
  equal(await asked, "closed");
});

Deno.test("waits grow while sockets open and nothing answers, and end with the first answer", async () => {
  WebSocket.made = 0;
  const waits = [];
  const plain = globalThis.setTimeout;
  globalThis.setTimeout = (
    act,
    ms,
  ) => (ms < 4000 ? (waits.push(ms), plain(act, 0)) : plain(act, ms));
  behaviour = (socket) =>
    queueMicrotask(() => (socket.turn < 3 ? socket.onclose({ code: 1006 }) : socket.onmessage({ data: empty })));
  const socket = new Socket("ws://here/live/x");
  const { header } = await socket.ask({ want: "next" });
  globalThis.setTimeout = plain;
  socket.close();
  equal(header.kind, "tick");
  equal(waits.length, 2);
  if (
    !(waits[0] >= 250 && waits[0] <= 500 && waits[1] >= 500 && waits[1] <= 1000)
  ) throw new Error(`waits ${waits}`);
});

Deno.test("a question without an answer in time is asked again on another socket", async () => {
  WebSocket.made = 0;
  const plain = globalThis.setTimeout;
  globalThis.setTimeout = (act, ms) => plain(act, ms >= 20_000 ? 10 : Math.min(ms, 1000));
  behaviour = (socket) =>
    socket.turn === 2 &&
    queueMicrotask(() => socket.onmessage({ data: empty }));
  const socket = new Socket("ws://here/live/x");
  await socket.ask({ want: "next" });
  globalThis.setTimeout = plain;
  socket.close();
  equal(WebSocket.made, 2);
});

Deno.test("a refusal is final, with the server's words", async () => {
  behaviour = (socket) => queueMicrotask(() => socket.onclose({ code: 4404, reason: "there is no such run" }));
  const refused = await new Socket("ws://here/live/y").ask({ want: "subject" })
    .catch((error) => error);
  equal(refused.kind, "unknown");
  equal(refused.words, "there is no such run");
});

Deno.test("an answer of a socket that was given up is not taken for that of the next one", async () => {
  const plain = globalThis.setTimeout;
  globalThis.setTimeout = (act, ms) => plain(act, ms >= 20_000 ? 10 : Math.min(ms, 1000));
  WebSocket.made = 0;
  let first = null;
  behaviour = (socket) => {
    first ??= socket;
    if (socket === first) return;
    queueMicrotask(() => {
      first.onmessage?.({ data: encoded({ kind: "late", arrays: {} }) });
      socket.onmessage({ data: empty });
    });
  };
  const socket = new Socket("ws://here/live/x");
  const { header } = await socket.ask({ want: "next" });
  globalThis.setTimeout = plain;
  socket.close();
  equal(header.kind, "tick");
});

Deno.test("after a minute of sleep what was asked is asked again", async () => {
  const { setTimeout: plain, clearTimeout: clear } = globalThis;
  const timers = new Map();
  let made = 0;
  globalThis.setTimeout = (act) => (timers.set(made += 1, act), made);
  globalThis.clearTimeout = (timer) => timers.delete(timer);
  const turns = () => new Promise((resolve) => plain(resolve, 1));
  const sleep = () => [...timers].forEach(([timer, act]) => timers.delete(timer) && act());
  WebSocket.made = 0;
  // The sockets of a machine that sleeps die without a word.
  behaviour = (socket) => socket.turn > 1 && queueMicrotask(() => socket.onmessage({ data: empty }));
  const socket = new Socket("ws://here/live/x");
  const asked = socket.ask({ want: "next" });
  for (let k = 0; k < 3; k += 1) await turns().then(sleep);
  const { header } = await asked;
  Object.assign(globalThis, { setTimeout: plain, clearTimeout: clear });
  socket.close();
  equal(header.kind, "tick");
  equal(WebSocket.made, 2);
});

function encoded(header) {
  const head = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + head.length);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, 4);
  return bytes.buffer;
}

function equal(value, wanted) {
  if (value !== wanted) throw new Error(`${value} is not ${wanted}`);
}

Deno.test("without a socket, the points of a map are asked for until they come, however late", async () => {
  globalThis.window ??= globalThis;
  const plain = globalThis.setTimeout;
  globalThis.setTimeout = (act) => plain(act, 5);
  const listener = { begun: () => {}, returning: () => null, latest: () => 0, came: () => {}, interrupted: () => {} };
  const asked = [];
  const base64 = (message) => btoa(String.fromCharCode(...new Uint8Array(message)));
  const run = new FedRun("/live/x", base64(encoded({ version: 2, arrays: {} })), listener, (text) => {
    asked.push(text);
    if (asked.length !== 4) return; // as on a server that is busy
    FEED.send({ url: "/live/x", step: null, message: empty, points: encoded({ kind: "points", arrays: {} }) });
  });
  const { header } = await run.points(30, -1);
  globalThis.setTimeout = plain;
  equal([header.kind, ...asked].join(), "points,30 -1 1,30 -1 2,30 -1 3,30 -1 4");
  const closed = run.points(60, 30);
  run.close();
  equal(await closed, null);
});
