// Components shown out of sight, for the pictures that they have to export.

import { pictures } from "./menu.js";
import { show } from "../host/mount.js";
import { fromBase64 } from "../runs/packing.js";

const PATIENCE = 20_000; // ms
const LOOK = 20; // ms between two looks

/** The picture with the key `figure` of a component's `module` and `data`, in a frame of `width` px, with the `others` that say
 * what to draw: {picture, close}. `load` gives the script of a module, `style` is that of its place in the document.
 * @param {PictureRequest} request @param {(module: string) => Promise<ComponentModule>} load */
export async function renderOffscreen({ module, data, others = [], figure, width }, load, style = "") {
  pictures().delete(figure);
  /** @type {(() => void)[]} */ const open = [];
  for (const component of [{ module, data }, ...others]) open.push(await mountHidden(component, width, load, style));
  const close = () => open.forEach((end) => end());
  try {
    return { picture: await pictureOf(figure), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** @param {CompanionComponent} component @param {number} width @param {(module: string) => Promise<ComponentModule>} load
 * @param {string} style */
async function mountHidden({ module, data }, width, load, style) {
  const host = document.createElement("div");
  host.style.cssText = `width:${width}px;${style}`;
  host.inert = Boolean(style);
  document.body.append(host);
  const component = await load(module);
  const { bytes } = /** @type {Partial<PackedData>} */ (data);
  show(component, host, bytes ? fromBase64(bytes) : data);
  return () => {
    host.remove();
    component.unmount(host);
  };
}

/** @param {string} figure */ async function pictureOf(figure) {
  const late = performance.now() + PATIENCE;
  while (performance.now() < late) {
    const picture = pictures().get(figure);
    if (picture && (!picture.isDrawn || picture.isDrawn())) return picture;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
  throw new Error(`the picture ${figure} did not appear; there are ${[...pictures().keys()].join(", ") || "none"}`);
}
