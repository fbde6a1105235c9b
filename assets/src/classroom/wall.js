import { button, element, say } from "../draw/panel.js";
import { PointDrag } from "../scene/point_drag.js";
import { Results } from "./results.js";
import { keepingFocus, paint, renewed, written } from "./surface.js";
import { FORBIDDEN, storedOf, Teacher } from "./teacher.js";
import { counted } from "../draw/words.js";
import { answeredOf } from "./words.js";
import { ROOT } from "./root.js";

const OFFLINE = "no connection; trying again";
const STAGES = {
  "open 1": "Answer on your own device",
  "closed 1": "The vote is closed: talk with your neighbours",
  "open 2": "Vote again",
  "closed 2": "The second vote is closed",
};
const NO_TOKEN =
  "This tab does not have the classroom’s token. Open the wall from its console, or open a new classroom with Share.";

/** The wall's part of a classroom, which outlives the pages: its conversation, the corner that stays, and what is said on the page. */
export class Wall {
  /** @type {Look | null} */ look = null;
  /** @type {OfferedQuestion | null} */ offer = null;
  #offered = ""; // to the consoles
  #drawn = "";

  /** `changed()` is called after every change of the classroom. @param {ClassroomData} data @param {() => void} changed */
  constructor({ code, token, image, join }, changed) {
    this.code = code;
    this.changed = changed;
    this.token = token || tokenOfAddress() || storedOf(code).token || "";
    this.results = new Results();
    this.drag = new PointDrag(() => {});
    this.card = element("section", { class: "dml-class-card", "aria-label": "Question of the classroom" });
    this.count = element("span", { class: "dml-class-count", role: "status" });
    this.large = element("dialog", { class: "dml-class-large", "aria-label": "Join the classroom" });
    const address = join.replace(/^https?:\/\//, "");
    const shown = () => element("img", { src: image, alt: `QR code of ${address}` });
    const close = button(() => this.large.close(), { class: "dml-class-act" }, "Close");
    const site = address.replace(/\/[^/]*$/, "");
    this.large.append(shown(), element("p", {}, site), element("p", { class: "dml-code" }, code), close);
    const small = { class: "dml-class-image", title: "Show it large", "aria-label": `Show the code ${code} large` };
    const open = button(() => this.large.showModal(), small, shown());
    // No link: a browser shows where a link leads, and this address has the teacher's secret.
    const console = new URL(`classroom/${code}/console#${encodeURIComponent(this.token)}`, ROOT).href;
    const opens = () => window.open(console, "_blank", "noopener");
    this.console = button(opens, { class: "dml-class-console", hidden: !this.token }, "Console");
    const where = element("span", { class: "dml-class-join" }, site);
    const words = element("div", {}, where, element("b", { class: "dml-code" }, code), this.count, this.console);
    this.corner = element("aside", { class: "dml-class-corner", "aria-label": "Classroom" }, open, words, this.large);
    document.body.append(this.corner);
    this.teacher = this.token ? new Teacher(code, this.token, "wall", (type) => this.#changed(type)) : null;
  }

  /** What the page should show now: the question asked in the classroom, revealed or not, or none; "over" once it has ended, "unknown"
   * where the server does not take its token. */
  get wanted() {
    const state = this.teacher?.state;
    if (this.teacher?.over) return { kind: this.teacher.ended === FORBIDDEN ? "unknown" : "over", name: "", page: "" };
    if (!state || this.teacher.ended) return null;
    const { question } = state;
    if (!question?.name) return { kind: "rest", name: "", page: "" };
    return { kind: state.state === "revealed" ? "reveal" : "ask", name: question.name, page: question.page };
  }

  /** Takes the colours, the page's own question and the number of stations of its lesson.
   * @param {Look} look @param {Pick<ClassroomData, "offer" | "stations">} data */
  take(look, { offer, stations }) {
    this.look = look;
    this.offer = offer;
    this.stations = stations;
    paint(this.corner, look);
    this.#offers();
    this.draw();
  }

  close() {
    this.teacher?.close();
    this.corner.remove();
    this.card.remove();
  }

  /** Tells the consoles what the page offers, once. */
  #offers() {
    if (!this.teacher?.online || this.stations === undefined) return;
    const message = /** @type {OfferSent} */ ({ type: "offer", question: this.offer, stations: this.stations });
    if (JSON.stringify(message) === this.#offered) return;
    this.#offered = JSON.stringify(message);
    this.teacher.wire.say(message);
  }

  /** @param {string} type */ #changed(type) {
    if (type === "welcome") {
      this.#offered = ""; // to this connection
      this.#offers();
    }
    if (type !== "count" && type !== "scene") this.changed();
    this.draw();
  }

  draw() {
    const { teacher, look } = this;
    if (!look) return;
    say(this.count, this.#count());
    const { state, reveal, ended, refusal } = teacher ?? {};
    const key = JSON.stringify([state?.epoch, state?.state, reveal?.seq, ended, refusal, this.offer, look.theme]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    keepingFocus(this.card, () => renewed(this.card, ...this.#content()));
    this.card.hidden = !this.card.firstChild;
  }

  #count() {
    const { state, count, online, ended, why } = this.teacher ?? {};
    if (ended) return why || "The classroom has ended";
    if (!state || !online) return online === false ? OFFLINE : "";
    if (!count) return "";
    return state.state.startsWith("open") || state.state.startsWith("closed")
      ? answeredOf(count)
      : `${counted(count.people, "person", "people")} here`;
  }

  /** @returns {(Node | string)[]} */ #content() {
    const { teacher, offer } = this;
    if (!teacher) return [element("p", {}, NO_TOKEN)];
    const { state, reveal, refusal } = teacher;
    if (teacher.ended || !state) return [];
    const complaint = refusal ? element("p", { class: "dml-complaint", role: "status" }, refusal) : "";
    const { question } = state;
    if (!question) {
      if (!offer || !teacher.can("open")) return complaint ? [complaint] : [];
      const press = button(
        () => teacher.openOffered(offer),
        { class: "dml-class-act dml-first", "data-key": "ask" },
        "Ask the class",
      );
      return [element("p", { class: "dml-class-row" }, written("span", offer.title), press), complaint];
    }
    const stage = STAGES[/** @type {"open 1"} */ (state.state)];
    const below = stage ? element("p", { class: "dml-class-stage" }, stage) : "";
    const head = element("div", { class: "dml-class-question" }, written("p", question.text), below);
    if (reveal) {
      this.results.draw(question, reveal, this.look);
      return [head, this.results.root, complaint];
    }
    if (question.by.kind === "drag") {
      const { points, point } = question.by;
      this.drag.look = this.look;
      this.drag.take({ points, point, answer: null, way: null, fixed: true });
      return [head, this.drag.root, complaint];
    }
    const options = "options" in question.by
      ? question.by.options.map((option) => element("li", {}, written("span", option)))
      : [];
    return [head, options.length ? element("ol", { class: "dml-class-options" }, ...options) : "", complaint];
  }
}

/** The token in the fragment of the address, as the console opens the wall; it does not stay there. */
function tokenOfAddress() {
  const token = /^#(\d+\.[\w-]+)$/.exec(decodeURIComponent(location.hash))?.[1] ?? "";
  if (token) {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return token;
}
