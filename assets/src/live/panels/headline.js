import { elsewhere, groupName } from "../../runs/group.js";
import { element, say } from "../../draw/panel.js";
import { Progress, STATUS } from "../../runs/progress.js";
import { count, difference, isNumber, score, short } from "../../draw/words.js";

/** @param {number} gain */ const against = (gain) => (gain < -0.005 ? `${score(-gain)} below` : `${difference(gain)} over`);
const WELL = "Diagnosis: no collapse, no dead gradient, no NaN";

/** The row of numbers above the panels; the last is the diagnosis, always of two lines, so that nothing moves. */
export class Headline {
  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.progress = new Progress("step budget");
    this.run = this.#number("run");
    this.step = this.#number("step", this.progress.root);
    this.loss = this.#number("loss");
    this.recall = this.#number("R@1");
    this.notes = element("p", { class: "dml-notes" });
    this.status = this.#number("status", this.notes);
    const numbers = [this.run, this.step, this.recall, this.loss, this.status].map(({ root }) => root);
    this.root = element("dl", { class: "dml-numbers" }, ...numbers);
  }

  open() {
    this.progress.reset();
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
    const all = budget || (this.desk.last > latest ? this.desk.last : 0);
    say(this.step.note, all ? `of ${count(all)}` : "");
    this.progress.show(budget ? latest / budget : 1);
    say(this.loss.value, short(history.at("loss", row)));
    const [active, batch] = [history.at("active", row), history.at("batch", row)];
    const of = isNumber(batch) ? `the batch of ${count(batch)}` : "batch";
    say(this.loss.note, isNumber(active) ? `${Math.round(100 * active)} % of ${of} active` : "");
    const [now, start] = [row, 0].map((at) => history.at(`r1.${group.name}`, at));
    const pixels = subject.header.baseline?.[group.name];
    say(this.recall.value, score(now));
    const gained = isNumber(now) && isNumber(start)
      ? `${against(now - start)} the ${elsewhere(subject) ? "first frame" : "untrained net"}`
      : "";
    say(this.recall.note, [gained, isNumber(pixels) ? `raw pixels ${score(pixels)}` : ""].filter(Boolean).join("; "));
    const device = frame.header.device ?? subject.header.device ?? "";
    const speed = this.progress.speed(latest, status);
    const pace = [speed && `${count(speed)} steps a second`, device && `on ${device}`].filter(Boolean).join(" ");
    say(this.status.value, elsewhere(subject) && status === "done" ? "ended" : STATUS[status] ?? status);
    say(this.status.note, this.desk.now.reason || pace);
    this.status.root.dataset.status = status;
    this.#diagnose();
  }

  // What is known of a loop that trains elsewhere may reach beyond its newest frame.
  #diagnose() {
    const { frame: { header }, newest, now: { verdict } } = this.desk;
    const whole = header.step === newest?.header.step ? verdict : null;
    const notes = whole?.notes ?? header.members[0].notes;
    const well = whole?.well ?? (verdict ? `${WELL} at step ${count(header.step)}` : WELL);
    this.notes.dataset.warns = String(notes.length > 0);
    say(this.notes, notes.length ? `⚠ ${notes.join(" ")}` : well);
  }

  /** @param {string} label @param {...Node} more */ #number(label, ...more) {
    const parts = { label: element("dt", {}, label), value: element("b"), note: element("small") };
    const described = element("dd", {}, parts.value, parts.note, ...more);
    return { ...parts, root: element("div", { class: "dml-number" }, parts.label, described) };
  }
}
