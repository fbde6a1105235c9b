import { alike, chance, groupName } from "../../kit/group.js";
import { element } from "../../kit/panel.js";
import { count, difference, isNumber, score } from "../../kit/words.js";

/** What the picture shows, in one sentence with its numbers. */
export class Sentence {
  constructor(desk) {
    this.desk = desk;
    this.root = element("p", { class: "dml-sentence" });
  }

  draw() {
    const { frame, history, subject, group } = this.desk;
    const { near_pixels: nearPixels, sets } = subject.arrays;
    const row = history.row(frame.header.step);
    const [now, start] = [history.at("r1.unseen", row), history.at("r1.unseen", 0)];
    const { step } = frame.header;
    const when = step === 0 ? "Before training" : `After ${count(step)} steps`;
    const gained = step > 0 && isNumber(start) ? ` (${difference(now - start)} since the start)` : "";
    const pixels = subject.header.baseline?.unseen;
    const bySet = (near) => score(alike(group.points, near, sets));
    this.root.replaceChildren(
      `${when}, the nearest neighbour of an image is of its own class with probability `,
      element("b", {}, score(now)),
      `${gained}, on ${groupName(subject, "unseen")}. `,
      ...(isNumber(pixels) ? ["Compared pixel by pixel: ", element("b", {}, score(pixels)), ". "] : []),
      sets && nearPixels
        ? `It is of the same icon set, and so of one style, with probability ${
          bySet(frame.arrays["0.near"])
        }; pixel by pixel, ${bySet(nearPixels)}; by chance, ${score(chance(group.points, sets))}.`
        : "",
    );
  }
}
