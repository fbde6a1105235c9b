import { lanes, radius } from "./lanes.js";
import { LONGEST } from "./numbers.js";
import { gradient, ofLoss, ofPoint, took } from "./words.js";
import { Disc } from "../draw/disc.js";
import { arrow, disc, renew, SHORTEST } from "../draw/svg.js";
import { FAINT, px } from "../draw/marker.js";
import { element, say } from "../draw/panel.js";

/** @typedef {{x: Float64Array, y: Float64Array, cut: Uint8Array}} Downhill */
/** @typedef {Places & {stems?: Uint8Array}} Starts */

/** Radii from the centre of a picture to its edge, and where arrows point off the sphere. */
export const [REACH, AMBIENT] = [1.16, 1.4];
const WIDEST = 4; // px, of the heaviest edge
const BINS = 5; // widths of edges
const FEW = 24; // points up to which marks are large
const SOME = 70;
const CUT = "3 2.5"; // an arrow that is longer than it is drawn
const HEAVY = 10; // partners of a point that are drawn
const GRAVE = 0.01; // of the heaviest: a lighter pair is not drawn

/** A small picture of points with its title above it and two lines of numbers below. */
export class SmallPanel {
  unseen = false; // whether it is out of sight

  constructor() {
    this.disc = new Disc({ role: "img", "aria-label": "being drawn" });
    this.svg = this.disc.svg;
    this.pen = this.disc.pen;
    this.title = element("div", { class: "dml-gradients-title" });
    this.numbers = element("div", { class: "dml-gradients-numbers" });
    this.more = element("div", { class: "dml-gradients-numbers" });
    this.root = element("figure", { class: "dml-gradients-panel" }, this.title, this.svg, this.numbers, this.more);
  }

  // Begins a picture of `content`: the sphere's edge and its graticule.
  /** @param {BoardContent} content @param {PanelFrame} frame */
  begin(content, { size, reach = REACH, look, camera, shared }) {
    const { disc } = this;
    this.content = content;
    // Where the picture is zoomed in, the sphere's edge is outside.
    Object.assign(disc, { look, solid: Boolean(camera), round: !(content.zoom > 1), reach, most: reach });
    if (camera) disc.camera = camera;
    disc.seen = shared(content);
    disc.begin({ width: size, height: size, edge: 0, back: true });
  }

  /** Draws `content` by `factor` in a frame. @param {BoardContent} _content @param {number} _factor @param {PanelFrame} _frame */
  draw(_content, _factor, _frame) {}

  /** Ends a picture with its words; `texts` are the lines of numbers without the times, which differ between machines, and
   * `brief` is the one for small pages. @param {string[]} texts @param {string} head @param {string} brief */
  end(texts, head, brief) {
    const [numbers, more] = texts;
    this.brief = brief;
    this.disc.done();
    this.texts = texts;
    say(this.title, this.content.title);
    say(this.numbers, numbers);
    say(this.more, more);
    renew(this.svg, { "aria-label": `${head}: ${numbers}; ${more}` });
  }
}

/** One loss among many. */
export class Panel extends SmallPanel {
  // Draws `content` by `factor` in a frame {size, unit, camera, graticule, look, draw, lit, names, shared}.
  /** @param {PanelContent} content @param {number} factor @param {PanelFrame} frame */
  draw(content, factor, frame) {
    const { look } = frame;
    this.begin(content, frame);
    const { disc, disc: { seen, unit } } = this;
    const own = disc.inPixels(seen);
    const ends = disc.project(content.arrows, content.dim);
    const { proxies: rows, n, dim } = content;
    const stars = rows.length ? disc.project(rows, dim) : null;
    const proxies = stars && disc.inPixels(stars);
    /** @param {number} j @returns {[number, number]} */
    const place = (j) => (j < n ? [own.x[j], own.y[j]] : [proxies.x[j - n], proxies.y[j - n]]);
    const wanted = frame.lit === null ? null : content.partners(frame.lit).slice(0, HEAVY);
    if (frame.draw === "per pair") this.#edges(content.edges(), place, look, frame.lit === null ? 0.75 : 0.18);
    if (wanted) {
      this.#edges(
        wanted.map(/** @returns {[number, number, number]} */ ([j, w]) => [frame.lit, j, w]).reverse(),
        place,
        look,
        0.85,
      );
    }
    const drawn = downhill(content, ends, factor);
    const from = this.#starts(content, own, drawn);
    if (frame.draw !== "per pair") this.#stems(content, own, from, look);
    const marks = content.n <= FEW ? 4.6 : content.n <= SOME ? 3.6 : 2.6;
    disc.points(content.y, null, { size: marks, far: 0.8 });
    if (stars) disc.proxies(content.owners, stars);
    const faint = frame.lit === null ? 1 : 0.4;
    if (frame.draw !== "per pair") this.#arrows(content, own.front, from, drawn, unit, look, faint);
    if (frame.lit !== null) this.#lit(frame.lit, content, own, from, drawn, unit, look);
    renew(this.title, { title: [content.note, took(content)].filter(Boolean).join(" ") });
    if (wanted === null) this.end(ofLoss(content), content.title, gradient(content.norm));
    else this.end(ofPoint(content, frame.lit, frame.names, wanted), content.title, gradient(content.lengths[frame.lit]));
  }

  /** Where arrows begin: at their points, or along the circle in a lane further in.
   * @param {PanelContent} content @param {Places} own @param {Downhill} drawn @returns {Starts} */
  #starts({ circle, part }, own, drawn) {
    if (!circle || part === "ambient") return own;
    const { seen, left, top, unit } = this.disc;
    const [x, y, stems] = [Float64Array.from(own.x), Float64Array.from(own.y), new Uint8Array(own.x.length)];
    lanes(seen, drawn).forEach((lane, i) => {
      if (lane < 0) return;
      [x[i], y[i]] = [left + unit * radius(lane) * seen.x[i], top - unit * radius(lane) * seen.y[i]];
      stems[i] = 1;
    });
    return { x, y, stems };
  }

  /** @param {PanelContent} content @param {ArrayLike<number>} front @param {Places} from @param {Downhill} drawn
   * @param {number} unit @param {Look} look @param {number} opacity */
  #arrows({ n, lengths }, front, from, drawn, unit, look, opacity) {
    const [head, width] = n <= FEW ? [6.5, 1.6] : n <= SOME ? [5, 1.2] : [3, 0.7];
    const d = ["", "", "", ""];
    for (let i = 0; i < n; i += 1) {
      const kind = front[i] + 2 * drawn.cut[i];
      if (lengths[i]) d[kind] += arrowOf(i, from, drawn, unit, head);
    }
    d.forEach((path, kind) => {
      const style = { stroke: look.ink, "stroke-width": width, opacity: kind % 2 ? opacity : FAINT * opacity };
      this.pen.path(path, { ...style, "stroke-dasharray": kind > 1 ? CUT : "" });
    });
  }

  /** @param {PanelContent} content @param {Places} at @param {Starts} starts @param {Look} look */
  #stems({ n }, at, { x, y, stems }, look) {
    if (!stems) return;
    let d = "";
    for (let i = 0; i < n; i += 1) {
      if (stems[i]) d += `M${px(at.x[i], at.y[i])}L${px(x[i], y[i])}`;
    }
    this.pen.path(d, { stroke: look.quiet, "stroke-width": 0.7, opacity: 0.7 });
  }

  /** @param {number} i @param {PanelContent} content @param {Places} own @param {Places} from @param {Downhill} drawn
   * @param {number} unit @param {Look} look */
  #lit(i, { n, lengths }, own, from, drawn, unit, look) {
    this.pen.path(disc(own.x[i], own.y[i], n <= FEW ? 8 : 6), { stroke: look.query, "stroke-width": 2 });
    if (!lengths[i]) return;
    const d = arrowOf(i, from, drawn, unit, 8);
    this.pen.path(d, { stroke: look.paper, "stroke-width": 4.6 });
    this.pen.path(d, { stroke: look.query, "stroke-width": 2.6 });
  }

  /** Of a few widths, so that hundreds of pairs are a few paths; pulls are solid, pushes dashed.
   * @param {[number, number, number][]} edges @param {(j: number) => [number, number]} place @param {Look} look
   * @param {number} opacity */
  #edges(edges, place, look, opacity) {
    const most = edges.reduce((a, [, , w]) => Math.max(a, Math.abs(w)), 0);
    /** @type {Map<number, string>} */ const paths = new Map();
    for (const [i, j, w] of edges) {
      const share = Math.abs(w) / most;
      if (share < GRAVE) continue;
      const key = Math.ceil(share * BINS) * (w < 0 ? 1 : -1);
      const [[x, y], [u, v]] = [place(i), place(j)];
      paths.set(key, `${paths.get(key) ?? ""}M${px(x, y)}L${px(u, v)}`);
    }
    for (const key of [...paths.keys()].sort((a, b) => Math.abs(a) - Math.abs(b))) {
      this.pen.path(paths.get(key), {
        stroke: key > 0 ? look.positive : look.negative,
        "stroke-width": (WIDEST * Math.abs(key)) / BINS,
        "stroke-dasharray": key > 0 ? "" : "4 4",
        opacity,
      });
    }
  }
}

// The arrow of point `i` (px), with a head of `size`; "" where it would be invisible.
/** @param {number} i @param {Places} from @param {Downhill} drawn @param {number} unit @param {number} size */
function arrowOf(i, from, drawn, unit, size) {
  const [u, v] = [unit * drawn.x[i], -unit * drawn.y[i]];
  return Math.hypot(u, v) > SHORTEST ? arrow(from.x[i], from.y[i], u, v, size, px) : "";
}

// Arrows as drawn, in units; one that would be too long is cut.
/** @param {PanelContent} content @param {Places} ends @param {number} factor @returns {Downhill} */
function downhill({ lengths }, ends, factor) {
  const n = lengths.length;
  const drawn = { x: new Float64Array(n), y: new Float64Array(n), cut: new Uint8Array(n) };
  for (let i = 0; i < n; i += 1) {
    const long = factor * lengths[i];
    drawn.cut[i] = long > LONGEST * (1 + 1e-6) ? 1 : 0;
    const times = -factor * (drawn.cut[i] ? LONGEST / long : 1);
    [drawn.x[i], drawn.y[i]] = [times * ends.x[i], times * ends.y[i]];
  }
  return drawn;
}
