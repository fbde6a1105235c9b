import { AS_SEEN, make } from "../export/files.js";
import { pictures } from "../export/menu.js";
import { base64 } from "../export/svg.js";
import { fromBase64 } from "../kit/packing.js";

// The page in which a headless Chrome draws: no visitor sees it. Kaleido calls it as it would its own.

const PATIENCE = 20_000; // ms
const LOOK = 20; // ms between two looks

/**
 * The file of one request: a component's `module` and `data`, its `figure` (the key of the picture), the `width` of its frame
 * (px), the `others` that tell it what to draw, a `format`, the `options` (null: as seen), a `scale` of pixels, and the
 * `base` that links are below.
 */
async function drawn({ module, data, others = [], figure, width, format, options, scale, base }) {
  window.dmlBase = base;
  for (const one of [{ module, data }, ...others]) await mounted(one, width);
  const picture = await there(figure);
  return make(picture, format, options ?? AS_SEEN, scale);
}

async function mounted({ module, data }, width) {
  const host = document.createElement("div");
  host.style.width = `${width}px`;
  document.body.append(host);
  const { mount } = await import(`./${module}.js`);
  mount({
    parentElement: host,
    data: data.bytes ? fromBase64(data.bytes) : data,
    setStateValue() {},
    setTriggerValue() {},
  });
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
  async plotly({ data: { request } }) {
    try {
      const blob = await drawn(request);
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return { code: 0, message: "", format: "bytes", result: base64(bytes) };
    } catch (error) {
      return { code: 1, message: String(error?.message ?? error), result: null };
    }
  },
};
