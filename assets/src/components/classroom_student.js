import { button, element, say } from "../draw/panel.js";
import { plainWords } from "../draw/marked.js";
import { pageOf } from "../classroom/follow.js";
import { showPointer } from "../classroom/pointer.js";
import { Pupil } from "../classroom/pupil.js";
import { Answerer } from "../classroom/question.js";
import { Watched } from "../classroom/watched.js";
import { Results } from "../classroom/results.js";
import { codeIn, codeOfPage, Colours, keepingFocus, Line, renewed, written } from "../classroom/surface.js";
import { truthInWords, verdictOf, wordsOf } from "../classroom/words.js";
import { ROOT } from "../classroom/root.js";

const OFFLINE = "No connection. What you locked is kept; this page goes on trying.";
const HOW = {
  choice: "Choose one answer, then lock it.",
  panel: "Choose one panel, then lock it.",
  drag: "Drag the point, or move it with the arrow keys; then lock it.",
  mark: "Move the mark, or press it where it is, then lock it.",
  number: "Write a number, then lock it.",
};
const TITLES = {
  code: "Enter the code on the wall",
  connecting: "Looking for the classroom…",
  ended: "You are not in a classroom",
  waiting: "Waiting for the teacher",
};
const VERDICTS = { right: "Right", close: "Close", wrong: "Not so" };
const [UNKNOWN, ELSEWHERE, GONE] = [4404, 4408, 4410];

/** A student's page: one question at a time, then what the class answered and the computed truth. */
class StudentPage {
  /** @type {Pupil | null} */ pupil = null;
  #vote = 0; // for which the means to answer are drawn

  #drawn = ""; // what the results were drawn of

  /** @param {HTMLElement} root */ constructor(root) {
    this.colours = new Colours(() => this.draw());
    this.line = new Line();
    this.code = element("span", { class: "dml-code" });
    this.head = element("header", {}, element("span", {}, "Classroom "), this.code);
    this.title = element("h1", {});
    this.words = element("div", { class: "dml-question" });
    this.answerer = new Answerer(() => this.draw());
    this.results = new Results();
    this.watched = new Watched();
    this.lock = button(() => this.#lock(), { class: "dml-act dml-first" }, "Lock my answer");
    this.state = element("div", { class: "dml-state", role: "status" });
    this.enter = this.#entrance();
    this.again = button(() => this.pupil.again(), { class: "dml-act" });
    this.page = element("a", { class: "dml-page" }, "Open the whole page");
    const { title, words, answerer, watched, lock, state, results, enter, again } = this;
    const parts = [title, words, answerer.root, watched.root, lock, state, results.root, enter, again];
    this.main = element("main", {}, ...parts);
    root.append(this.head, this.line.root, this.main, element("footer", {}, this.page));
    const code = codeOfPage();
    if (code) this.open(code);
    this.draw();
  }

  /** Enters the classroom `code`. @param {string} code */ open(code) {
    this.pupil?.close();
    const address = new URL(`classroom/${code}`, ROOT);
    if (location.pathname !== address.pathname) history.replaceState(null, "", address.pathname + location.search);
    this.pupil = new Pupil(code, () => this.draw());
  }

  draw() {
    keepingFocus(this.state, () => this.#draw());
  }

  #draw() {
    const { pupil } = this;
    const [state, question] = [pupil?.state ?? null, pupil?.state?.question ?? null];
    const ended = pupil?.ended ?? 0;
    const open = Boolean(question && pupil.vote && !ended);
    const now = ended ? "ended" : !pupil ? "code" : !state ? "connecting" : state.waits ? "waiting" : state.state;
    document.documentElement.dataset.state = now.replace(" ", "-");
    say(this.code, pupil?.code ?? "");
    this.head.hidden = !pupil;
    this.line.draw({ online: pupil?.online ?? true, ended }, state ? OFFLINE : "");
    const shown = question && !ended;
    this.#question(shown ? question : null);
    this.title.hidden = Boolean(shown);
    say(this.title, this.#title(now));
    this.#answerer(shown && (open || !pupil.reveal) ? question : null);
    const reveal = shown ? pupil.reveal : null;
    this.results.root.hidden = !reveal;
    const own = pupil?.answers.map((answer) => answer?.value ?? null) ?? [];
    if (reveal) this.#results(question, reveal, own);
    else this.results.root.replaceChildren();
    const { at = "", view = "" } = pupil?.scene?.settings ?? {};
    const follows = now === "idle" && state.follow && pupil.scene?.page === pageOf(pupil.link || "/");
    this.watched.show(follows ? at : "", view, this.colours.look);
    showPointer(follows ? pupil.scene.pointer : null, this.watched.root);
    const locked = open && pupil.store.answerOf(pupil.vote);
    this.lock.hidden = !open || Boolean(locked);
    this.lock.disabled = this.answerer.value === null;
    const spoken = shown ? this.#spoken(now, question, own) : "";
    this.#say(this.#sentences(now, question, own), spoken);
    this.enter.hidden = now !== "code" && ended !== UNKNOWN;
    this.again.hidden = !ended || ended === UNKNOWN || ended === GONE;
    say(this.again, ended === ELSEWHERE ? "Use it here" : "Try again");
    this.#link(state);
  }

  /** @param {string} now */ #title(now) {
    return TITLES[/** @type {"code"} */ (now)] ?? "You are in";
  }

  /** @param {Question | null} question */ #question(question) {
    const key = question ? `${question.name}${question.text}` : "";
    this.words.hidden = !question;
    if (key === this.words.dataset.key) return;
    this.words.dataset.key = key;
    if (!question) return this.words.replaceChildren();
    const allows = question.allows && `${question.allows[0].toUpperCase()}${question.allows.slice(1)}.`;
    const near = allows ? [element("p", { class: "dml-label" }, allows)] : [];
    this.words.replaceChildren(written("h1", question.text), ...near);
  }

  /** @param {Question | null} question */ #answerer(question) {
    const { pupil } = this;
    this.answerer.root.hidden = !question;
    if (!question) {
      this.#vote = 0;
      return this.answerer.clear();
    }
    const vote = pupil.state.votes.at(-1);
    const locked = pupil.store.answerOf(vote);
    if (pupil.vote || locked || this.#vote) this.#vote = vote;
    const closed = !pupil.vote && !locked;
    this.answerer.ask(question.by, locked?.value ?? null, `${vote}`, this.colours.look, closed);
  }

  /** @param {Question} question @param {RevealMessage} reveal @param {(number | null)[]} own */ #results(question, reveal, own) {
    const key = JSON.stringify([question, reveal, own, this.colours.look.theme]);
    if (key === this.#drawn && this.results.root.firstChild) return;
    this.#drawn = key;
    this.results.draw(question, reveal, this.colours.look, own);
  }

  /** @param {string} now @param {Question | null} question @param {(number | null)[]} own @returns {string[]} */
  #sentences(now, question, own) {
    const { pupil } = this;
    if (now === "code") return ["Six letters, such as BCDFGH."];
    if (now === "ended") {
      return [pupil.why || (pupil.ended === GONE ? "The classroom has ended." : "There is no such classroom.")];
    }
    if (now === "connecting") return [];
    if (now === "idle") return ["Look at the wall. A question will come here by itself."];
    if (now === "waiting") return ["The classroom is there again in a moment. What you locked is kept."];
    const [last, before] = [own.at(-1) ?? null, own.length > 1 ? own[0] : null];
    /** @param {number | null} value @param {string} which */
    const sentence = (value, which) => value === null ? "" : `${which}: ${wordsOf(question.by, value)}.`;
    const sentences = [];
    if (now === "revealed") {
      const answered = last ?? before;
      const verdict = answered === null || !pupil.reveal ? "" : verdictOf(question.by, answered, pupil.reveal);
      if (verdict) sentences.push(`${VERDICTS[/** @type {"right"} */ (verdict)]}. ${sentence(answered, "You said")}`);
      else sentences.push(sentence(answered, "You said") || "You gave no answer.");
      if (last !== null && before !== null && last !== before) sentences.push(sentence(before, "First you said"));
      return sentences;
    }
    if (pupil.refusal) sentences.push(pupil.refusal);
    if (before !== null || (now.endsWith("2") && own[0] != null)) sentences.push(sentence(own[0], "Your first answer"));
    if (now.startsWith("open")) {
      if (last !== null) {
        const status = pupil.store.answerOf(pupil.vote)?.receipt ? "It is counted" : "It is on its way";
        sentences.push(`Your answer is locked: ${wordsOf(question.by, last)}. ${status}.`);
      } else if (now === "open 2") sentences.push("Vote again, now that you have talked.");
      else if (this.answerer.value === null) sentences.push(HOW[question.by.kind]);
    } else {
      sentences.push(last !== null ? sentence(last, "You said") : "You gave no answer in this vote.");
      sentences.push(
        now === "closed 1" ? "The vote is closed. Talk with your neighbours: why?" : "The vote is closed. Look at the wall.",
      );
    }
    return sentences;
  }

  /** What a screen reader says before the sentences, which others see: the question that has come, and the truth.
   * @param {string} now @param {Question} question @param {(number | null)[]} own */
  #spoken(now, question, own) {
    if (now.startsWith("open")) return (own.at(-1) ?? this.answerer.value) === null ? plainWords(question.text) : "";
    const { truth = null, right = "" } = this.pupil.reveal ?? {};
    return now !== "revealed" || truth === null ? "" : truthInWords(question, truth, right);
  }

  /** @param {string[]} sentences @param {string} spoken */ #say(sentences, spoken) {
    const key = [spoken, ...sentences].join("\n");
    if (this.state.dataset.words === key) return;
    this.state.dataset.words = key;
    const first = spoken && element("p", { class: "dml-spoken" }, spoken);
    renewed(this.state, first, ...sentences.filter(Boolean).map((sentence) => element("p", {}, sentence)));
  }

  #lock() {
    if (this.answerer.value !== null) this.pupil.answer(this.answerer.value);
  }

  /** @param {StateMessage | null} state */ #link(state) {
    const { pupil } = this;
    const asked = state?.question?.page;
    const to = pupil?.reveal?.link || pupil?.link || (asked === undefined ? "/" : `/${asked}`);
    // While a question is open the page would show what it asks.
    this.page.hidden = !state || Boolean(pupil.ended) || !["idle", "revealed"].includes(state.state);
    const url = new URL(to.replace(/^\//, ""), ROOT);
    url.searchParams.set("classroom", pupil?.code ?? "");
    if (this.page.href !== url.href) this.page.href = url.href;
  }

  #entrance() {
    const field = element("input", {
      class: "dml-code-field",
      "aria-label": "Code of the classroom",
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      maxlength: 9,
    });
    const complaint = element("p", { class: "dml-complaint", role: "status" });
    const form = element("form", {}, field, element("button", { class: "dml-act dml-first" }, "Enter"), complaint);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const code = codeIn(field.value);
      say(complaint, code ? "" : "A code is six letters, without vowels and Y, as on the wall.");
      if (code) this.open(code);
      this.draw();
    });
    return form;
  }
}

new StudentPage(document.body);
