import { attempt } from "./attempt.js";
import { unlessLeaving, watchLeaving } from "./leaving.js";
import { element } from "../draw/panel.js";
import { stylesheet } from "./assets.js";

/** Says in the node `host` of a component that it could not be drawn; null takes that back.
 * @param {Host} host @param {Error | null} error */
export function undrawn(host, error) {
  fault(host, error ? `This picture could not be drawn (${error.message}); change a setting or reload the page.` : "");
}

/** Gives a component its newest data in a node, without Streamlit; `report(name, value)` is told what it reports of its state.
 * @param {ComponentModule} component @param {HTMLElement} parentElement @param {unknown} data
 * @param {(name: string, value: unknown) => void} report */
export function show(component, parentElement, data, report = () => {}) {
  component.mount({ parentElement, data, setStateValue: report, setTriggerValue() {} });
}

/** @param {Host} host @param {string} words */ function fault(host, words) {
  if (!words) {
    host.dmlFault?.remove();
    host.dmlFault = null;
    return;
  }
  host.dmlFault ??= host.appendChild(element("p", { role: "alert" }));
  host.dmlFault.textContent = words;
}

/** @param {Host} host */ function empty(host) {
  host.dmlFault = null;
  host.replaceChildren();
}

/** `mount` and `unmount` of a component: a `Kind(host, library)` in each node of the page that Streamlit gives it, made when
 * `sheet` of css/ and the `library` (a function that promises it) are there. At each rerun `mount` gives it the new data.
 * Streamlit also calls cleanups of earlier reruns: the component is closed, and its node emptied, only if that has left the page.
 * @template Data
 * @param {new (host: Host, library: PlotlyLibrary | null) => {update(given: Given<Data>): void, close?(): void}} Kind
 * @param {string} [sheet] @param {() => Promise<PlotlyLibrary> | null} library */
export function component(Kind, sheet, library = () => null) {
  /** @param {Host} host */ const unmount = (host) => {
    if (host.isConnected) return;
    host.dmlShown?.close?.();
    host.dmlShown = host.dmlOpening = host.dmlOpened = null;
    empty(host);
  };
  /** @param {Host} host */ const open = async (host) => {
    const load = () => Promise.all([library(), sheet && stylesheet(sheet)]);
    const loaded = await attempt(load, (words) => fault(host, words), { wanted: () => host.isConnected });
    if (!loaded || !host.isConnected) return unmount(host);
    [host.dmlLibrary] = loaded;
    host.dmlOpened = true;
    give(host);
  };
  // Draws the newest data. Data that cannot be drawn are said to be so; those of the next rerun are drawn again.
  /** @param {Host} host */ const give = (host) => {
    try {
      host.dmlShown ??= new Kind(host, host.dmlLibrary ?? null);
      if (host.dmlNewest) host.dmlShown.update(host.dmlNewest);
      undrawn(host, null);
    } catch (error) {
      console.error(error);
      if (!host.dmlShown) empty(host); // of what was made so far
      undrawn(host, error);
    }
  };
  /** @param {Given<Data | [Data]>} given */ const mount = (given) => {
    const host = /** @type {Host} */ (given.parentElement);
    const data = Array.isArray(given.data) ? given.data[0] : given.data; // as dml_viz/app/component_loader.py sends it
    const newest = { ...given, data };
    for (const send of /** @type {const} */ (["setStateValue", "setTriggerValue"])) {
      newest[send] = (name, value) => unlessLeaving(host, () => given[send](name, value));
    }
    watchLeaving();
    host.dmlNewest = newest;
    if (host.dmlOpened) give(host);
    else host.dmlOpening ??= open(host);
  };
  return { mount, unmount };
}
