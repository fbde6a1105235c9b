const CONFIG = {
  displayModeBar: false,
  displaylogo: false,
  showSendToCloud: false,
  showTips: false,
  responsive: false,
  doubleClick: false,
};
const STILL = { mode: "immediate", transition: { duration: 0 }, frame: { duration: 0, redraw: false } };

/** One Plotly chart that is drawn once, as soon as the library is there, and then only moved. */
export class Chart {
  ready = false;
  #sizes = new ResizeObserver(() => this.#fit());
  #ranges = new Map();
  #moved = new Map(); // changes that came before the library
  #zoomed = false;
  #subjects = 0;

  /**
   * Fills `box`, whose size must not depend on the chart; `build` gives {traces, layout} for the look of the moment.
   * In a `square` chart both axes keep one unit: Plotly's own scale anchor is forgotten by its animation.
   */
  constructor(library, box, build, { square = false } = {}) {
    this.square = square;
    this.build = build;
    this.node = document.createElement("div");
    this.node.className = "dml-chart";
    box.append(this.node);
    library.then((Plotly) => this.node.isConnected && this.#open(Plotly));
  }

  /** Draws everything anew in place: another theme, other classes; a `fresh` subject also gives up ranges and zoom. */
  rebuild(fresh) {
    if (fresh) {
      this.#ranges.clear();
      this.#zoomed = false;
      this.#subjects += 1;
    }
    this.#moved.clear();
    if (!this.ready) return;
    this.#draw();
    this.#sizes.unobserve(this.node); // legends may still change the box: look again when they have
    this.#sizes.observe(this.node);
  }

  /** Gives traces new data (`[index, {x, y}]` pairs) without touching axes, zoom or hover. */
  move(changes) {
    if (!this.ready) return changes.forEach(([index, change]) => this.#moved.set(index, change));
    const data = changes.map(([, change]) => change);
    const traces = changes.map(([index]) => index);
    return this.Plotly.animate(this.node, { data, traces }, STILL).catch(() => {});
  }

  /** Sets the opacity of traces. */
  fade(traces, opacity) {
    if (this.ready && traces.length) this.Plotly.restyle(this.node, { opacity }, traces);
  }

  /** Sets an axis' range unless the visitor has zoomed. */
  range(axis, range) {
    const known = this.#ranges.get(axis);
    if (known && known[0] === range[0] && known[1] === range[1]) return;
    this.#ranges.set(axis, range);
    if (!this.#zoomed) this.#apply();
  }

  /** Back to the ranges of the data. */
  unzoom() {
    this.#zoomed = false;
    this.#apply();
  }

  /** The axis' own range for the data, however the visitor has zoomed. */
  rangeOf(axis) {
    return this.#ranges.get(axis) ?? null;
  }

  /** Data coordinates of a pointer event, with the data units of one pixel; null before there is a chart. */
  where(event) {
    if (!this.ready) return null;
    const { xaxis, yaxis } = this.node._fullLayout;
    const box = this.node.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - xaxis._offset, event.clientY - box.top - yaxis._offset];
    return { x: xaxis.p2c(x), y: yaxis.p2c(y), unit: Math.abs(xaxis.p2c(1) - xaxis.p2c(0)) };
  }

  /** Pixel of a point inside the chart's node, and whether the point is in view. */
  pixel(x, y) {
    if (!this.ready) return { x: 0, y: 0, inside: false };
    const { xaxis, yaxis } = this.node._fullLayout;
    const [px, py] = [xaxis.c2p(x), yaxis.c2p(y)];
    const inside = px >= 0 && py >= 0 && px <= xaxis._length && py <= yaxis._length;
    return { x: px + xaxis._offset, y: py + yaxis._offset, inside };
  }

  close() {
    this.#sizes.disconnect();
    if (this.ready) this.Plotly.purge(this.node);
  }

  #open(Plotly) {
    this.Plotly = Plotly;
    this.ready = true;
    this.#draw();
    this.node.on("plotly_relayout", (change) => {
      if (this.moving || !Object.keys(change).some((name) => /axis\d?\.range/.test(name))) return;
      this.#zoomed = true;
      if (this.square) this.#square();
    });
    this.node.on("plotly_doubleclick", () => this.unzoom());
    this.#sizes.observe(this.node);
  }

  // Also the first time: to Plotly, drawing on an empty node is the same call.
  #draw() {
    const { traces, layout } = this.build();
    for (const [index, change] of this.#moved) Object.assign(traces[index], change);
    for (const [axis, range] of this.#ranges) layout[axis].range = [...range];
    this.margin = layout.margin;
    this.Plotly.react(this.node, traces, { uirevision: this.#subjects, ...layout, ...this.#frame() }, CONFIG);
  }

  #apply() {
    const change = {};
    for (const [axis, range] of this.#ranges) change[`${axis}.range`] = [...range];
    this.#relayout(change);
  }

  async #relayout(change) {
    if (!this.ready) return;
    this.moving = true;
    await this.Plotly.relayout(this.node, change);
    this.moving = false;
  }

  // A box zoom is widened to a square one.
  #square() {
    const { xaxis, yaxis } = this.node._fullLayout;
    const half = Math.max(...[xaxis, yaxis].map(({ range }) => Math.abs(range[1] - range[0]))) / 2;
    const wide = ({ range }) => [(range[0] + range[1]) / 2 - half, (range[0] + range[1]) / 2 + half];
    this.#relayout({ "xaxis.range": wide(xaxis), "yaxis.range": wide(yaxis) });
  }

  // Size and margins for the box at hand.
  #frame() {
    const { width, height } = this.node.getBoundingClientRect();
    const { l, r, t, b } = this.margin;
    const spare = this.square ? (width - l - r - (height - t - b)) / 2 : 0;
    const [x, y] = [Math.max(0, spare), Math.max(0, -spare)];
    return { width, height, margin: { l: l + x, r: r + x, t: t + y, b: b + y } };
  }

  #fit() {
    const shown = this.node._fullLayout;
    const frame = this.#frame();
    if (!frame.width || !frame.height || !shown) return;
    if (Math.abs(shown.width - frame.width) < 1 && Math.abs(shown.height - frame.height) < 1) return;
    this.#relayout(frame);
  }
}
