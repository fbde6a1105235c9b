import { attempt, fetched, imported, needed } from "./attempt.js";

const NOTEBOOK = import.meta.url.startsWith("blob:"); // which brings library and styles itself (components/notebook.js)

/** The folder of all that the browser loads, also where this script came from another address after a failure (attempt.js). */
export const ASSETS = new URL("../../", NOTEBOOK ? "notebook:/" : import.meta.url.replace(/(live-assets.[^/.]+)[^/]*/, "$1"));
const UNSTYLED = 3000; // ms after which a picture is drawn though its style sheet is still to come

/** The style sheet `name` of css/, waited for so that nothing is laid out without it, but not for ever. @param {string} name */
export function stylesheet(name) {
  if (NOTEBOOK) return Promise.resolve();
  const href = new URL(`css/${name}`, ASSETS).href;
  const loaded = attempt(() => linked(href), () => {});
  return Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, UNSTYLED))]);
}

/** What an export needs of the server, as text. @param {string | URL} address */
export function textOf(address) {
  return needed(async (_failures, signal) => (await fetched(new URL(address, ASSETS), signal)).text());
}

/** The promise of a library that only some files need, built as a script of its own. @param {string} name */
export function builtLibrary(name) {
  return needed((failures) => imported(new URL(`dist/js/${name}.js`, ASSETS).href, failures));
}

/** @param {string} href */ function linked(href) {
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
