import { Attending } from "../classroom/attending.js";
import { Leading } from "../classroom/follow.js";
import { pointerOf, showPointer } from "../classroom/pointer.js";
import { Wall } from "../classroom/wall.js";
import { SCENE, SHOWN_SCENE, SHOWN_STEP, STEP } from "../host/bus.js";
import { Confirmation } from "../host/confirmation.js";
import { component } from "../host/mount.js";
import { onSlider, slide } from "../host/sliders.js";
import { applyTheme } from "../host/theme.js";

const EARLY = 1000; // ms after a welcome in which what was said before comes
const GONE = 3000; // ms between two looks whether a classroom without a page has been left

/** The part of the classroom that outlives the pages of a tab. @type {{code: string, part: Wall | Attending, close: () => void} | null} */
let open = null;
/** @type {Classroom | null} */ let current = null; // on the page of now
/** @type {number | undefined} */ let leaving;

/** The classroom on a page: what the browser wants of the page, and its card. */
class Classroom {
  /** @type {Look | null} */ look = null;
  #want = "{}";
  #link = ""; // to be opened
  #serial = 0;

  /** @param {Host} host */ constructor(host) {
    this.host = this.root = host;
    this.confirmation = new Confirmation(() => this.component.data.done === this.#serial, () => this.#send());
    clearTimeout(leaving);
    current = this;
  }

  /** @param {Given<ClassroomData>} component */ update(component) {
    this.component = component;
    const { data } = component;
    if (data.done === this.#serial) this.#link = "";
    applyTheme(this, data);
    if (open && open.code !== `${data.code} ${data.wall}`) end();
    open ??= data.wall ? lead(data) : attend(data);
    const { part } = open;
    if (part instanceof Wall) {
      if (part.card.parentNode !== this.host) this.host.append(part.card);
      part.take(this.look, data);
      this.follow(part);
    } else part.take(this.look);
  }

  /** Lets the page show what the class is asked. @param {Wall} wall */ follow({ wanted }) {
    if (wanted) this.want(wanted);
  }

  /** Lets the page do something, once. @param {{kind: string, [name: string]: string}} want */ want(want) {
    const key = JSON.stringify(want);
    if (key === this.#want) return;
    this.#want = key;
    this.#send();
    this.confirmation.expect();
  }

  /** Lets the page open a link. @param {string} link */ go(link) {
    this.#link = link;
    this.#send();
    this.confirmation.expect();
  }

  close() {
    this.confirmation.close();
    if (current === this) current = null;
    leaving = setTimeout(left, GONE);
  }

  #send() {
    this.#serial = Math.max(Date.now(), this.#serial + 1);
    this.component.setStateValue("want", { ...JSON.parse(this.#want), link: this.#link, serial: this.#serial });
  }
}

// A page that opens slowly has the classroom in its address, and one on which it was left has not.
function left() {
  if (current) return;
  if (/[?&](wall|classroom)=/.test(location.search)) leaving = setTimeout(left, GONE);
  else end();
}

function end() {
  open?.close();
  open = null;
}

/** @param {ClassroomData} data */ function lead(data) {
  const wall = new Wall(data, () => current?.follow(wall));
  const { teacher } = wall;
  const leading = new Leading((message) => teacher?.online && teacher.wire.say(message));
  const ending = new AbortController();
  let welcomed = -Infinity;
  SCENE.listen((settings) => leading.send({ settings }), ending.signal);
  STEP.listen((step) => leading.send({ step }), ending.signal);
  const still = onSlider(({ slider, value, mark }) => leading.send({ settings: { slider, value, mark } }));
  let pointer = "null";
  addEventListener("pointermove", (event) => {
    const place = pointerOf(event);
    if (JSON.stringify(place) === pointer) return;
    pointer = JSON.stringify(place);
    leading.send({ pointer: place });
  }, { signal: ending.signal });
  if (teacher) {
    const { changed } = teacher;
    teacher.changed = (type) => {
      if (type === "welcome") {
        leading.again();
        welcomed = performance.now();
      }
      const late = performance.now() - welcomed > EARLY; // what comes before that was there before this connection
      if (type === "link" && late) current?.go(teacher.link); // a console's
      // The page itself reveals its predictions; the answer to a question of one's own is at a link.
      const { state, reveal } = teacher;
      if (type === "reveal" && late && reveal.link && !state?.question?.name) current?.go(reveal.link);
      changed(type);
    };
  }
  const close = () => {
    ending.abort();
    still();
    leading.close();
    wall.close();
  };
  return { code: `${data.code} ${data.wall}`, part: wall, close };
}

let slid = ""; // the move of a slider that was shown last

/** @param {FollowedScene} scene */ function show({ settings, step, pointer }) {
  SHOWN_SCENE.send(settings);
  showPointer(pointer);
  if (step !== null) SHOWN_STEP.send(step);
  const { slider, value, mark } = settings;
  const move = `${slider} ${value}`;
  if (!slider || move === slid) return;
  slid = move;
  slide({ slider, value, mark });
}

/** @param {ClassroomData} data */ function attend(data) {
  const part = new Attending(data, (link) => current?.go(link), show);
  return { code: `${data.code} ${data.wall}`, part, close: () => part.close() };
}

export const { mount, unmount } = component(Classroom, "classroom.css");
