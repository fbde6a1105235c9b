// Plotly is served from the Python package's own copy; one page loads it once, however many components it shows.

const NOTEBOOK = import.meta.url.startsWith("blob:"); // which brings library and styles itself (components/notebook.js)

/** The folder of all that the browser loads. */
export const ASSETS = new URL("../../", NOTEBOOK ? "notebook:/" : import.meta.url);
const LIBRARY = new URL("plotly.min.js", ASSETS);

/** The promise of the Plotly library, loaded on first use. */
export function plotly() {
  window.dmlPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = LIBRARY.href;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      window.dmlPlotly = undefined;
      reject(new Error(`${LIBRARY} could not be loaded`));
    };
    document.head.append(script);
  });
  return window.dmlPlotly;
}

/** The style sheet `name` of css/, waited for so that nothing is laid out without it. */
export function stylesheet(name) {
  if (NOTEBOOK) return Promise.resolve();
  const href = new URL(`css/${name}`, ASSETS).href;
  const known = document.head.querySelector(`link[href="${href}"]`);
  if (known?.sheet) return Promise.resolve();
  const link = known ?? Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  const loaded = new Promise((resolve) => ["load", "error"].forEach((event) => link.addEventListener(event, resolve)));
  if (!known) document.head.append(link);
  return loaded;
}
