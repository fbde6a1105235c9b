// What pointers do on our drawings.

const SLIP = 4; // px that a pointer may move in a click
/** @type {Record<string, number>} */ const REACH = { mouse: 14, pen: 16, touch: 22 }; // px from a point at which it is grasped

/** How far from a point (px) the pointer of an event grasps it. @param {{pointerType?: string}} event */
export function reachOf({ pointerType = "mouse" }) {
  return REACH[pointerType] ?? REACH.mouse;
}

/** A finger on a point drags it, anywhere else it scrolls the page. CSS cannot say so: touch-action needs a box.
 * @param {HTMLElement | SVGElement} node @param {(touch: Touch, reach: number) => boolean} onPoint */
export function dragged(node, onPoint) {
  /** @param {TouchEvent} event */
  const touched = (event) => onPoint(event.changedTouches[0], REACH.touch) && event.preventDefault();
  node.addEventListener("touchstart", /** @type {EventListener} */ (touched), { passive: false });
}

/** Follows a pressed pointer until it is released: `move(event, dx, dy)` for every move (px) beyond a click, then `end()`,
 * or `click()` where it has not moved; `over()` is always called first.
 *
 * Where `seen` is given, it says where on another picture an event is, and moves are from there.
 * @param {PointerEvent} down
 * @param {{move?: (at: Spot, dx: number, dy: number) => void, end?: () => void, click?: () => void, over?: () => void}} gesture
 * @param {(event: PointerEvent) => Spot} seen */
export function follow(down, { move, end, click, over }, seen = (event) => event) {
  const { clientX: fromX, clientY: fromY } = seen(down);
  let [x, y, slipped] = [fromX, fromY, false];
  const ending = new AbortController();
  /** @template {"pointermove" | "pointerup" | "pointercancel"} K @param {K} type @param {(event: WindowEventMap[K]) => void} act
   */
  const on = (type, act) => {
    /** @param {PointerEvent} event */ const own = (event) => event.pointerId === down.pointerId && act(event);
    window.addEventListener(type, own, { signal: ending.signal });
  };
  /** @param {boolean} clicked */ const finish = (clicked) => {
    ending.abort();
    over?.();
    if (slipped) end?.();
    else if (clicked) click?.();
  };
  on("pointermove", (event) => {
    const { clientX, clientY } = seen(event);
    slipped ||= Math.hypot(clientX - fromX, clientY - fromY) > SLIP;
    if (!slipped) return;
    move?.({ clientX, clientY }, clientX - x, clientY - y);
    [x, y] = [clientX, clientY];
  });
  on("pointerup", () => finish(true));
  // The browser has taken the gesture, as to scroll the page: nothing was moved.
  on("pointercancel", () => {
    if (slipped) move?.({ clientX: fromX, clientY: fromY }, fromX - x, fromY - y);
    finish(false);
  });
}

/** Where a pointer event lies in a node, in the node's own pixels, however large it is shown; and the pixels of the node's box.
 * @param {Element} node @param {{clientX: number, clientY: number}} event */
export function within(node, { clientX, clientY }) {
  const { left, top, width } = node.getBoundingClientRect();
  const times = node.clientWidth ? width / node.clientWidth : 1;
  return [(clientX - left) / times, (clientY - top) / times];
}

/** The one of `indices` nearest to {x, y} within `reach`, those in front first; `at(index)` is {x, y, front}; null for none.
 * @param {Iterable<number>} indices @param {(index: number) => Place & {front: boolean}} at @param {Place} place
 * @param {number} reach @returns {number | null} */
export function nearest(indices, at, { x, y }, reach) {
  /** @type {number | null} */ let found = null;
  let least = Infinity;
  for (const index of indices) {
    const own = at(index);
    const away = Math.hypot(own.x - x, own.y - y);
    const cost = own.front ? away : away + reach;
    if (away <= reach && cost < least) [found, least] = [index, cost];
  }
  return found;
}
