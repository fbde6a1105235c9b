import { paint } from "./image.js";
import { element, say } from "../draw/panel.js";

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
    const room = this.parent.clientWidth;
    const left = x + 14 + this.root.offsetWidth > room ? x - 14 - this.root.offsetWidth : x + 14;
    this.root.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, y - this.root.offsetHeight - 8)}px)`;
    return undefined;
  }

  hide() {
    this.root.hidden = true;
  }
}
