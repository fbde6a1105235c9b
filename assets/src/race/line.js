import { lettered, spaced } from "./labels.js";
import { crowded, racerStyle } from "./style.js";
import { disc, svgNode } from "../kit/svg.js";

const ROOM = 6; // pixels between two measured points that are marked
const [MEASURED, NOW] = [2.3, 3.2]; // pixels: radius of a measured point, and of the one at the step shown
const tenths = (value) => Number(value.toFixed(1));
const LETTER = 15; // pixels of a line's length for a letter on it

/** One racer in a curve: its band, its line with what was measured, its letter at the end and, among many, on the way. */
export class RaceLine {
  constructor(look, racers, k) {
    const { tone, dash, width } = racerStyle(look, k);
    const [{ letter }, { paper }] = [racers[k], look];
    const bold = { fill: tone, "font-weight": 700, "dominant-baseline": "central" };
    this.letter = letter;
    this.k = k;
    this.many = crowded(look, racers) ? racers.length : 0;
    const halo = { stroke: paper, "stroke-width": 3, "paint-order": "stroke" };
    this.onLine = { ...bold, ...halo, "font-size": 10.5, "text-anchor": "middle" };
    this.band = svgNode("path", { fill: tone, opacity: this.many ? 0.06 : 0.13 });
    const line = { fill: "none", stroke: tone, "stroke-width": width, "stroke-linejoin": "round" };
    this.path = svgNode("path", { ...line, "stroke-dasharray": dash });
    this.measured = svgNode("path", { fill: tone, class: "measured" });
    this.letters = svgNode("g", { class: "letters" });
    this.dot = svgNode("circle", { r: NOW, fill: tone, stroke: paper, "stroke-width": 1 });
    this.lead = svgNode("path", { fill: "none", stroke: tone, "stroke-width": 0.8, opacity: 0.6 });
    this.text = svgNode("text", { ...bold, "font-size": 12 });
    this.text.textContent = letter;
  }

  /** Draws `points`, pixels {x, y, high, low}; `banded` where several seeds are behind each; letters between `from` and `to`. */
  draw(points, banded, from, to) {
    const along = (name) => points.map((point) => `${point.x.toFixed(1)} ${point[name].toFixed(1)}`);
    this.end = points.at(-1) ?? null;
    this.path.setAttribute("d", points.length ? `M${along("y").join("L")}` : "");
    const around = [...along("high"), ...along("low").reverse()];
    this.band.setAttribute("d", banded && points.length ? `M${around.join("L")}Z` : "");
    this.measured.setAttribute("d", spaced(points, ROOM).map(({ x, y }) => disc(x, y, MEASURED, tenths)).join(""));
    if (this.many) this.#letter(lettered(points, this.k, this.many, LETTER, from, to));
  }

  /** Puts the letter at the line's end at `x`, `height`; nothing where there is no line. */
  label(x, height) {
    for (const part of [this.text, this.lead]) part.style.display = this.end ? "" : "none";
    if (!this.end) return;
    this.text.setAttribute("x", x + 2);
    this.text.setAttribute("y", height.toFixed(1));
    this.lead.setAttribute("d", `M${(this.end.x + 2).toFixed(1)} ${this.end.y.toFixed(1)}L${x} ${height.toFixed(1)}`);
  }

  /** Marks the value at the step shown; none where `y` is no number. */
  mark(x, y) {
    this.dot.style.display = Number.isFinite(y) ? "" : "none";
    this.dot.setAttribute("cx", x.toFixed(1));
    this.dot.setAttribute("cy", Number.isFinite(y) ? y.toFixed(1) : 0);
  }

  #letter(places) {
    while (this.letters.childElementCount > places.length) this.letters.lastChild.remove();
    while (this.letters.childElementCount < places.length) {
      const made = this.letters.appendChild(svgNode("text", this.onLine));
      made.textContent = this.letter;
    }
    places.forEach(({ x, y }, at) => {
      this.letters.children[at].setAttribute("x", x.toFixed(1));
      this.letters.children[at].setAttribute("y", y.toFixed(1));
    });
  }
}
