import { channels } from "../draw/look.js";
import { onPaper } from "../host/theme.js";
import { mount as feed } from "./feed.js";

// A picture of the app in a notebook, where no server is: its scripts come as text with what it draws (export/notebook.py).

/** What the notebook keeps of a picture.
 * @typedef {{
 *   get: <K extends keyof NotebookState>(name: K) => NotebookState[K], send: (report: Record<string, unknown>) => void,
 *   on: (events: string, act: () => void) => void,
 * }} NotebookModel */
/** @typedef {{
 *   module: string, scripts: {parts: string, plotly: string}, packed: DataView, fed: DataView, data: LiveData,
 * }} NotebookState */

const WAITING = "The picture begins with the loop's first step.";
const loaded = new Map(); // by text

// What `load` makes of a script's address, once for the page.
/** @template T @param {string} text @param {(address: string) => T} load */
function once(text, load) {
  if (!loaded.has(text)) loaded.set(text, load(URL.createObjectURL(new Blob([text], { type: "text/javascript" }))));
  return loaded.get(text);
}

/** @param {string} src */ function library(src) {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src, onerror: reject });
    script.onload = () => resolve(window.Plotly);
    document.head.append(script);
  });
}

/** The colour behind a node: the nearest that is not transparent. @param {Element} node @returns {string} */
function paper(node) {
  const colour = getComputedStyle(node).backgroundColor;
  const above = node.parentElement ?? /** @type {ShadowRoot} */ (node.getRootNode()).host;
  return channels(colour)?.[3] || !above ? colour : paper(above);
}

/** @param {ArrayBufferView} view */ function bytes({ buffer, byteOffset, byteLength }) {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** @param {{model: NotebookModel, el: HTMLElement}} given */ async function render({ model, el }) {
  const { parts, plotly } = model.get("scripts");
  window.dmlPlotly ??= once(plotly, library);
  const { mount, unmount } = (await once(parts, (address) => import(address)))[model.get("module")];
  while (!el.isConnected) await new Promise(requestAnimationFrame);
  const host = el.appendChild(document.createElement("div"));
  host.textContent = WAITING;
  /** @param {string} name @param {unknown} value */ const report = (name, value) => model.send({ [name]: value });
  const show = () => {
    const packed = bytes(model.get("packed"));
    const plain = model.get("data");
    const data = packed.length ? packed : plain;
    if (!packed.length && !plain.theme) return;
    if (host.firstChild?.nodeName === "#text") host.textContent = "";
    host.style.cssText = onPaper(paper(el));
    mount({ parentElement: host, data, setStateValue: report, setTriggerValue: report });
    follow();
  };
  const follow = () => model.get("fed").byteLength && feed({ data: bytes(model.get("fed")) });
  model.on("change:data change:packed", show);
  model.on("change:fed", follow);
  show();
  report("shown", true); // in marimo, messages from before there was a model are lost
  return () => {
    host.remove();
    unmount(host);
  };
}

export default { render };
