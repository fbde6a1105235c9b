// Plotly, with the trace types that the pages use; one page loads it once, however many components it shows.

import { attempt, GIVEN_UP } from "./attempt.js";

const NOTEBOOK = import.meta.url.startsWith("blob:"); // which brings library and styles itself (components/notebook.js)

/** The folder of all that the browser loads. */
export const ASSETS = new URL("../../", NOTEBOOK ? "notebook:/" : import.meta.url);
const LIBRARY = new URL("plotly.min.js", ASSETS);
const UNSTYLED = 3000; // ms after which a picture is drawn though its style sheet is still to come

/** The promise of the Plotly library, loaded on first use. */
export function plotly() {
  window.dmlPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = LIBRARY.href;
    const failed = () => {
      clearTimeout(late);
      window.dmlPlotly = undefined;
      script.remove();
      reject(new Error(`no library at ${LIBRARY}`));
    };
    const late = setTimeout(failed, GIVEN_UP);
    script.onload = () => {
      if (!window.Plotly) return failed(); // what is no script, such as a proxy's page for signing in, may be loaded all the same
      clearTimeout(late);
      resolve(window.Plotly);
    };
    script.onerror = failed;
    document.head.append(script);
  });
  return window.dmlPlotly;
}

/** The style sheet `name` of css/, waited for so that nothing is laid out without it, but not for ever. */
export function stylesheet(name) {
  if (NOTEBOOK) return Promise.resolve();
  const href = new URL(`css/${name}`, ASSETS).href;
  const loaded = attempt(() => linked(href), () => {});
  return Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, UNSTYLED))]);
}

function linked(href) {
  const known = document.head.querySelector(`link[href="${href}"]`);
  if (known?.sheet) return Promise.resolve();
  const link = known ?? Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  const loaded = new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error(`no style sheet at ${href}`));
    });
  });
  if (!known) document.head.append(link);
  return loaded;
}
