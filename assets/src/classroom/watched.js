import { Stage } from "../scene/stage.js";
import { State } from "../scene/state.js";
import { read } from "../scene/scene.js";
import { element } from "../draw/panel.js";

const TALL = 340; // px
const LIMITS = { fewest: 1, most: 100, classes: 8 };

/** The wall's scene as a student's page shows it: points, in motion, without a loss and without a number. */
export class Watched {
  /** @type {Look | null} */ look = null;
  #text = "";

  constructor() {
    this.stage = new Stage(() => this.#draw(), { still: true });
    this.stage.height = TALL;
    this.state = new State(() => {});
    this.root = element("div", { class: "dml-scene dml-watched" }, this.stage.root);
  }

  /** Shows a scene; nothing for "". @param {string} text @param {string} view @param {Look} look */ show(text, view, look) {
    const key = `${text} ${view} ${look.theme}`;
    this.root.hidden = !text;
    if (key === this.#text || !text) return;
    this.#text = key;
    this.look = look;
    if (!this.state.scene) {
      const bare = {
        scene: text,
        base: "",
        picked: /** @type {number[]} */ ([]),
        choose: /** @type {string[]} */ ([]),
        presets: { "": [text, text] },
        limits: LIMITS,
      };
      this.state.take(/** @type {SceneData} */ (/** @type {unknown} */ (bare)), true);
    }
    this.state.touched = -1;
    this.state.show(read(text));
    this.stage.camera.text = view;
    this.#draw();
  }

  #draw() {
    if (!this.look || !this.stage.width) return;
    this.stage.begin(this.state, this.look);
    this.stage.finish(this.state, this.look);
    const { points, labels } = this.state.scene;
    this.stage.svg.setAttribute("aria-label", `${points.length} points of ${new Set(labels).size} classes, as on the wall`);
  }
}
