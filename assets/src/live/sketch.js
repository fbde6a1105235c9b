/** The points as plain dots on a canvas: something to see in the second that Plotly takes to load. */
export class Sketch {
  /** @param {HTMLElement} box */ constructor(box) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "dml-chart";
    box.append(this.canvas);
  }

  /** @param {{at: Places, bound: number}} scene @param {{group: Group, look: Look, flat: boolean}} desk */
  draw({ at, bound }, { group, look, flat }) {
    const { width, height } = this.canvas.getBoundingClientRect();
    const sharp = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: width * sharp, height: height * sharp });
    const pen = this.canvas.getContext("2d");
    const unit = (Math.min(width, height) / 2 - 4) / bound;
    if (!(unit > 0)) return; // hidden
    pen.scale(sharp, sharp);
    pen.translate(width / 2, height / 2);
    /** @param {number} x @param {number} y @param {number} radius */ const dot = (x, y, radius) => {
      pen.beginPath();
      pen.arc(x * unit, -y * unit, radius, 0, 2 * Math.PI);
    };
    pen.strokeStyle = look.quiet;
    dot(0, 0, unit);
    if (!flat) pen.stroke();
    group.drawn.forEach((members, k) => {
      pen.fillStyle = look.ofClass(group.kinds[k]).colour;
      for (const i of members) {
        dot(at.x[i], at.y[i], 3.5);
        pen.fill();
      }
    });
  }

  close() {
    this.canvas.remove();
  }
}
