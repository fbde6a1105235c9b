import { gradientRows, offerBoard } from "../export/boards.js";
import { dash } from "../draw/marker.js";
import { renew } from "../draw/svg.js";
import { Board } from "../gradients/board.js";
import { fromPython, fromScene, sameScene } from "../gradients/contents.js";
import { factors } from "../gradients/numbers.js";
import { AMBIENT, Panel, REACH } from "../gradients/panel.js";
import { component } from "../host/mount.js";

/** The small multiples: what Python sent or, while a drag is ahead of Python, what the scene's overlay found.
 * @extends {Board<PanelsData>} */
class Panels extends Board {
  movable = true;

  /** @param {Host} host */ constructor(host) {
    super(host, Panel);
  }

  /** @param {Message<PanelsData>} message */ take(message) {
    this.contents = fromPython(message);
    this.byName = Object.fromEntries(this.contents.map((content) => [content.name, content]));
    this.picked = message.header.picked;
  }

  offer() {
    return offerBoard(this, () => gradientRows(this));
  }

  /** Whether Python has the scene as it is now. */
  get current() {
    return sameScene(this.live.scene, this.message);
  }

  /** The meaning of the lines that are pairs. */
  get signs() {
    const { positive, negative } = this.look;
    const pairs = this.message.header.draw !== "per point";
    return pairs ? [{ text: "pull", sign: dash(positive) }, { text: "push", sign: dash(negative, "4 4") }] : [];
  }

  draw() {
    const { message, live } = this;
    const { header } = message;
    const ahead = this.inEditor && !this.current;
    const drawn = (ahead ? fromScene(live, this.byName, header) : this.contents).filter(Boolean);
    if (!drawn.length) return;
    this.drawn = drawn;
    const scales = factors(drawn.map(({ lengths }) => lengths), header.scale);
    const [{ dim, n }] = drawn;
    const picked = this.inEditor ? live.picked[0] : this.picked;
    const lit = this.lit ?? (header.draw === "one point" ? picked : null);
    this.grid.draw(drawn, scales, {
      camera: this.seenBy(dim),
      look: this.look,
      draw: header.draw,
      lit: lit !== null && lit >= 0 && lit < n ? lit : null,
      names: header.names,
      reach: header.part === "ambient" ? AMBIENT : REACH,
      passing: this.passing,
    });
    renew(this.root, { "data-from": ahead ? "scene" : "python", "data-lit": lit ?? "" });
  }
}

export const { mount, unmount } = component(Panels, "gradients.css");
