import { button, element, say, sayOrHide } from "../draw/panel.js";
import { linkOfFigure, saveCsv } from "../classroom/csv.js";
import { marked } from "../draw/marked.js";
import { Results } from "../classroom/results.js";
import { codeOfPage, Colours, keepingFocus, Line, renewed, written } from "../classroom/surface.js";
import { storedOf, Teacher } from "../classroom/teacher.js";
import { ClickPause } from "../classroom/click_pause.js";
import { Composer } from "../classroom/composer.js";
import { ACTS, adviceOf, answeredOf, COST, STATES } from "../classroom/words.js";
import { ROOT } from "../classroom/root.js";

const OFFLINE = "No connection; this console goes on trying.";
const RUN = "live.run"; // the key of a run in links
const [END, SURE] = ["End the classroom", "Press again: the classroom ends for all"];
const PATIENCE = 5000; // ms in which the end is confirmed

/** The teacher's console: the state of the classroom, what may be done now, and the questions that can be asked. */
class ConsolePage {
  /** @type {number | undefined} */ #ending; // the timer of an end that was asked for once

  #drawn = ""; // what the results were drawn of

  /** @param {HTMLElement} root */ constructor(root) {
    this.colours = new Colours(() => this.draw());
    this.root = root;
    const code = codeOfPage();
    const token = decodeURIComponent(location.hash.slice(1)) || storedOf(code).token || "";
    if (location.hash) history.replaceState(null, "", location.pathname + location.search); // a secret is not left on the screen
    this.line = new Line();
    this.code = element("span", { class: "dml-code" }, code);
    this.people = element("span", { class: "dml-people" });
    this.head = element("header", {}, element("span", {}, "Console "), this.code, this.people);
    this.stage = element("h1", {});
    this.question = element("div", { class: "dml-question" });
    this.counted = element("p", { class: "dml-count", role: "status" });
    this.advice = element("p", { class: "dml-advice", role: "status" });
    this.acts = element("div", { class: "dml-acts" });
    this.results = new Results();
    this.refusal = element("p", { class: "dml-complaint", role: "status" });
    /** @returns {void} */ const onchange = () => this.teacher.wire.say({ type: "follow", on: this.follow.checked });
    this.follow = element("input", { type: "checkbox", role: "switch", onchange });
    this.following = element("label", { class: "dml-follow" }, this.follow, " Students follow my page");
    this.list = element("div", { class: "dml-asks" });
    this.composer = new Composer((ask) => this.teacher.open(ask));
    const keeps = () => this.#keeps();
    /** @param {KeyboardEvent} event */ const onkeydown = ({ key }) => key === "Escape" && keeps();
    this.end = button(() => this.#ends(), { class: "dml-act dml-quiet", onblur: keeps, onkeydown }, END);
    const { stage, question, counted, advice, acts, refusal, results } = this;
    const now = element("section", { class: "dml-now" }, stage, question, counted, advice, acts, refusal, results.root);
    this.main = element("main", {}, now, this.following, this.list, this.composer.root, this.end);
    this.pause = new ClickPause(this.main);
    root.append(this.head, this.line.root, this.main);
    this.teacher = new Teacher(code, token, "console", () => this.draw());
    this.draw();
  }

  draw() {
    const before = this.acts.dataset.key;
    keepingFocus(this.stage, () => this.#draw());
    if (this.acts.dataset.key !== before) this.pause.begin();
    else this.pause.mark();
  }

  #draw() {
    const { teacher } = this;
    if (!teacher) return;
    const { state, count, ended } = teacher;
    const asked = state?.question ?? null;
    document.documentElement.dataset.state = ended ? "ended" : state ? state.state.replace(" ", "-") : "connecting";
    this.line.draw({ online: teacher.online, ended }, OFFLINE);
    say(this.people, count && !ended ? `${count.people} here` : "");
    const title = ended ? "The console is closed" : state ? STATES[state.state] : "Looking for the classroom…";
    say(this.stage, title);
    const { following, list, composer, end, acts, counted, advice, question } = this;
    for (const node of [following, list, composer.root, end, acts, counted, advice, question]) {
      node.hidden = Boolean(ended) || !state;
    }
    if (ended) return sayOrHide(this.refusal, teacher.why || "The classroom has ended.");
    if (!state) return;
    this.#question(asked);
    sayOrHide(this.counted, asked && count ? answeredOf(count) + before(count) : "");
    sayOrHide(this.advice, adviceOf(state));
    if (teacher.refusal) composer.refused(teacher.refusal);
    else if (asked && !asked.name) composer.opened();
    sayOrHide(this.refusal, composer.refusal === teacher.refusal ? "" : teacher.refusal);
    this.#acts();
    this.#results();
    if (this.follow.checked !== state.follow) this.follow.checked = state.follow;
    this.#list();
    this.composer.root.hidden = this.list.hidden = !teacher.can("open");
  }

  /** @param {Question | null} asked */ #question(asked) {
    this.question.hidden = !asked;
    const key = asked ? asked.name + asked.text : "";
    if (this.question.dataset.key === key) return;
    this.question.dataset.key = key;
    const options = asked && "options" in asked.by ? [...asked.by.options] : [];
    const rows = options.map((option) => element("li", {}, written("span", option)));
    this.question.replaceChildren(...(asked ? [written("p", asked.text), element("ol", {}, ...rows)] : []));
  }

  /** Only what is legal now is drawn, the likeliest act first. */
  #acts() {
    const { state } = this.teacher;
    const legal = (state.legal ?? []).filter((action) => action !== "open");
    const again = ["explain", "talk"].includes(state.suggestion) && legal.includes("again");
    const advised = again ? "again" : "reveal";
    const first = legal.find((action) => action === "close") ?? legal.find((action) => action === advised) ?? legal[0];
    const order = [...legal].sort((a, b) => Number(b === first) - Number(a === first));
    const key = `${state.epoch} ${order} ${this.#station}`;
    if (key === this.acts.dataset.key) return;
    this.acts.dataset.key = key;
    const acts = order.map((action) => {
      const name = action === "next" ? (state.state === "revealed" ? "Next" : "Drop the question") : ACTS[action];
      const look = action === first ? " dml-first" : action === "show" || action === "next" ? " dml-quiet" : "";
      const node = button(() => this.#act(action), { class: `dml-act${look}`, "data-key": action }, name);
      return action === "show" ? element("div", {}, node, element("small", {}, COST)) : node;
    });
    renewed(this.acts, ...acts);
  }

  /** @param {Action} action */ #act(action) {
    const run = this.#link.searchParams.get(RUN); // of the wall, which may have begun after the question was opened
    const onRun = action === "reveal" && run && this.teacher.state?.question?.page === "train";
    this.teacher.act(action, onRun ? { run } : {});
  }

  #results() {
    const { teacher: { reveal, state } } = this;
    this.results.root.hidden = !reveal;
    if (!reveal || !state.question) return this.results.root.replaceChildren();
    const key = JSON.stringify([reveal, this.colours.look.theme]);
    if (key === this.#drawn && this.results.root.firstChild) return;
    this.#drawn = key;
    this.results.draw(state.question, reveal, this.colours.look);
    if (state.state !== "revealed") return;
    const style = { class: "dml-act dml-quiet" };
    const saves = () => saveCsv(this.teacher.code, state.question, reveal);
    const save = button(saves, { ...style, "data-key": "csv" }, "Save as CSV");
    const href = new URL(linkOfFigure(state.question, reveal), ROOT).href;
    const apart = { href, target: "_blank", rel: "noopener", "data-key": "figure" };
    const figure = element("a", { ...style, ...apart }, "Open as a figure");
    this.results.root.append(element("div", { class: "dml-take-home" }, save, figure));
  }

  /** The page that the wall shows, and the station of its lesson. */
  get #link() {
    return new URL(this.teacher.link || "/", "http://wall");
  }

  get #station() {
    const { searchParams } = this.#link;
    return searchParams.get("lesson") ? Number(searchParams.get("station") ?? 1) : 0;
  }

  #list() {
    const { teacher } = this;
    const { pathname, searchParams } = this.#link;
    const page = pathname.slice(1);
    const asks = searchParams.get("predict") ?? "";
    const here = teacher.questions.filter((each) => each.page === page);
    const first = here.filter(({ name }) => name === asks);
    // The predictions of the page are in the list; what is left is the question that a lesson's own text asks there.
    const { question = null, stations = 0 } = teacher.offer ?? {};
    const ofLesson = question && !("prediction" in question.ask) ? question : null;
    const key = JSON.stringify([page, asks, this.#station, teacher.questions.length, ofLesson, stations]);
    if (this.list.dataset.key === key) return;
    this.list.dataset.key = key;
    /** @param {Prepared} each */ const ask = ({ name, title, page: its }) => {
      const attributes = { class: `dml-ask${name === asks ? " dml-first" : ""}`, "data-key": name };
      const where = its === page ? "" : element("small", {}, its.replaceAll("_", " ") || "start");
      return button(() => teacher.open({ prediction: name }), attributes, ...marked(title), where);
    };
    const elsewhere = teacher.questions.filter((each) => each.page !== page);
    const rest = here.filter((each) => !first.includes(each));
    renewed(
      this.list,
      this.#lesson(stations),
      ofLesson &&
        button(() => teacher.openOffered(ofLesson), { class: "dml-ask dml-first", "data-key": "own" }, ...marked(ofLesson.title)),
      element("h2", {}, "Questions of this page"),
      here.length ? "" : element("p", {}, "The page on the wall has none of its own."),
      ...[...first, ...rest].map(ask),
      element("details", {}, element("summary", {}, "Questions of other pages"), ...elsewhere.map(ask)),
    );
  }

  /** The stations before and after that on the wall. @param {number} stations */
  #lesson(stations) {
    const at = this.#station;
    if (!at) return null;
    const { searchParams } = this.#link;
    /** @param {number} station @param {string} words */ const go = (station, words) => {
      const to = new URLSearchParams({ lesson: searchParams.get("lesson") ?? "", station: String(station) });
      const opens = () => this.teacher.wire.say({ type: "link", link: `/?${to}` });
      return button(opens, { class: "dml-act", "data-key": words }, words);
    };
    const here = element("span", {}, stations ? `Station ${at} of ${stations}` : `Station ${at} of the lesson`);
    const back = at > 1 ? go(at - 1, "Station before") : "";
    const next = stations && at >= stations ? "" : go(at + 1, "Next station");
    return element("div", { class: "dml-stations" }, here, back, next);
  }

  #ends() {
    if (this.#ending) return this.teacher.wire.say({ type: "end" });
    this.#ending = setTimeout(() => this.#keeps(), PATIENCE);
    say(this.end, SURE);
  }

  #keeps() {
    clearTimeout(this.#ending);
    this.#ending = undefined;
    say(this.end, END);
  }
}

/** @param {CountMessage} count */ function before({ votes }) {
  return votes.length > 1 ? `; ${votes[0]} in the first vote` : "";
}

new ConsolePage(document.body);
