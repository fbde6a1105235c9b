import { groupName } from "../../runs/group.js";
import { element } from "../../draw/panel.js";
import { count, isNumber, score } from "../../draw/words.js";

/** What the picture shows, in one sentence with two numbers. */
export class Sentence {
  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.root = element("p", { class: "dml-sentence" });
  }

  draw() {
    const { frame, history, subject } = this.desk;
    const now = history.at("r1.unseen", history.row(frame.header.step));
    const { step } = frame.header;
    const when = step === 0 ? "Before training" : `After ${count(step)} steps`;
    const pixels = subject.header.baseline?.unseen;
    this.root.replaceChildren(
      `${when}, the nearest neighbour of an image is of its own class with probability `,
      element("b", {}, score(now)),
      ` on ${groupName(subject, "unseen")}`,
      ...(isNumber(pixels) ? ["; compared pixel by pixel, with ", element("b", {}, score(pixels))] : []),
      ".",
    );
  }
}
