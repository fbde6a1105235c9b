import { AS_SEEN, make } from "../export/files.js";
import { pictures } from "../export/menu.js";
import { base64 } from "../export/svg.js";
import { fromBase64 } from "../kit/packing.js";

// The page in which a press draws: no visitor sees it. Kaleido calls it as it would its own.

const PATIENCE = 20_000; // ms
const LOOK = 20; // ms between two looks

/**
 * The file of one ask: a component's `module` and `data`, its `figure` (the key of the picture), the `width` of its frame
 * (px), what stands `beside` it and tells it what to draw, a `format`, a `wish` (null: as seen), a `scale` of pixels, and the `base` that links are below.
 */
async function drawn({ module, data, beside = [], figure, width, format, wish, scale, base }) {
  window.dmlBase = base;
  for (const one of [{ module, data }, ...beside]) await mounted(one, width);
  const picture = await there(figure);
  return make(picture, format, wish ?? AS_SEEN, scale);
}

async function mounted({ module, data }, width) {
  const host = document.createElement("div");
  host.style.width = `${width}px`;
  document.body.append(host);
  const { mount } = await import(`./${module}.js`);
  const told = data.bytes ? fromBase64(data.bytes) : data;
  mount({ parentElement: host, data: told, setStateValue() {}, setTriggerValue() {} });
}

async function there(figure) {
  const late = performance.now() + PATIENCE;
  while (performance.now() < late) {
    const picture = pictures().get(figure);
    if (picture && (!picture.drawn || picture.drawn())) return picture;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
  throw new Error(`the picture ${figure} did not appear; there are ${[...pictures().keys()].join(", ") || "none"}`);
}

window.dmlPlotly = Promise.resolve(window.Plotly);
window.kaleido_scopes = {
  async plotly({ data: { ask } }) {
    try {
      const blob = await drawn(ask);
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return { code: 0, message: "", format: "bytes", result: base64(bytes) };
    } catch (error) {
      return { code: 1, message: String(error?.message ?? error), result: null };
    }
  },
};
