import { element } from "../draw/panel.js";
import { write } from "../scene/scene.js";
import { QuestionCard } from "./question.js";

/** The questions beside a scene: that of its station, or those that its room offers. */
export class Questions {
  /** @type {HTMLElement[]} */ #menu = [];
  /** @type {QuestionCard | null} */ card = null;

  /** @param {import("./scene_station.js").SceneStation} of */ constructor(of) {
    this.of = of;
    this.root = element("div", { class: "dml-ask" });
  }

  /** Asks the question of the station. @param {LessonQuestion} question */ ask(question) {
    const { of } = this;
    const truth = (/** @type {number} */ answer) => {
      const { answers, says, way } = question;
      const found = answers.find(({ value }) => Math.abs(value - answer) < 1e-9) ?? answers[Math.round(answer)];
      const { after, afterSettings } = of.made;
      of.take({ ...of.data, ...after }, afterSettings ?? of.link, true);
      return { said: found?.said ?? "", says, verdict: found?.verdict ?? "", way };
    };
    const begin = () => of.begin();
    this.#pose({ ...question, truth, begin });
  }

  /** Offers the questions of the room. @param {RoomQuestion[]} questions */ offer(questions) {
    /** @returns {void} */ const onchange = () => {
      const question = questions[menu.selectedIndex - 1];
      if (question) return this.#askOfRoom(question);
      this.card = null;
      this.root.replaceChildren(label);
      this.#hide({ bare: false, hides: [] });
    };
    const titles = ["No question", ...questions.map(({ title }) => title)];
    const menu = element("select", { onchange }, ...titles.map((title) => element("option", {}, title)));
    const label = element("label", { class: "dml-control dml-offer" }, element("span", {}, "Predict"), menu);
    this.#menu = [label];
    this.root.replaceChildren(label);
  }

  /** @param {RoomQuestion} question */ #askOfRoom(question) {
    const { of } = this;
    const { station: { page }, parts: { rooms } } = of;
    const [before, after] = [question.settings, { ...question.settings, ...question.reveals }].map((settings) =>
      rooms.stateOf(page, settings)
    );
    const take = (/** @type {RoomState} */ { scene, picked, base, link }, /** @type {boolean} */ revealed) =>
      of.take({ ...of.data, scene: write(scene), picked, base }, link, revealed);
    const truth = (/** @type {number} */ answer) => {
      take(after, true);
      return rooms.reveal(page, question.name, answer, before, after);
    };
    const begin = () => take(before, false);
    begin();
    this.#pose({ ...question, asked: rooms.ask(page, question.name, before), truth, begin });
    of.show();
  }

  /** @param {Posed} question */ #pose(question) {
    const { parts: { components: { predict } }, lesson: { base }, data: { palette } } = this.of;
    const reveal = (/** @type {number} */ answer) => {
      this.#hide({ bare: false, hides: [] });
      const truth = question.truth(answer);
      this.of.show();
      return truth;
    };
    const again = () => {
      question.begin();
      this.#pose(question);
      this.of.show();
    };
    this.card = new QuestionCard({ asked: question.asked, predict, palette, base, reveal, again });
    this.root.replaceChildren(...this.#menu, this.card.root);
    this.#hide(question);
  }

  /** Hides what would give an answer away. @param {{bare: boolean, hides: readonly string[]}} question */
  #hide({ bare, hides }) {
    this.of.root.classList.toggle("dml-bare", bare);
    for (const figure of this.of.figures) figure.hidden = hides.includes(figure.dataset.figure ?? "");
    this.of.hosts.scene.classList.toggle("dml-hidden", hides.includes(this.of.station.page));
  }
}

/** A question on the screen: `truth(answer)` shows the state that reveals it, `begin()` that in which it is asked.
 * @typedef {{asked: LessonAsked, bare: boolean, hides: readonly string[], truth: (answer: number) => import("./question.js").Truth,
 *   begin: () => void}} Posed */
