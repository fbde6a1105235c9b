import { GIVEN_UP } from "../host/attempt.js";
import { CROWD, Group, relabelled } from "../runs/group.js";
import { mix } from "../draw/look.js";
import { History } from "./history.js";

/** The frame in an answer; null where there is none in it. @param {Reply | null | undefined} reply */
function frameOf(reply) {
  return reply?.header.kind === "frame" ? /** @type {Frame} */ (reply) : null;
}

/** A run's messages.
 * @typedef {{
 *   at: (step: number) => Promise<Reply | null>, embeddings?: (step: number) => Promise<Message<AnyHeader> | null>,
 *   points?: (before: number, after: number) => Promise<Message<PointsHeader> | null>, throughPython?: boolean,
 *   close: () => void,
 * }} Source */
/** What draws a run.
 * @typedef {{
 *   data?: LiveData, redraw: (what?: string) => Promise<void>, open: (fresh: boolean) => void, replay: () => void,
 *   hold?: () => void, waits: (why?: string) => void, came: () => void, found: () => void,
 *   lost: (kind: string, words?: string) => void,
 * }} LivePicture */

const COLOURED = 10; // classes of many, where a newcomer first looks
const LOOK = 20; // ms between two looks for a map that is being made
const SOON = 100; // ms in which a frame's maps are waited for
const PALE = 0.3; // of the ink, in the colour of the other classes

/** The state of one live picture: the run, its history, the step shown and what the visitor points at. */
export class Desk {
  /** @type {Frame} */ #frame = null;
  /** @type {{subject: Subject, history: History} | null} */
  #pendingRun = null; // a run that has begun but has no frame yet: the old one stays on the screen until then
  /** @type {History | null} */
  #restarting = null; // the history of a run that begins again, before its first frame: the old one stays on the screen, too
  /** @type {Promise<PlotlyLibrary> | null} */ #library = null;
  /** @type {number | null} */ #queuedStep = null;
  /** @type {number | null} */ #requestedStep = null; // a step to show as soon as the run is there
  /** @type {[Subject, Frame[]] | null} */ #recording = null; // [subject, frames] of a recorded run
  /** @type {number | null} */ #awaitedStep = null; // a step that was asked for, whose frame is still to come
  /** @param {number} before @param {number} after */ #points = (before, after) => this.source.points(before, after);

  /** @type {Source | null} */ source = null; // of frames
  /** @type {Subject} */ subject = null;
  /** @type {Frame} */ newest = null;
  /** @type {FrameHeader | TickHeader | null} */ now = null; // the run's status, from the header of the newest message
  /** @type {Group | null} */ group = null;
  /** @type {Look | null} */ #look = null;
  /** @type {Palette | null} */ palette = null;
  groupShown = "unseen";
  colouring = "class";
  /** @type {string | null} */ marks = null; // "images" or "points"; null before the visitor has chosen
  /** @type {number | null} */ single = null; // the kind of points that is shown alone
  history = new History();
  following = true;
  recorded = false;
  still = false; // a picture for a file: nothing moves by itself, and no point is on its way
  status = "opening";
  /** @type {number | null} */ hovered = null;
  /** @type {number | null} */ query = null;

  /** `picture` opens subjects and draws; `reports` exchanges messages with Python; `load` promises Plotly, to those that draw
   * with it.
   * @param {LivePicture} picture @param {Reports} reports @param {() => Promise<PlotlyLibrary>} load */
  constructor(picture, reports, load) {
    this.picture = picture;
    this.reports = reports;
    this.load = load;
  }

  /** The frame shown. */
  get frame() {
    return this.#frame;
  }

  set frame(frame) {
    this.#frame = frame;
    const subject = relabelled(this.subject, frame, 0);
    if (subject === this.subject) return;
    this.subject = subject;
    this.hovered = null;
    this.#reopen();
  }

  /** The promise of Plotly, which is loaded on first use. */
  get library() {
    return (this.#library ??= this.load());
  }

  /** The last step that is known, with or without a frame. */
  get last() {
    return Math.max(this.history.latest, this.frame.header.step, this.now?.verdict?.last ?? 0);
  }

  /** Dimensions of the embedding. */
  get dim() {
    return this.subject.header.dim;
  }

  /** Whether the embedding is drawn on a sphere. */
  get solid() {
    return this.dim === 3;
  }

  /** Colours and markers. Of many classes in a neighbour map, a few are coloured, and the others are pale. */
  get look() {
    const coloured = this.coloured;
    if (!coloured || !this.#look) return this.#look;
    const { ink, paper } = this.#look;
    /** @param {number} c */ const ofClass = (c) => {
      const rank = coloured.indexOf(c);
      return rank < 0 ? { ...this.#look.ofClass(c), colour: mix(ink, paper, PALE) } : this.#look.ofClass(rank);
    };
    return { ...this.#look, ofClass };
  }

  set look(look) {
    this.#look = look;
  }

  /** The classes in colour where the others are pale, the first in the order of the data and that of the query; null for all. */
  get coloured() {
    const { group, query } = this;
    if (!this.mapped || this.picture?.data?.layout === "race" || this.colouring !== "class" || !(group?.classes.length > CROWD)) {
      return null;
    }
    const first = group.classes.slice(0, COLOURED);
    const asked = query != null && group.has(query) ? this.subject.arrays.y[query] : first[0];
    return first.includes(asked) ? first : [...first.slice(0, -1), asked];
  }

  /** Whether the points are drawn in a neighbour map: where that is chosen, and the frame has what it is made of. */
  get mapped() {
    return this.isMapped(0);
  }

  /** Whether the points of member `k` are drawn in one. @param {number} k */
  isMapped(k) {
    const { arrays = {} } = this.frame ?? {};
    const made = arrays[`${k}.map`] ?? (this.source?.points && arrays[`${k}.points`]);
    return Boolean(made) && this.picture?.data?.picture === "map";
  }

  /** The neighbour map of the frame shown, of a member and a group of its points; see `Maps.of`. */
  mapOf(k = 0, group = this.group) {
    return this.history.maps.of({ frame: this.frame, k, group }, this.#points, () => this.redraw("turn"));
  }

  // The maps of a new frame, so that it is drawn once, and with them; a frame whose maps take long is drawn before.
  #followMaps() {
    const late = new Promise((resolve) => setTimeout(resolve, SOON));
    return Promise.race([this.history.maps.follow(this.frame, this.#points), late]);
  }

  /** The places in the neighbour map of the frame shown, once they are made. */
  async exactMap(k = 0, group = this.group) {
    for (;;) {
      const { places, exact } = this.mapOf(k, group);
      if (exact) return places;
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  }

  /** Whether the points of the frame are scored; not where embeddings are not finite, or no point has another of its class. */
  get scored() {
    const { history, group, frame } = this;
    return !Number.isNaN(history.at(`r1.${group.name}`, history.row(frame.header.step)));
  }

  /** Whether it is drawn in a plane of a space of more dimensions. */
  get flat() {
    return this.dim > 3;
  }

  /** The point whose neighbours are shown: the one pointed at, else the query, else the group's first. */
  get active() {
    if (this.hovered != null) return this.hovered;
    if (this.query != null && this.group.has(this.query)) return this.query;
    return this.group.points[0] ?? null;
  }

  /** All coordinates (N, dim) of the points of the frame shown, row by row; null where they are not available. */
  async embeddings() {
    const { frame, source } = this;
    const message = await source?.embeddings?.(frame.header.step);
    return message?.header.kind === "embeddings" && message.header.step === frame.header.step ? message.arrays.z : null;
  }

  /** Draws again: all parts, or those alone that follow `what` ("hover" or "turn"). @param {string} [what] */
  redraw(what) {
    return this.picture.redraw(what);
  }

  // What a visitor does --------------------------------------------------------------------------------------------

  /** @param {number | null} point */ hover(point) {
    if (point === this.hovered) return;
    this.hovered = point;
    this.picture.redraw("hover");
  }

  /** @param {number} point */ select(point) {
    const before = `${this.coloured}`;
    this.query = point;
    this.reports.send("query", point);
    if (`${this.coloured}` === before) this.redraw();
    else this.picture.open(false);
  }

  /** The point that comes `by` places after the active one in its group. @param {number} by */
  step(by) {
    const { points } = this.group;
    return points[(points.indexOf(this.active) + by + points.length) % points.length];
  }

  /** @param {string} name */ showGroup(name) {
    Object.assign(this, { groupShown: name, hovered: null, single: null });
    this.viewed();
    this.#reopen();
  }

  /** Gives points of one "class" or of one "set" the same colour. @param {string} [what] */
  colourBy(what) {
    Object.assign(this, { colouring: what, single: null });
    this.viewed();
    this.#reopen();
  }

  /** Tells Python which points are shown and how, as text for a link; null for the default. */
  viewed() {
    const { groupShown, colouring, marks, single } = this;
    const words = [groupShown === "seen" && "seen", colouring === "set" && "set", marks, single !== null && `${single}`];
    this.reports.send("view", words.filter(Boolean).join("~") || null);
  }

  /** Shows the points as the text of a link says. @param {string | null} words */
  view(words) {
    const asked = (words ?? "").split("~");
    this.groupShown = asked.includes("seen") ? "seen" : "unseen";
    this.colouring = asked.includes("set") ? "set" : "class";
    this.marks = asked.find((word) => ["images", "points"].includes(word)) ?? null;
    const kind = asked.find((word) => /^\d+$/.test(word));
    this.single = kind === undefined ? null : Number(kind);
    if (this.subject) this.#reopen();
  }

  /** Shows the frame of `step`, and waits for one that comes later, by way of Python; an error where it does not come.
   * @param {number} step */
  async reach(step) {
    await this.#visit(step);
    const late = performance.now() + GIVEN_UP;
    while (this.#awaitedStep !== null && this.frame?.header.step !== this.#awaitedStep) {
      if (this.following || performance.now() > late) throw new Error(`step ${step} did not come from the server`);
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  }

  // Shows the frame of `step`, from memory or from the server; the last one asked for wins. After a reset there is none.
  /** @param {number} step */ async go(step) {
    if (!(step >= 0)) return;
    this.following = false;
    const asking = this.#queuedStep !== null;
    this.#queuedStep = step;
    if (asking) return;
    try {
      for (let next = step; next !== undefined;) {
        const history = this.#restarting ?? this.history;
        const reply = history.frames.get(next) ?? (await this.source?.at(next));
        this.#awaitedStep = reply || this.following ? null : next;
        if (this.following) break;
        const frame = frameOf(reply);
        // A frame asked for before a reset is of another run.
        if (frame && (this.#restarting ?? this.history) === history) {
          history.add(frame);
          this.frame = frame;
        }
        this.redraw();
        next = this.#queuedStep === next ? undefined : this.#queuedStep;
      }
    } finally {
      this.#queuedStep = null;
    }
  }

  /** Shows the step nearest to a place on the axis of steps. @param {number} place */
  goNear(place) {
    this.#visit(this.history.at("step", this.history.nearest(place))).then(() => this.report());
  }

  // As `go`; a frame that comes by way of Python is requested at once.
  /** @param {number} step */ async #visit(step) {
    const shown = this.go(step);
    if (this.source?.throughPython) this.report();
    await shown;
  }

  // Shows the step that Python asks for (null: the newest), once its run is there if that is still to come.
  /** @param {number | null} step @param {boolean} later */ ask(step, later) {
    if (later || !this.subject) this.#requestedStep = step;
    else if (step === null) this.follow();
    else this.go(step);
  }

  follow() {
    this.following = true;
    if (this.newest) this.frame = this.newest;
    this.report();
  }

  /** Tells Python the step shown, null for the newest; at the last step of a run that rests, what comes next is followed. */
  report() {
    const step = this.#queuedStep ?? this.#awaitedStep ?? this.frame?.header.step;
    const last = step === this.newest?.header.step && this.status !== "running";
    if (last && !this.recorded) Object.assign(this, { following: true, frame: this.newest });
    this.reports.send("step", this.following || last ? null : step);
    this.redraw();
  }

  // Messages of a run -------------------------------------------------------------------------------------------

  rows() {
    return this.#next.count;
  }

  latest() {
    return this.#next.latest;
  }

  /** @param {Subject} subject */ begun(subject) {
    this.#pendingRun = { subject, history: new History() };
  }

  // Forgets the frames so far: the run was reset or, where `step` is given, is drawn in another plane.
  /** @param {number | null} step */ restarted(step = null) {
    const history = new History();
    // Another plane is no other map.
    if (step !== null) history.maps = this.#next.maps;
    if (this.#pendingRun) this.#pendingRun.history = history;
    else this.#restarting = history;
    this.newest = null;
    this.following = true;
    if (this.#requestedStep === null) this.#requestedStep = step;
  }

  /** The step to show again where the same run comes drawn in another plane. @param {{plane: number}} header */
  returning({ plane }) {
    return plane === this.frame?.header.plane || this.following ? null : this.frame.header.step;
  }

  /** @param {Reply} reply */ async came(reply) {
    this.reports.status(reply.header.status);
    const frame = frameOf(reply);
    // The status of a run without a frame does not describe the run on the screen.
    if (!this.#pendingRun || frame) {
      this.picture.found();
      this.status = reply.header.status;
    }
    const first = this.#pendingRun !== null && frame !== null;
    if (frame) {
      if (first) this.#adopt(frame, false);
      [this.history, this.#restarting] = [this.#next, null];
      this.history.add(frame);
      this.history.losses = frame.arrays.losses ?? null;
      if (!(frame.header.step < this.newest?.header.step)) this.newest = frame;
      if (this.following) this.frame = this.newest;
      else if (frame.header.step === this.#awaitedStep) this.frame = frame;
      if (!this.#showRequested() && first) this.report();
    }
    if (!this.#pendingRun) this.history.losses = reply.arrays.losses ?? this.history.losses;
    if (!this.#pendingRun) this.now = reply.header;
    if (frame && this.frame === frame) await this.#followMaps();
    await this.redraw();
    if (first) this.picture.came();
  }

  /** Says that the run has not begun, and why, if that takes long. @param {{reason: string}} header */
  waits({ reason }) {
    this.picture.waits(reason);
  }

  /** Shows a recorded run from its start, now that it waits or no longer waits. */
  replayAgain() {
    if (this.#recording) this.replay(...this.#recording);
  }

  // A whole recorded run; of one that waits its first frame alone, until `replayAgain`.
  /** @param {Subject} subject @param {Frame[]} all */ async replay(subject, all) {
    const frames = this.picture.data?.waits ? all.slice(0, 1) : all;
    this.#recording = [subject, all];
    this.begun(subject);
    this.now = frames.at(-1).header;
    this.status = "recorded";
    this.#adopt(frames[0], true);
    frames.forEach((frame) => this.history.add(frame));
    this.newest = frames.at(-1);
    this.picture.found();
    if (!this.#showRequested()) this.picture.replay();
    await this.redraw();
    this.picture.came();
  }

  /** Says what goes wrong for now; the source goes on trying. @param {string} kind @param {string} words */
  interrupted(kind, words) {
    this.picture.lost(kind, words);
  }

  /** @param {string} kind @param {string} words */ lost(kind, words) {
    this.status = kind;
    if (kind === "unreachable") this.reports.fallback();
    if (kind === "unknown") this.reports.gone(() => this.picture.lost(kind, words));
    else this.picture.lost(kind, words);
  }

  /** @param {Frame} frame @param {boolean} recorded */ #adopt(frame, recorded) {
    Object.assign(this, this.#pendingRun, { frame, recorded, newest: frame, hovered: null, following: true });
    this.#pendingRun = this.#restarting = null;
    const { header, arrays } = this.subject;
    // Points on the second of several data have higher numbers.
    if (this.query != null && !header.data?.length && !(this.query < arrays.y.length)) this.query = null;
    this.#regroup();
    this.picture.open(true);
  }

  // What is known of the run that the next frame is of.
  get #next() {
    return this.#pendingRun?.history ?? this.#restarting ?? this.history;
  }

  #showRequested() {
    const step = this.#requestedStep;
    this.#requestedStep = null;
    if (step !== null) this.go(step);
    return step !== null;
  }

  #reopen() {
    this.#regroup();
    this.picture.open(false);
  }

  #regroup() {
    /** @param {string} name */ const group = (name) => new Group(this.subject, name, this.colouring);
    this.group = group(this.groupShown);
    if (!this.group.points.length) this.group = group(this.groupShown === "seen" ? "unseen" : "seen");
  }
}
