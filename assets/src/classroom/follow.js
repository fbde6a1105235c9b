// Following the wall: its link once it rests, and what its hand does at once; a student's own hand lets go.

import { ROOT } from "./root.js";

const [LOOK, RESTS, APART, SPREAD] = [100, 400, 100, 1000]; // ms: two looks at the address, its rest, two scenes, the spread of a class
const OF_TAB = ["wall", "classroom", "present", "only", "knobs", "embed", "embed_options"]; // settings that say nothing of the page
const MOST = 1900; // bytes of a scene

/** The page and its settings in the address, as a link below the app's root. */
export function linkOfPage({ pathname, search } = location) {
  const settings = new URLSearchParams(search);
  for (const name of OF_TAB) settings.delete(name);
  const path = pathname.startsWith(ROOT.pathname) ? pathname.slice(ROOT.pathname.length) : pathname.slice(1);
  return `/${path}${settings.size ? `?${settings}` : ""}`;
}

/** The page of a link. @param {string} link */ export function pageOf(link) {
  return link.slice(1).split("?")[0];
}

/** Tells a classroom what the wall shows. */
export class Leading {
  #sent = "";
  #seen = "";
  #since = 0;
  #last = -Infinity;
  /** @type {FollowedScene | null} */ #scene = null;
  /** @type {number | undefined} */ #timer;

  /** @param {(message: LinkSent | SceneSent) => void} tell */ constructor(tell) {
    this.tell = tell;
    this.looking = setInterval(() => this.#look(), LOOK);
  }

  /** Tells the link again, to a new connection. */
  again() {
    this.#sent = "";
  }

  /** Sends what is done to the scene: newest wins, ten times a second. @param {Partial<FollowedScene>} change */ send(change) {
    const settings = { ...this.#scene?.settings, ...change.settings };
    this.#scene = { step: null, pointer: null, ...this.#scene, ...change, page: pageOf(linkOfPage()), settings };
    this.#timer ??= setTimeout(() => this.#say(), Math.max(0, this.#last + APART - performance.now()));
  }

  close() {
    clearInterval(this.looking);
    clearTimeout(this.#timer);
  }

  #say() {
    this.#timer = undefined;
    this.#last = performance.now();
    const scene = this.#scene;
    if (scene && JSON.stringify(scene).length < MOST) this.tell({ type: "scene", scene });
  }

  #look() {
    const link = linkOfPage();
    if (link !== this.#seen) {
      this.#seen = link;
      this.#since = performance.now();
      if (pageOf(link) !== this.#scene?.page) this.#scene = null;
    }
    if (link === this.#sent || performance.now() - this.#since < RESTS) return;
    this.#sent = link;
    const { at, view } = this.#scene?.settings ?? {}; // all else is in the link
    if (this.#scene) this.#scene = { ...this.#scene, settings: at ? { at, view } : {}, step: null };
    this.tell({ type: "link", link });
  }
}

/** A device that follows: `go(link)` and `show(scene)` do what the wall does, unless it has let go. */
export class Following {
  letGo = false;
  #link = "";
  #at = ""; // the link that was gone to last
  /** @type {FollowedScene | null} */ #scene = null;
  /** @type {number | undefined} */ #timer;

  /** @param {(link: string) => void} go @param {(scene: FollowedScene) => void} show @param {() => number} random */
  constructor(go, show, random = Math.random) {
    this.go = go;
    this.show = show;
    this.random = random;
  }

  /** @param {string} link */ link(link) {
    if (link === this.#link) return;
    this.#link = link;
    this.#scene = null;
    if (!this.letGo) this.#goes(SPREAD * this.random());
  }

  /** @param {FollowedScene} scene */ scene(scene) {
    this.#scene = scene;
    if (!this.letGo) this.show(scene);
  }

  /** The student does something alone. */
  lets() {
    this.letGo = true;
    clearTimeout(this.#timer);
  }

  /** Back to the class: the newest of both. */
  back() {
    this.letGo = false;
    if (this.#link !== "") {
      this.#at = "";
      this.#goes(0);
    }
    if (this.#scene) this.show(this.#scene);
  }

  close() {
    clearTimeout(this.#timer);
  }

  /** @param {number} wait */ #goes(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#at === this.#link) return;
      this.#at = this.#link;
      this.go(this.#link);
    }, wait);
  }
}
