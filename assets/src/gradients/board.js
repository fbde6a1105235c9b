import { Grid } from "./grid.js";
import { PanelsPointer } from "./pointer.js";
import { GRADIENTS, GRADIENTS_POINT, GRADIENTS_TURN } from "../host/bus.js";
import { undrawn } from "../host/mount.js";
import { decode } from "../runs/packing.js";
import { element } from "../draw/panel.js";
import { Camera } from "../draw/sphere.js";
import { Repaint } from "../draw/repaint.js";
import { applyTheme } from "../host/theme.js";

const TRIES = 3; // reports to Python, at most
const REST = 150; // ms after the last move, when panels out of sight are drawn, too

/** Panels on the page, all seen from one side, as are the other boards and the scene. @template {PanelsData | FlowData} Header */
export class Board {
  #repaint = new Repaint((wanted) => this.#draw(!wanted.has("all")), (error) => undrawn(this.host, error));
  #ending = new AbortController();
  /** @type {Record<string, string | number>} */ #unknown = {}; // reports that Python has not confirmed
  #tries = 0;
  #serial = 0;
  #rest = 0; // the timer of that drawing, 0 for none
  passing = false; // whether the drawing is one of many of a drag
  /** @type {Look | null} */ look = null;
  /** @type {BoardContent[] | null} */ drawn = null; // the contents of the panels as drawn
  /** @type {{remove(): void} | null} */ menu = null;
  view = ""; // the side that is seen, as Python knows it
  camera = new Camera();
  /** @type {LiveGradients | null} */ live = null; // what the scene's overlay found last
  /** @type {number | null} */ lit = null; // the point that is pointed at
  movable = false; // whether points can be dragged

  /** @param {Host} host @param {PanelKind} Kind */ constructor(host, Kind) {
    this.host = host;
    this.grid = new Grid(() => this.redraw(), Kind);
    this.root = element("div", { class: "dml-gradients" }, this.grid.root);
    host.append(this.root);
    this.pointer = new PanelsPointer(this);
    const { signal } = this.#ending;
    GRADIENTS.listen((frame) => this.#follow(/** @type {LiveGradients} */ (frame)), signal);
    GRADIENTS_POINT.listen((point) => {
      if (point === this.lit) return;
      this.lit = point;
      this.redraw();
    }, signal);
    GRADIENTS_TURN.listen(({ turn, tilt }) => {
      Object.assign(this.camera, { turn, tilt });
      this.redraw();
    }, signal);
  }

  /** Takes what Python sent, or such a message as it is. @param {Given<Uint8Array | Message<Header>>} newest */
  update(newest) {
    this.component = newest;
    const { data } = newest;
    /** @type {Message<Header>} */ this.message = data instanceof Uint8Array ? decode(data) : data;
    const { header } = this.message;
    const known = this.#knownOf(header);
    if (!this.#shared) {
      this.live = null;
      if (known && header.view !== this.view) this.view = this.camera.text = header.view;
    }
    applyTheme(this, header);
    this.take(this.message, known);
    if (this.#shared) GRADIENTS.ask();
    this.redraw();
  }

  close() {
    this.#ending.abort();
    clearTimeout(this.#rest);
    this.menu?.remove();
    this.grid.close();
  }

  /** Whether the drawing shows what Python sent, from the side of the scene. */
  get settled() {
    return !this.#repaint.waiting && !this.#rest && (!this.#shared || (this.live !== null && this.current));
  }

  // Takes in a decoded message; `_known` is false where Python made it before it had the last report.
  /** @param {Message<Header>} _message @param {boolean} _known */ take(_message, _known) {}

  /** Draws the panels. */
  draw() {}

  /** Makes the board's menu of exports. @returns {{remove(): void} | null} */
  offer() {
    return null;
  }

  /** Whether Python's message is of the scene as it is now. */
  get current() {
    return true;
  }

  /** The link of a recipe, for what is seen now. @param {Recipe} recipe */
  link({ link }) {
    return link;
  }

  /** Highlights a point on all boards; none for null. @param {number | null} point */
  light(point) {
    if (point !== this.lit) GRADIENTS_POINT.send(point);
  }

  /** Turns the sphere of all boards, where no drag turns it. @param {number} right @param {number} down */
  turn(right, down) {
    this.camera.rotate(right, down);
    GRADIENTS_TURN.send(this.camera);
  }

  /** Reports to Python. @param {Record<string, string | number>} changes */
  report(changes) {
    this.#unknown = { ...this.#unknown, ...changes };
    this.#tries = TRIES;
    this.#send();
  }

  /** Takes the side that is seen as the view, and returns it as a link holds it. */
  syncView() {
    return (this.view = this.camera.text);
  }

  // Whether the scene is in the page's editor.
  get #shared() {
    return this.message?.header.dragged;
  }

  /** Whether the scene is in the page's editor, and the editor is loaded. */
  get inEditor() {
    return Boolean(this.#shared && this.live);
  }

  /** The camera by which points of `dim` dimensions are seen; null in the plane. @param {number} dim */
  seenBy(dim) {
    return dim === 3 ? (this.inEditor ? this.live.camera : this.camera) : null;
  }

  /** Draws before the next repaint. */
  redraw() {
    this.#repaint.request();
  }

  /** @param {boolean} passing */ #draw(passing) {
    if (!this.message || !this.root.isConnected) return;
    this.passing = passing;
    this.draw();
    if (this.drawn && this.message.header.recipe) this.menu ??= this.offer();
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  /** A report during a run of the page is lost: reports without a confirmation are sent again. @param {Header} header */
  #knownOf(header) {
    const known = Object.entries(this.#unknown).every(([name, value]) =>
      /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (header))[name] === value
    );
    if (known || this.#tries === 0) this.#unknown = {};
    else this.#send();
    return known;
  }

  #send() {
    this.#tries -= 1;
    this.#serial += 1;
    this.component.setStateValue("report", { ...this.#unknown, serial: this.#serial });
  }

  /** @param {LiveGradients} detail */ #follow(detail) {
    this.live = detail;
    if (this.movable && this.grid.inSight) detail.seen = true;
    // A board that does not follow the points may still follow the turns of the sphere.
    const side = `${detail.camera.turn} ${detail.camera.tilt}`;
    if (this.movable || side !== this.side) this.#pass();
    this.side = side;
  }

  #pass() {
    this.#repaint.request("in sight");
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#rest = 0;
      this.redraw();
    }, REST);
  }
}
