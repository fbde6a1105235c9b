// What components send while the visitor leaves their page: it would call the old page back.
import { deepEqual, equal } from "node:assert/strict";
import { unlessLeaving, watchLeaving } from "../../assets/src/host/leaving.js";

Deno.test("what a component sends waits while another page begins, and is dropped with the component", () => {
  const { setTimeout: plain, addEventListener: add, performance: clock } = globalThis;
  const [listeners, waiting, sent] = [{}, [], []];
  let now = 0;
  const performance = { value: { now: () => now }, configurable: true };
  const location = {
    value: { origin: "o", pathname: "/train" },
    configurable: true,
    writable: true,
  };
  Object.assign(globalThis, {
    setTimeout: (act) => waiting.push(act),
    addEventListener: (type, act) => listeners[type] = act,
  });
  Object.defineProperties(globalThis, { performance, location });
  // Timers of one moment come in any order.
  const look = () => waiting.splice(0).reverse().forEach((act) => act());
  const click = (pathname, more = {}) =>
    listeners.click({
      target: {
        closest: (kind) => kind.startsWith("a") ? { origin: "o", pathname } : null,
      },
      ...more,
    });
  watchLeaving();
  const host = { isConnected: true };
  const send = (what) => unlessLeaving(host, () => sent.push(what));
  send("at rest");
  click("/train");
  click("/race", { ctrlKey: true });
  send("the page stays");
  click("/race");
  send("the link was slow");
  look();
  deepEqual(sent, ["at rest", "the page stays"]);
  now += 20_000;
  look();
  listeners.click({
    target: { closest: (kind) => kind.startsWith("a") ? null : {} },
  });
  send("the button led nowhere");
  equal(sent.length, 3);
  now += 2000;
  look();
  click("/race");
  send("dropped");
  host.isConnected = false;
  look();
  host.isConnected = true;
  globalThis.location = { origin: "o", pathname: "/race" };
  send("of the new page");
  listeners.popstate();
  send("after going back");
  send("the newest");
  now += 2000;
  look();
  Object.assign(globalThis, { setTimeout: plain, addEventListener: add });
  Object.defineProperty(globalThis, "performance", {
    value: clock,
    configurable: true,
  });
  delete globalThis.location;
  deepEqual(sent, [
    "at rest",
    "the page stays",
    "the link was slow",
    "the button led nowhere",
    "of the new page",
    "after going back",
    "the newest",
  ]);
});
