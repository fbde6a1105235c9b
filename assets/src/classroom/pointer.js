// Where a lecturer points in the first scene of the page, from its centre in halves of its shorter side, so that the place is the
// same in a larger or smaller scene.

import { element } from "../draw/panel.js";

const STAGE = ".dml-scene-stage";
const DIGITS = 1000; // of a place

/** The place [right, down] of a pointer in the first scene; null outside it. @param {PointerEvent} event
 * @returns {[number, number] | null} */
export function pointerOf(event) {
  const target = /** @type {Element} */ (event.target);
  const svg = document.querySelector(`${STAGE} > svg`);
  if (!svg?.contains(target)) return null;
  const { left, top, width, height } = svg.getBoundingClientRect();
  const half = Math.min(width, height) / 2;
  /** @param {number} px */ const place = (px) => Math.round(DIGITS * px / half) / DIGITS;
  return [place(event.clientX - left - width / 2), place(event.clientY - top - height / 2)];
}

/** Shows where the lecturer points, in the first scene of a page; nothing for null.
 * @param {readonly number[] | null} pointer @param {ParentNode} page */
export function showPointer(pointer, page = document) {
  const stage = page.querySelector(STAGE), svg = stage?.querySelector("svg");
  let dot = /** @type {HTMLElement | null | undefined} */ (stage?.querySelector(".dml-class-pointer"));
  if (!pointer || !svg) return dot?.remove();
  if (!dot) {
    dot = element("i", { class: "dml-class-pointer", "aria-hidden": "true" });
    stage.append(dot);
  }
  const { clientWidth: width, clientHeight: height } = svg;
  const half = Math.min(width, height) / 2;
  dot.style.left = `${width / 2 + half * pointer[0]}px`;
  dot.style.top = `${height / 2 + half * pointer[1]}px`;
}
