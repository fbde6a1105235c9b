import { offerDrawing } from "../export/scene.js";
import { Pen } from "../kit/pen.js";
import { mark } from "../kit/points.js";
import { EVENT } from "../scene/overlays/proxies.js";
import { element, say } from "../kit/panel.js";
import { component } from "../kit/mount.js";
import { draw, words } from "../scene/overlays/proxies_drawing.js";
import { wear } from "../kit/theme.js";
import { renew, svgNode } from "../kit/svg.js";

const REACH = 1.2; // as in the hand, so that both pictures are of one size
const SIZE = 7; // px

/** The scene once more, under Proxy-Anchor. */
class SecondView {
  #follow = ({ detail }) => this.#draw(detail);
  #last = null;
  look = null;
  menu = null;

  constructor(host) {
    this.host = host;
    this.svg = svgNode("svg", { role: "img", "aria-label": "being drawn" });
    const layer = (parent, attributes) => parent.appendChild(svgNode("g", attributes));
    this.middle = layer(this.svg, {});
    const units = () => layer(this.middle, { class: "dml-hand-units" });
    this.units = [units()];
    this.units[0].append(svgNode("circle", { class: "dml-hand-outline", r: 1 }));
    this.below = new Pen(layer(this.units[0], {}));
    this.points = new Pen(layer(this.middle, {}));
    this.units.push(units());
    this.above = new Pen(this.units[1]);
    this.note = element("p", { class: "dml-hand-note" });
    const stage = element("div", { class: "dml-hand-stage" }, this.svg, this.note);
    this.root = element("div", { class: "dml-hand dml-proxies-twin" }, stage);
    host.append(this.root);
    this.sizes = new ResizeObserver(() => this.#last && this.#draw(this.#last));
    this.sizes.observe(stage);
    window.addEventListener(EVENT, this.#follow);
  }

  update({ data }) {
    this.height = data.height;
    wear(this, data);
    this.data = data;
    this.menu ??= data.recipe && offerDrawing(this.svg.parentNode, this.svg, () => ({ ...this, frame: this.#last }));
    window.dispatchEvent(new CustomEvent(`${EVENT}?`));
  }

  close() {
    this.sizes.disconnect();
    window.removeEventListener(EVENT, this.#follow);
    this.menu?.remove();
    this.root.remove();
  }

  #draw(frame) {
    this.#last = frame;
    const { seen, side, tools, picture } = frame;
    const width = this.root.clientWidth;
    if (!width || !this.height) return;
    const tall = Math.max(240, Math.min(this.height, width));
    this.#level(picture);
    this.unit = Math.min(width, tall) / 2 / REACH;
    renew(this.svg, { width, height: tall });
    renew(this.middle, { transform: `translate(${width / 2} ${tall / 2})` });
    for (const group of this.units) renew(group, { transform: `scale(${this.unit} ${-this.unit})` });
    draw(seen, side, tools, this.below, this.above);
    this.#drawPoints(seen, side, tools);
    for (const pen of [this.below, this.points, this.above]) pen.done();
    const summary = words("Proxy-Anchor", seen.scene, seen.settings, seen.picked, side);
    say(this.note, summary);
    this.svg.setAttribute("aria-label", summary);
    this.root.dataset.drawn = Number(this.root.dataset.drawn ?? 0) + 1;
  }

  // Beside the hand both circles are at one height; below it nothing has to be left free.
  #level(picture) {
    const [own, other] = [this.root, picture.closest(".dml-hand")].map((root) => root.getBoundingClientRect());
    const level = Math.abs(own.top - other.top) < 10;
    const above = parseFloat(getComputedStyle(this.svg.parentNode).marginTop);
    this.root.style.paddingTop = level ? `${picture.getBoundingClientRect().top - other.top - above}px` : "0";
  }

  #drawPoints({ scene, picked }, { count }, tools) {
    const draw = (rows, i, label, proxy) => {
      const { x, y, front } = tools.project(tools.row(rows, i));
      const { colour, marker } = this.look.ofClass(label);
      const size = SIZE * (proxy ? 1.5 : 1) * (front ? 1 : 0.75);
      const [px, py] = [this.unit * x, -this.unit * y];
      if (i === picked[proxy ? 1 : 0]) {
        const ring = { stroke: this.look.ink, "stroke-width": 2.2 };
        this.points.dot({ x: px, y: py }, SIZE + (proxy ? 6 : 3.5), ring);
      }
      const style = { fill: colour, stroke: proxy ? this.look.ink : this.look.edge, "stroke-width": 0.9 };
      this.points.path(mark(proxy ? "star" : marker, px, py, size), { ...style, opacity: front ? 1 : 0.4 });
    };
    scene.y.forEach((label, i) => draw(scene.z, i, label, false));
    for (let p = 0; p < count; p += 1) draw(scene.proxies, p, p, true);
  }
}

export const { mount, unmount } = component(SecondView, "scene.css");
