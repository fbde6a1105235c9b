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

/** Whether there is the file `name` below that folder. @param {string} _name */
export function hasFile(_name) {
  return true;
}

/** The promise of the bytes of a file; not by fetch, which reads no file: on the server the page that prints is one.
 * @param {string} name @returns {Promise<Uint8Array<ArrayBuffer>>} */
export function bytesOf(name) {
  const url = new URL(name, ASSETS);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.responseType = "arraybuffer";
    const failed = () => reject(new Error(`${url} could not be loaded`));
    const there = () => request.status < 400 && request.response?.byteLength; // the status of a file is 0
    request.onload = () => (there() ? resolve(new Uint8Array(request.response)) : failed());
    request.onerror = failed;
    request.send();
  });
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
