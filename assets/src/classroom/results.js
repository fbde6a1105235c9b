import { element } from "../draw/panel.js";
import { disc, svgNode } from "../draw/svg.js";
import { PointDrag, stacks } from "../scene/point_drag.js";
import { marked } from "../draw/marked.js";
import { counted } from "../draw/words.js";
import { written } from "./surface.js";
import { truthCalled, wordsOf } from "./words.js";

const HIDDEN = "fewer than five answered, so how they are spread is not shown"; // who answered what could be guessed
const [WIDE, TALL, SIDE] = [360, 74, 16]; // units of a scale with guesses, above and below its line, and at its ends
const BINS = 60; // of the guesses on a scale, at most
const PERCENT = 100;
const NAMES = ["first vote", "second vote"];

/** What a class answered: bars of choices, or clouds of guesses under the truth, of both votes together, and how many switched. */
export class Results {
  constructor() {
    this.root = element("div", { class: "dml-results" });
    this.drag = new PointDrag(() => {});
  }

  /** Draws what was revealed of `question`, and `own` answers of who looks on, by vote.
   * @param {Question} question @param {RevealMessage} reveal @param {Look} look @param {(number | null)[]} own */
  draw({ by, name }, reveal, look, own = []) {
    const { votes, truth, right, says, switched } = reveal;
    const choices = "options" in by;
    const there = votes.filter(Boolean);
    const mine = ownOf(votes, own);
    const picture = !there.length && (choices || truth === null)
      ? null
      : choices
      ? this.#bars(by.options, votes, truth, mine)
      : by.kind === "drag"
      ? this.#cloud(by, reveal, look, mine)
      : this.#scale(by, reveal, look, mine, name ? "computed" : "right");
    const words = [
      truth === null ? "" : element(
        "p",
        { class: "dml-truth" },
        element("b", {}, `${truthCalled(name)}: `, element("bdi", {}, ...marked(right || wordsOf(by, truth))), "."),
      ),
      says && written("p", says, { class: "dml-says" }),
    ];
    const notes = [
      ...votes.map((vote, k) => verdicts(votes.length > 1 ? NAMES[k] : "", vote)),
      switched ? switches(switched, truth !== null) : "",
    ];
    const lines = notes.filter(Boolean).map((note) => element("p", { class: "dml-votes" }, note));
    this.root.replaceChildren(
      ...[words[0], picture, votes.length > 1 && there.length && picture && this.#key(votes, choices), ...lines, words[1]].filter(
        Boolean,
      ),
    );
  }

  /** @param {(Vote | null)[]} votes @param {boolean} bars */ #key(votes, bars) {
    const parts = NAMES.flatMap((name, k) => votes[k] ? [element("span", { "data-vote": k + 1 }, name)] : []);
    return element("p", { class: "dml-vote-key", "data-of": bars ? "bars" : "dots", "aria-hidden": "true" }, ...parts);
  }

  /** @param {string[]} options @param {(Vote | null)[]} votes @param {number | null} truth @param {number | null} own */
  #bars(options, votes, truth, own) {
    const rows = options.map((option, index) => {
      const bars = votes.map((vote, k) => {
        if (!vote) return "";
        const share = vote.answered ? vote.counts[index] / vote.answered : 0;
        const words = `${vote.counts[index]} (${Math.round(PERCENT * share)} %)`;
        const bar = element("span", { class: "dml-bar", "data-vote": votes.length > 1 ? k + 1 : 2 });
        bar.style.setProperty("--share", String(share));
        const name = votes.length > 1 ? `${NAMES[k]}: ` : "";
        const spoken = element("span", { class: "dml-bar-words", "aria-label": name + words }, words);
        return element("span", { class: "dml-bar-row" }, bar, spoken);
      });
      const sign = index === truth ? element("span", { class: "dml-right", title: "the right answer" }, "✓ ") : "";
      const mine = index === own ? element("span", { class: "dml-mine" }, " (your answer)") : "";
      const named = element("span", { class: "dml-bar-name", dir: "auto" }, sign, ...marked(option), mine);
      return element("li", { "data-right": String(index === truth) }, named, ...bars);
    });
    return element("ol", { class: "dml-bars" }, ...rows);
  }

  /** @param {Question["by"] & {kind: "drag"}} by @param {RevealMessage} reveal @param {Look} look @param {number | null} own */
  #cloud(by, { votes, way, truth }, look, own) {
    const { points, point } = by;
    const last = way.length ? way : truth === null ? null : [points[point][0], truth];
    this.drag.look = look;
    const cloud = votes.map((vote) => vote?.guesses ?? []);
    this.drag.take({ points, point, answer: own, way: last, cloud, without: own === null, fixed: true });
    const many = spoken(votes, ({ answered }) => counted(answered, "guess", "guesses"));
    const place = truth === null ? "" : `; the computed place is ${wordsOf(by, truth)}`;
    this.drag.svg.setAttribute("aria-label", `${many}${place}`);
    return this.drag.root;
  }

  /** @param {Question["by"] & {kind: "mark" | "number"}} by @param {RevealMessage} reveal @param {Look} look
   * @param {number | null} own @param {string} called what the truth is called */
  #scale(by, { votes, truth, tolerance }, look, own, called) {
    const guesses = votes.flatMap((vote) => vote?.guesses ?? []);
    const all = [...guesses, ...[truth, own].filter((value) => value !== null)];
    const [low, high] = by.kind === "mark" ? [by.low, by.high] : [Math.min(...all), Math.max(...all)];
    const across = high - low; // 0 where all wrote one number
    /** @param {number} value */ const x = (value) => across ? SIDE + (WIDE - 2 * SIDE) * (value - low) / across : WIDE / 2;
    const bin = Math.max(by.kind === "mark" ? by.step : 0, (across || 1) / BINS);
    const dots = votes.flatMap((vote, k) => {
      const upward = votes.length === 1 || k === 1;
      return [...stacks((vote?.guesses ?? []).map((guess) => guess - low), bin)]
        .flatMap(([middle, many]) => {
          const gap = Math.min(5.6, (TALL - 10) / many);
          return Array.from({ length: many }, (_, n) => {
            const d = disc(x(low + middle), (upward ? -1 : 1) * (6 + gap * n), upward ? 2.6 : 2.2);
            return svgNode("path", upward ? { d, fill: look.query } : { d, fill: "none", stroke: look.query });
          });
        });
    });
    const below = votes.length > 1 ? TALL : 42;
    /** @param {number} value @param {string} anchor */ const tick = (value, anchor) =>
      svgNode(
        "text",
        { x: x(value), y: below - 2, "text-anchor": anchor, fill: look.ink, "font-size": 12 },
        wordsOf(by, value),
      );
    const middle = { "text-anchor": "middle", fill: look.ink };
    const band = [];
    if (truth !== null && tolerance) {
      const [from, to] = [Math.max(SIDE, x(truth - tolerance)), Math.min(WIDE - SIDE, x(truth + tolerance))];
      const box = { x: from, width: to - from, y: -TALL, height: TALL + below - 14 };
      band.push(svgNode("rect", { ...box, fill: look.faint, opacity: 0.6 }));
    }
    const line = [];
    if (truth !== null) {
      const at = { x: Math.max(60, Math.min(WIDE - 60, x(truth))), y: -TALL - 5 };
      line.push(
        svgNode("path", { d: `M${x(truth)} ${-TALL}V${below - 14}`, stroke: look.ink, "stroke-width": 2 }),
        svgNode("text", { ...at, ...middle, "font-size": 12, "font-weight": 600 }, `${called}: ${wordsOf(by, truth)}`),
      );
    }
    const mine = own === null ? [] : [
      svgNode("path", { d: `M${x(own)} 4l-5 9h10Z`, fill: look.ink }),
      svgNode("text", { x: x(own), y: 24, ...middle, "font-size": 11 }, "you"),
    ];
    const words = spoken(votes, (vote) => {
      const [least, most] = [Math.min, Math.max].map((end) => wordsOf(by, end(...vote.guesses)));
      return `${counted(vote.answered, "guess", "guesses")} from ${least} to ${most}`;
    });
    const viewBox = `0 ${-TALL - 20} ${WIDE} ${TALL + 22 + below}`;
    return svgNode(
      "svg",
      { viewBox, class: "dml-guesses", role: "img", "aria-label": words },
      ...band,
      svgNode("path", { d: `M${SIDE} 0H${WIDE - SIDE}`, stroke: look.quiet }),
      ...dots,
      ...line,
      ...mine,
      ...(across ? [tick(low, "start"), tick(high, "end")] : [tick(low, "middle")]),
    );
  }
}

/** The own answer among those that are shown: the second where both votes are, else the first; null without one.
 * @param {(Vote | null)[]} votes @param {(number | null)[]} own */
export function ownOf(votes, own) {
  return (votes.length > 1 ? own.at(-1) : own[0]) ?? own[0] ?? null;
}

/** What is said of each vote, where it is shown. @param {(Vote | null)[]} votes @param {(vote: Vote) => string} of */
function spoken(votes, of) {
  return votes.map((vote, k) => (votes.length > 1 ? `${NAMES[k]}: ` : "") + (vote ? of(vote) : HIDDEN)).join("; ");
}

/** @param {string} name @param {Vote | null} vote */ function verdicts(name, vote) {
  const [right, close] = vote?.verdicts ?? [];
  if (vote && right === undefined) return "";
  const words = vote ? `${right} of ${vote.answered} right${close ? `, ${close} close` : ""}` : HIDDEN;
  const line = name ? `${name}: ${words}.` : `${words}.`;
  return line[0].toUpperCase() + line.slice(1);
}

/** @param {Switched} switched @param {boolean} known */ function switches({ both, changed, to_right, from_right }, known) {
  const where = known && changed ? `, ${to_right} to the right answer, ${from_right} away from it` : "";
  return `${changed} of the ${counted(both, "person", "people")} who voted twice switched${where}.`;
}
