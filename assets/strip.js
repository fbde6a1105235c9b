import { neighbours } from "./group.js";
import { paint } from "./image.js";
import { Panel, element, say } from "./panel.js";

const NEIGHBOURS = 8;

/** A query image and its nearest neighbours, right ones and wrong ones told apart by frame, mark and line style. */
export class Strip {
  constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("strip", "Retrieval strip");
    this.query = this.#tile("dml-query");
    this.tiles = Array.from({ length: NEIGHBOURS }, () => this.#tile());
    const row = element(
      "div",
      { class: "dml-row" },
      this.query.root,
      element("span", { class: "dml-arrow", "aria-hidden": "true" }, "→"),
    );
    row.append(...this.tiles.map(({ root }) => root));
    this.panel.picture.append(row);
    const button = (text, label, by) => {
      const node = element("button", { class: "dml-chip", type: "button", "aria-label": label }, text);
      node.addEventListener("click", () => desk.select(desk.step(by)));
      return node;
    };
    this.told = element("span", { class: "dml-key" });
    this.panel.legend.append(this.told, button("‹", "Previous query", -1), button("›", "Next query", 1));
  }

  open() {}

  draw() {
    const { subject, active, hovered, frame, look } = this.desk;
    if (active == null) return;
    const near = neighbours(this.desk, active);
    const name = (point) => subject.header.classes[subject.arrays.y[point]];
    const right = near.filter((one) => one.right).length;
    say(this.panel.title, `${hovered == null ? "Query" : "Pointed at"}: ${name(active)}, image ${active}`);
    say(this.told, `${right} of its ${near.length} nearest are right`);
    paint(this.query.canvas, subject, active, look);
    say(this.query.text, name(active));
    this.tiles.forEach((tile, k) => {
      const one = near[k];
      tile.root.hidden = !one;
      if (!one) return;
      tile.root.dataset.right = one.right;
      paint(tile.canvas, subject, one.point, look);
      say(tile.text, `${one.right ? "✓" : "✗"} ${name(one.point)}`);
    });
    this.panel.describe(() => {
      const list = near.map((one) => `${name(one.point)} ${one.right ? "right" : "wrong"}`).join(", ");
      return `Image ${active} (${name(active)}) at step ${frame.header.step}; its ${near.length} nearest neighbours: ${list}.`;
    });
  }

  close() {}

  #tile(kind = "") {
    const canvas = element("canvas", { class: "dml-image" });
    const text = element("figcaption");
    return { canvas, text, root: element("figure", { class: `dml-tile ${kind}` }, canvas, text) };
  }
}
