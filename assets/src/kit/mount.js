import { unlessLeaving, watchLeaving } from "./leaving.js";
import { element } from "./panel.js";
import { stylesheet } from "./plotly.js";

/**
 * `mount` and `unmount` of a component: a `Kind(host, library)` in each node of the page that Streamlit gives it, made when
 * `sheet` of css/ and the `library` (a function that promises it) are there. At each rerun `mount` gives it the new data.
 * Streamlit also calls cleanups of earlier reruns: the component is closed only if its node has left the page.
 */
export function component(Kind, sheet, library = () => null) {
  const unmount = (host) => {
    if (host.isConnected) return;
    host.dmlShown?.close();
    host.dmlShown = host.dmlOpening = null;
  };
  const open = async (host) => {
    try {
      const [loaded] = await Promise.all([library(), sheet && stylesheet(sheet)]);
      if (!host.isConnected) return unmount(host);
      host.dmlFault?.remove();
      host.dmlShown = new Kind(host, loaded);
    } catch (error) {
      host.dmlOpening = null; // the next rerun tries again
      const words = `This picture could not be loaded (${error.message}); reload the page.`;
      host.dmlFault ??= host.appendChild(element("p", { role: "alert" }, words));
      return;
    }
    host.dmlShown.update(host.dmlNewest);
  };
  const mount = (given) => {
    const host = given.parentElement;
    const newest = { ...given };
    for (const send of ["setStateValue", "setTriggerValue"]) {
      newest[send] = (name, value) => unlessLeaving(host, () => given[send](name, value));
    }
    if (Array.isArray(given.data)) [newest.data] = given.data; // as dml_viz/app/component_loader.py sends it
    watchLeaving();
    host.dmlNewest = newest;
    if (host.dmlShown) host.dmlShown.update(newest);
    else host.dmlOpening ??= open(host);
  };
  return { mount, unmount };
}
