import { renderOffscreen } from "./aside.js";
import { make } from "./files.js";
import { AS_SEEN } from "./recipe.js";
import { characters } from "./fonts.js";

// The page in which a headless Chrome draws: no visitor sees it. Kaleido calls it as it would its own.

/** The file of one request (export/aside.js), below a line of JSON with the notes on it: in a `format`, with `options` (null: as
 * seen), a `scale` of pixels, the `base` of links, and the options of a `film`. @param {FileRequest} request */
async function renderRequest(request) {
  const { format, options, scale, base, film } = request;
  window.dmlBase = base;
  const { picture } = await renderOffscreen(request, (module) => import(`../components/${module}.js`));
  /** @type {FileRemarks} */ const remarks = {};
  const file = await make(picture, format, options ?? AS_SEEN, scale, remarks, film);
  return new Blob([`${JSON.stringify(remarks.notes)}\n`, file]);
}

window.dmlPlotly = Promise.resolve(window.Plotly);
window.kaleido_scopes = {
  /** @param {{data: {request: FileRequest}}} call */ async plotly({ data: { request } }) {
    try {
      const blob = await renderRequest(request);
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return { code: 0, message: "", format: "bytes", result: btoa(characters(bytes)) };
    } catch (error) {
      return { code: 1, message: String(error?.message ?? error), result: null };
    }
  },
};
