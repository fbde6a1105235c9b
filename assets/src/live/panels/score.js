import { groupName } from "../../runs/group.js";
import { element, say } from "../../draw/panel.js";
import { count, isNumber } from "../../draw/words.js";

/** What a net has learned, as one number that climbs beside the one for pixels, which does not. */
export class Score {
  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.net = numberBox("dml-of-net");
    this.pixels = numberBox("dml-of-pixels");
    this.colours = element("p", { class: "dml-colours" });
    this.root = element("div", { class: "dml-score" }, this.net.root, this.pixels.root, this.colours);
  }

  draw() {
    const { frame, history, subject, group, coloured } = this.desk;
    const { step } = frame.header;
    const when = step ? `after ${count(step)} ${step === 1 ? "step" : "steps"} of training` : "before training";
    const words = `of the images have one of the same thing nearest to them, ${when}`;
    this.#show(this.net, history.at(`r1.${group.name}`, history.row(step)), words);
    this.#show(this.pixels, subject.header.baseline?.[group.name], "of them, compared pixel by pixel");
    const all = `${group.classes.length} ${groupName(subject, group.name)}`;
    const which = "the first of the data and not the best ones. Click an image to colour its class.";
    say(this.colours, coloured ? `In colour: ${coloured.length} of ${all}, ${which}` : "");
  }

  /** @param {ReturnType<typeof numberBox>} number @param {number | undefined} share @param {string} words */
  #show({ value, bar, words: node, root }, share, words) {
    root.hidden = !isNumber(share);
    say(value, isNumber(share) ? `${Math.round(100 * share)} %` : "");
    bar.style.width = `${100 * (isNumber(share) ? share : 0)}%`;
    say(node, words);
  }
}

/** A share of the images: the number, a bar of that length, and what it is of. @param {string} name */
function numberBox(name) {
  const [value, bar, words] = [element("b"), element("i"), element("span")];
  return { value, bar, words, root: element("p", { class: name }, value, element("i", { class: "dml-bar" }, bar), words) };
}
