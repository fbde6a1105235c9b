import { ChartPanel } from "./chart_panel.js";
import { groupKey, groupName, groupsOf } from "../../runs/group.js";
import { NOWHERE, read, together } from "../../plot/layout.js";
import { stroke } from "../../draw/marker.js";
import { key } from "../../draw/panel.js";
import { score } from "../../draw/words.js";

const GROUPS = ["seen", "unseen"];

/** Precision against recall, for both groups of classes, the chosen one strong. */
export class Precision extends ChartPanel {
  /** @param {RunDesk} desk */ constructor(desk) {
    super(desk, "precision", "Precision and recall");
  }

  keys() {
    const { look, subject } = this.desk;
    /** @type {Record<string, string>} */ const dash = { unseen: "", seen: "2 3" };
    return groupsOf(subject).map((name) => key(stroke(look.ink, dash[name]), groupKey(subject, name)));
  }

  draw() {
    const { frame, group, subject } = this.desk;
    const curves = GROUPS.map((name) => frame.arrays[`0.pr.${name}`]).map(columns);
    this.chart.move(curves.map((curve, k) => [k, curve]));
    this.panel.describe(() => {
      const { x, y } = curves[GROUPS.indexOf(group.name)];
      /** @param {number} recall */ const at = (recall) => score(y[x.findIndex((value) => value >= recall - 1e-6)]);
      return (
        `Precision against recall at step ${frame.header.step} among ${groupName(subject, group.name)}: ` +
        `precision ${at(0.25)} at recall 0.25, ${at(0.5)} at 0.5, ${at(0.75)} at 0.75.`
      );
    });
  }

  build() {
    const { look, subject, group } = this.desk;
    const traces = GROUPS.map((name) => {
      const [width, opacity] = group.name === name ? [2.2, 1] : [1.4, 0.55];
      return read(groupKey(subject, name), { color: look.ink, width, dash: name === "unseen" ? "solid" : "dot" }, ".2f", {
        opacity,
      });
    });
    const share = { range: [0, 1.03], tickvals: [0, 0.25, 0.5, 0.75, 1] };
    const x = { ...share, title: "recall", range: [0, 1] };
    return { traces, layout: together(look, x, { ...share, title: "precision" }) };
  }
}

/** @param {Packed | undefined} pairs */ function columns(pairs) {
  if (!pairs?.length) return NOWHERE;
  const n = pairs.shape[0];
  return {
    x: Float32Array.from({ length: n }, (_, k) => pairs[2 * k]),
    y: Float32Array.from({ length: n }, (_, k) => pairs[2 * k + 1]),
  };
}
