import { groupName } from "../../kit/group.js";
import { element, say } from "../../kit/panel.js";
import { count, difference, isNumber, score, short } from "../../kit/words.js";

const against = (gain) => `${gain < -0.005 ? `${score(-gain)} below` : `${difference(gain)} over`} the untrained net`;
const WINDOW = 4000; // ms over which the speed is taken
const WELL = "Diagnosis: no collapse, no dead gradient, no NaN";
const STATUS = {
  running: "running",
  paused: "paused",
  asleep: "asleep: no one watched",
  done: "budget used up",
  failed: "failed",
  recorded: "recorded run",
  unknown: "this run is gone",
  forbidden: "not allowed here",
  unreachable: "reconnecting another way",
  misunderstood: "out of date: reload the page",
};

/** The row of numbers above the panels; the last is the diagnosis, in two lines, so that nothing jumps. */
export class Headline {
  #speeds = [];

  constructor(desk) {
    this.desk = desk;
    this.bar = element("div", { class: "dml-done" });
    this.progress = element(
      "div",
      { class: "dml-progress", role: "progressbar", "aria-label": "step budget" },
      this.bar,
    );
    this.run = this.#number("run");
    this.step = this.#number("step", this.progress);
    this.loss = this.#number("loss");
    this.recall = this.#number("R@1");
    this.notes = element("p", { class: "dml-notes" });
    this.status = this.#number("status", this.notes);
    const numbers = [this.run, this.step, this.recall, this.loss, this.status].map(({ root }) => root);
    this.root = element("dl", { class: "dml-numbers" }, ...numbers);
  }

  open() {
    this.#speeds = [];
    const { subject, group } = this.desk;
    const [loss, data] = subject.header.title.split(" on ");
    say(this.run.value, loss);
    say(this.run.note, `on ${data}, in ${subject.header.dim} dimensions`);
    say(this.recall.label, `R@1 on ${groupName(subject, group.name)}`);
  }

  draw() {
    const { frame, history, subject, status, group } = this.desk;
    const { step, budget } = frame.header;
    const row = history.row(step);
    const latest = Math.max(history.latest, step);
    say(this.step.value, count(step));
    say(this.step.note, budget ? `of ${count(budget)}` : "");
    this.bar.style.width = `${budget ? (100 * latest) / budget : 100}%`;
    for (
      const [name, value] of [["valuemin", 0], ["valuemax", budget], ["valuenow", latest]]
    ) {
      this.progress.setAttribute(`aria-${name}`, value);
    }
    say(this.loss.value, short(history.at("loss", row)));
    const [active, batch] = [history.at("active", row), history.at("batch", row)];
    const of = isNumber(batch) ? `the batch of ${count(batch)}` : "batch";
    say(this.loss.note, isNumber(active) ? `${Math.round(100 * active)} % of ${of} active` : "");
    const [now, start, pixels] = [
      history.at(`r1.${group.name}`, row),
      history.at(`r1.${group.name}`, 0),
      subject.header.baseline?.[group.name],
    ];
    say(this.recall.value, score(now));
    const gained = isNumber(now) && isNumber(start) ? against(now - start) : "";
    say(this.recall.note, [gained, isNumber(pixels) ? `raw pixels ${score(pixels)}` : ""].filter(Boolean).join("; "));
    const device = frame.header.device ?? subject.header.device ?? "";
    const pace = [this.#pace(latest, status), device && `on ${device}`].filter(Boolean).join(" ");
    say(this.status.value, STATUS[status] ?? status);
    say(this.status.note, this.desk.now.reason || pace);
    this.status.root.dataset.status = status;
    this.#diagnose(frame.header.members[0].notes);
  }

  close() {}

  #pace(latest, status) {
    const now = performance.now();
    if (status !== "running") this.#speeds = [];
    else if (latest !== this.#speeds.at(-1)?.latest) this.#speeds.push({ now, latest });
    while (this.#speeds.length > 2 && now - this.#speeds[0].now > WINDOW) this.#speeds.shift();
    const [first, last] = [this.#speeds[0], this.#speeds.at(-1)];
    const known = last && last.now - first.now > 500;
    return known ? `${count((1000 * (last.latest - first.latest)) / (last.now - first.now))} steps a second` : "";
  }

  #diagnose(notes) {
    this.notes.dataset.warns = notes.length > 0;
    say(this.notes, notes.length ? `⚠ ${notes.join(" ")}` : WELL);
  }

  #number(label, ...more) {
    const parts = { label: element("dt", {}, label), value: element("b"), note: element("small") };
    parts.root = element(
      "div",
      { class: "dml-number" },
      parts.label,
      element("dd", {}, parts.value, parts.note, ...more),
    );
    return parts;
  }
}
