// Each page that a visitor has seen is one entry of the browser's history.
import { deepEqual } from "node:assert/strict";
import { mergeHistoryEntries } from "../../assets/src/host/one_entry.js";

Deno.test("a page that opens with settings of its own is one entry, and what a visitor changes there another", () => {
  const listeners = {};
  const location = { href: "http://o/train?a=1" };
  for (const part of ["pathname", "search"]) {
    Object.defineProperty(location, part, {
      get: () => new URL(location.href)[part],
    });
  }
  class History {
    entries = [location.href];
    pushState(_state, _unused, url) {
      location.href = new URL(url, location.href).href;
      this.entries.push(location.href);
    }
    replaceState(_state, _unused, url) {
      this.entries.pop();
      this.pushState(null, "", url);
    }
  }
  const history = new History();
  Object.assign(globalThis, {
    addEventListener: (type, act) => listeners[type] = act,
  });
  for (const [name, value] of Object.entries({ history, location })) {
    Object.defineProperty(globalThis, name, {
      value,
      configurable: true,
      writable: true,
    });
  }
  mergeHistoryEntries();
  const push = (url) => history.pushState(null, "", url);
  const entries = () => history.entries.map((href) => href.replace("http://o/", ""));
  listeners.pointerdown(); // on the menu
  push("/proxies"); // the menu's
  push("/proxies?b=2"); // what the page remembers
  deepEqual(entries(), ["train?a=1", "proxies?b=2"]);
  listeners.keydown();
  push("/proxies?b=3"); // a control's
  push("/fastap");
  listeners.pointerdown();
  push("/fastap?c=1"); // a control's, on a page that remembers nothing
  push("/fastap?d=1"); // of a link to another page
  push("/pairs?d=1");
  deepEqual(entries(), [
    "train?a=1",
    "proxies?b=2",
    "proxies?b=3",
    "fastap",
    "fastap?c=1",
    "pairs?d=1",
  ]);
});
