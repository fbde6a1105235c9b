// The events between the components of a page. They go over its window, since each component may have a copy of this module.

/** Events of one name. @template T what an event says */
class Channel {
  /** @param {string} name */ constructor(name) {
    this.name = `dml-viz:${name}`;
  }

  /** Tells all who listen. @param {T} [detail] */
  send(detail) {
    globalThis.dispatchEvent(new CustomEvent(this.name, { detail }));
  }

  /** Calls `act` at each event until `signal` is aborted. @param {(detail: T) => void} act @param {AbortSignal} signal */
  listen(act, signal) {
    globalThis.addEventListener(this.name, (event) => act(/** @type {CustomEvent<T>} */ (event).detail), { signal });
  }

  /** Asks the sender for its latest event. */
  ask() {
    globalThis.dispatchEvent(new Event(`${this.name}?`));
  }

  // Calls `act` whenever the latest event is asked for, until `signal` is aborted.
  /** @param {() => void} act @param {AbortSignal} signal */ answer(act, signal) {
    globalThis.addEventListener(`${this.name}?`, () => act(), { signal });
  }
}

/** A message of a run that came with Streamlit's own: from components/feed.js to live/source.js. @type {Channel<Fed>} */
export const FEED = new Channel("feed");
/** The scene was moved by hand: from components/scene_editor.js to components/classroom.js. @type {Channel<Record<string, string>>} */
export const SCENE = new Channel("scene");
/** The wall's scene, which a page that follows shows: from components/classroom.js to components/scene_editor.js and figure.js.
 * @type {Channel<Readonly<Record<string, string>>>} */
export const SHOWN_SCENE = new Channel("shown-scene");
/** Another step of a run is shown, -1 for the newest: from live/scrubber.js to components/classroom.js. @type {Channel<number>} */
export const STEP = new Channel("step");
/** The step that the wall shows: from components/classroom.js to live/scrubber.js. @type {Channel<number>} */
export const SHOWN_STEP = new Channel("shown-step");
/** The page wakes up: from and to host/sleep.js. @type {Channel<undefined>} */
export const WAKE = new Channel("wake");
/** A point of a figure is pointed at, in all figures linked by `name`; null for none. From and to plot/link.js.
 * @type {Channel<{name: string, from: object, id: number | null}>} */
export const POINT = new Channel("point");
/** A frame of the scene, with its losses' gradients, camera, and what presses and picks its points: from gradients/overlay.js to
 * gradients/board.js, which asks.
 * @type {Channel<unknown>} */
export const GRADIENTS = new Channel("gradients");
/** A point of the scene is pointed at, null for none: from gradients/overlay.js and gradients/board.js to gradients/board.js.
 * @type {Channel<number | null>} */
export const GRADIENTS_POINT = new Channel("gradients-point");
/** The sphere of all boards was turned, without a scene: from and to gradients/board.js.
 * @type {Channel<{turn: number, tilt: number}>} */
export const GRADIENTS_TURN = new Channel("gradients-turn");
/** A frame of the scene with the numbers of Proxy-Anchor: from scene/overlays/proxies.js to components/second_view.js, which
 * asks.
 * @type {Channel<unknown>} */
export const PROXIES = new Channel("proxies");
