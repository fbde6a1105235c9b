// Racers are letters and lines, never markers: their tones are not the classes' colours, and the dash changes too.

import { svgNode } from "../draw/svg.js";
import { broken } from "../draw/words.js";
import { nameOf } from "./data.js";

const HALF = 8; // pixels of a sign of a key to either side of its middle

/** Tone, dash and width of racer `k` on the paper of the moment; where a tone is repeated, its dash is very different.
 * @param {Look} look @param {number} k */
export function racerStyle(look, k) {
  const { tones, dashes } = look.racers;
  const shades = tones[look.theme];
  const round = Math.floor(k / shades.length);
  const turn = round * Math.floor(dashes.length / 2);
  return { tone: shades[k % shades.length], dash: dashes[(k + turn) % dashes.length], width: 2 };
}

/** Whether there are so many racers that tones are repeated. @param {Look} look @param {SubjectRacer[]} racers */
export function crowded(look, racers) {
  return racers.length > look.racers.tones[look.theme].length;
}

/** Sets the colours and letters of `node`, which represents racer `k`.
 * @param {HTMLElement} node @param {Look} look @param {number} k */
export function setRacerColour(node, look, k) {
  node.style.setProperty("--dml-racer", racerStyle(look, k).tone);
}

/** Entries of an exported key: each racer's name behind a piece of its line; a long name goes on in an entry without one.
 * @param {Look} look @param {SubjectRacer[]} racers */
export function racerKey(look, racers) {
  return racers.flatMap(({ letter }, k) => {
    const [first, ...rest] = broken(`${letter} ${nameOf(racers, k)}`);
    return [
      { text: first, sign: () => racerLine(look, k, -HALF, HALF - 2) },
      ...rest.map(/** @returns {KeyEntry} */ (text) => ({ text, sign: null })),
    ];
  });
}

/** A piece of racer `k`'s line, from x = `from` to `to` at y = 0.
 * @param {Look} look @param {number} k @param {number} from @param {number} to */
export function racerLine(look, k, from, to) {
  const { tone, dash, width } = racerStyle(look, k);
  const dashed = dash ? { "stroke-dasharray": dash } : {};
  const line = { d: `M${from} 0H${to}`, fill: "none", stroke: tone, "stroke-width": width, ...dashed };
  return svgNode("g", {}, svgNode("path", line));
}
