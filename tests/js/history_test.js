// Each page that a visitor has seen is one entry of the browser's history.
import { deepEqual } from "node:assert/strict";
import { mergeHistoryEntries } from "../../assets/src/host/one_entry.js";

Deno.test("what follows from one act of a visitor is one entry", () => {
  const listeners = {};
  const location = { href: "http://o/train?a=1" };
  for (const part of ["pathname", "search"]) {
    Object.defineProperty(location, part, {
      get: () => new URL(location.href)[part],
    });
  }
  class History {
    entries = [location.href];
    replaceState(_state, _unused, url) {
      this.entries.pop();
      location.href = new URL(url, location.href).href;
      this.entries.push(location.href);
    }
    pushState(state, unused, url) {
      this.entries.push("");
      this.replaceState(state, unused, url);
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
  push("/train?a=1&v=2"); // what the page that was opened adds by itself
  deepEqual(entries(), ["train?a=1&v=2"]);
  listeners.pointerdown(); // on the menu
  push("/proxies"); // the menu's
  push("/proxies?b=2"); // what the page remembers
  deepEqual(entries(), ["train?a=1&v=2", "proxies?b=2"]);
  listeners.keydown();
  push("/proxies?b=3"); // a control's
  push("/proxies?b=3&step=9"); // of the run that the control began
  listeners.keydown();
  push("/proxies?b=3&step=4"); // of a step that is looked at
  listeners.keydown();
  push("/proxies?b=3&step=4&proxies.step=2"); // a control's of that name
  listeners.keydown();
  push("/fastap");
  listeners.pointerdown();
  push("/fastap?c=1"); // a control's, on a page that remembers nothing
  listeners.pointerdown();
  push("/fastap?d=1"); // of a link to another page
  listeners.pointerdown(); // of one who does not wait
  push("/pairs?d=1");
  const all = [
    "train?a=1&v=2",
    "proxies?b=2",
    "proxies?b=3&step=4",
    "proxies?b=3&step=4&proxies.step=2",
    "fastap",
    "fastap?c=1",
    "pairs?d=1",
  ];
  deepEqual(entries(), all);
  listeners.keydown(); // Alt and Left
  listeners.popstate();
  push("/fastap?c=1&step=9"); // of the run that goes on there
  deepEqual(entries(), [...all.slice(0, -1), "fastap?c=1&step=9"]);
});
