import { button, element, say } from "../draw/panel.js";
import { Following, linkOfPage, pageOf } from "./follow.js";
import { showPointer } from "./pointer.js";
import { Pupil } from "./pupil.js";
import { paint } from "./surface.js";
import { ROOT } from "./root.js";

const MOVES = "a, button, input, select, summary, textarea, [role=slider], .dml-scene, .dml-live"; // what changes the page

/** A student's whole page: it follows the wall, and goes back to the student's page when there is a question. */
export class Attending {
  /** @type {FollowedScene | null} */ seen = null;

  /** `go(link)` opens a page, `show(scene)` shows what the wall's hand does.
   * @param {ClassroomData} data @param {(link: string) => void} go @param {(scene: FollowedScene) => void} show */
  constructor({ code }, go, show) {
    this.code = code;
    this.back = new URL(`classroom/${code}`, ROOT).href;
    this.following = new Following(
      (link) => link !== linkOfPage() && go(link),
      (scene) => scene.page === pageOf(linkOfPage()) && show(scene),
    );
    this.words = element("span", {});
    this.return = button(() => this.#returns(), { class: "dml-class-act dml-first" }, "Back to the class");
    const link = element("a", { href: this.back }, "My answers");
    const corner = { class: "dml-class-corner dml-class-small", "aria-label": "Classroom" };
    this.corner = element("aside", corner, element("b", { class: "dml-code" }, code), this.words, this.return, link);
    document.body.append(this.corner);
    this.ending = new AbortController();
    // What the student does on the page lets go; where this bar is used it does not.
    for (const type of ["pointerdown", "keydown", "input"]) {
      addEventListener(type, (event) => {
        const target = /** @type {Element} */ (event.target);
        if (!event.isTrusted || this.corner.contains(target) || !this.follows || !target.closest?.(MOVES)) return;
        this.following.lets();
        showPointer(null);
        this.draw();
      }, { capture: true, signal: this.ending.signal });
    }
    this.pupil = new Pupil(code, () => this.draw());
  }

  get follows() {
    return Boolean(this.pupil?.state?.follow);
  }

  /** Takes the colours. @param {Look} look */ take(look) {
    paint(this.corner, look);
    this.draw();
  }

  draw() {
    const { pupil, following } = this;
    if (!pupil) return;
    if (pupil.vote && !pupil.ended) return location.assign(this.back);
    if (this.follows && pupil.link) following.link(pupil.link);
    if (this.follows && pupil.scene && pupil.scene !== this.seen) {
      following.scene(this.seen = pupil.scene);
    }
    const words = pupil.ended
      ? pupil.why || "The classroom has ended."
      : pupil.online === false
      ? "no connection"
      : this.follows
      ? (following.letGo ? "you go your own way" : "you follow the wall")
      : "";
    say(this.words, words);
    this.return.hidden = !this.follows || !following.letGo;
  }

  close() {
    this.ending.abort();
    this.following.close();
    this.pupil.close();
    this.corner.remove();
  }

  #returns() {
    this.following.back();
    this.draw();
  }
}
