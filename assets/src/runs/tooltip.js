import { paint } from "./image.js";
import { element, say } from "../draw/panel.js";

/** Puts a node beside a place, and left of it where there is no room. @param {HTMLElement} node @param {Place} at @param {number} room */
export function putNextTo({ style, offsetWidth, offsetHeight }, { x, y }, room) {
  const left = x + 14 + offsetWidth > room ? x - 14 - offsetWidth : x + 14;
  style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, y - offsetHeight - 8)}px)`;
}

/** A point's image and class beside the point, following it as it moves. */
export class Tooltip {
  /** @param {HTMLElement} parent */ constructor(parent) {
    this.canvas = element("canvas", { class: "dml-image" });
    this.text = element("span");
    this.root = element("div", { class: "dml-tooltip", "aria-hidden": "true", hidden: true }, this.canvas, this.text);
    this.parent = parent;
    parent.append(this.root);
  }

  /** @param {Place & {inside: boolean}} at @param {Subject} subject @param {number} point @param {Look} look */
  show({ x, y, inside }, subject, point, look) {
    if (!inside) return this.hide();
    paint(this.canvas, subject, point, look);
    say(this.text, `${subject.header.classes[subject.arrays.y[point]]} · ${point}`);
    this.root.hidden = false;
    putNextTo(this.root, { x, y }, this.parent.clientWidth);
    return undefined;
  }

  hide() {
    this.root.hidden = true;
  }
}
