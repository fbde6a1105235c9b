import { channels } from "../draw/look.js";
import { mount as feed } from "./feed.js";

// A picture of the app in a notebook, where no server is: its scripts come as text with what it draws (export/notebook.py).

const WAITING = "The picture begins with the loop's first step.";
const loaded = new Map(); // by text

/** What `load` makes of a script's address, once for the page. */
function once(text, load) {
  if (!loaded.has(text)) loaded.set(text, load(URL.createObjectURL(new Blob([text], { type: "text/javascript" }))));
  return loaded.get(text);
}

function library(src) {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src, onerror: reject });
    script.onload = () => resolve(window.Plotly);
    document.head.append(script);
  });
}

// The colour behind a node: the nearest that is not transparent.
function paper(node) {
  const colour = getComputedStyle(node).backgroundColor;
  const above = node.parentElement ?? node.getRootNode().host;
  return channels(colour)?.[3] || !above ? colour : paper(above);
}

function bytes({ buffer, byteOffset, byteLength }) {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

async function render({ model, el }) {
  const { script, plotly } = model.get("scripts");
  window.dmlPlotly ??= once(plotly, library);
  const { mount, unmount } = await once(script, (address) => import(address));
  while (!el.isConnected) await new Promise(requestAnimationFrame);
  const host = el.appendChild(document.createElement("div"));
  host.textContent = WAITING;
  const report = (name, value) => model.send({ [name]: value });
  const show = () => {
    const packed = bytes(model.get("packed"));
    const data = packed.length ? packed : model.get("data");
    if (!packed.length && !data.theme) return;
    if (host.firstChild?.nodeName === "#text") host.textContent = "";
    host.style.setProperty("--st-background-color", paper(el));
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
