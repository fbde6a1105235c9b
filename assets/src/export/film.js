import { openDialog, select } from "./dialog.js";
import { make } from "./files.js";
import { AS_SEEN } from "./recipe.js";
import { bounded } from "./sizes.js";
import { save } from "../draw/save.js";
import { button, element, say } from "../draw/panel.js";

const SIZES = { "1280x720": "1280 × 720", "1920x1080": "1920 × 1080", "960x540": "960 × 540", "720x720": "720 × 720" };
const [LENGTH, SECONDS] = ["Length, seconds", [1, 60]];

/** The dialog for a film: its format, length and size, and its progress. */
export class Film {
  /** @param {AnyPicture} picture @param {FileFormat[]} films @param {HTMLElement} from @param {HTMLButtonElement} back */
  constructor(picture, films, from, back) {
    this.picture = picture;
    this.films = films;
    /** @param {string} words @param {HTMLElement} control */
    const label = (words, control) => element("label", {}, words, control);
    this.format = select(Object.fromEntries(films.map(({ name, label: words }) => [name, words])), films[0].name);
    this.size = select(SIZES, "1280x720");
    this.seconds = element("input", { type: "number", min: SECONDS[0], max: SECONDS[1], step: 1, value: 8 });
    this.bar = element("progress", { max: 1, value: 0, "aria-label": "How much of the film is made" });
    this.status = element("p", { class: "dml-write-up-note", role: "status" });
    this.make = button(() => this.#make(), {}, "Make the film");
    this.stop = button(() => this.stopping?.abort(), {}, "Cancel");
    this.stop.disabled = true;
    this.box = openDialog("As a film", from, [
      label("Format", this.format),
      label("Size, pixels", this.size),
      label(LENGTH, this.seconds),
      element("div", { class: "dml-write-up-acts" }, this.make, this.stop),
      this.bar,
      this.status,
      element("div", { class: "dml-write-up-acts" }, button(() => this.box.close(), {}, "Close")),
    ]);
    this.box.addEventListener("close", () => {
      this.stopping?.abort();
      back.focus();
    });
  }

  async #make() {
    const format = this.films.find(({ name }) => name === this.format.value);
    const [width, height] = this.size.value.split("x").map(Number);
    /** @type {string[]} */ const notes = [];
    const seconds = bounded(this.seconds.value, SECONDS, LENGTH, notes);
    this.seconds.value = String(seconds);
    /** @param {string} words */ const tell = (words) => say(this.status, [words, ...notes].join(" "));
    this.stopping = new AbortController();
    /** @param {number} done @param {number} of */ const progress = (done, of) => {
      this.bar.value = done / of;
      tell(`Picture ${done} of ${of}.`);
    };
    this.#turn(this.make, this.stop);
    tell("Beginning…");
    const begun = performance.now();
    try {
      const film = { width, height, seconds, progress, signal: this.stopping.signal };
      const blob = await make(this.picture, format, AS_SEEN, 1, {}, film);
      save(blob, `${this.picture.name}.${format.name}`);
      const took = ((performance.now() - begun) / 1000).toFixed(0);
      tell(`Saved: ${(blob.size / 1e6).toFixed(1)} MB, made in ${took} s.`);
    } catch (error) {
      tell(`There is no film: ${error.message}.`);
    } finally {
      this.#turn(this.stop, this.make);
    }
  }

  // The focus goes with it from one button to the other.
  /** @param {HTMLButtonElement} off @param {HTMLButtonElement} on */ #turn(off, on) {
    const focused = document.activeElement === off;
    [off.disabled, on.disabled] = [true, false];
    if (focused) on.focus();
  }
}
