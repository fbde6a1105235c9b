// What pointers do on our drawings.

const SLIP = 4; // px that a pointer may move in a click
const REACH = { mouse: 14, pen: 16, touch: 22 }; // px from a point at which it is grasped

/** How far from a point (px) the pointer of an event grasps it. */
export function reachOf({ pointerType }) {
  return REACH[pointerType] ?? REACH.mouse;
}

/** A finger on a point drags it, anywhere else it scrolls the page. CSS cannot say so: touch-action needs a box. */
export function dragged(node, onPoint) {
  const touched = (event) => onPoint(event.changedTouches[0], REACH.touch) && event.preventDefault();
  node.addEventListener("touchstart", touched, { passive: false });
}

/**
 * Follows a pressed pointer until it is released: `move(event, dx, dy)` for every move (px) beyond a click, then `end()`,
 * or `click()` where it has not moved; `over()` is always called first.
 *
 * @param {any} down
 * @param {{move?: Function, end?: Function, click?: Function, over?: Function}} gesture
 */
export function follow(down, { move, end, click, over }) {
  let [x, y, slipped] = [down.clientX, down.clientY, false];
  const ending = new AbortController();
  const on = (type, act) => {
    const own = (event) => event.pointerId === down.pointerId && act(event);
    window.addEventListener(type, own, { signal: ending.signal });
  };
  const finish = (clicked) => {
    ending.abort();
    over?.();
    if (slipped) end?.();
    else if (clicked) click?.();
  };
  on("pointermove", (event) => {
    slipped ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > SLIP;
    if (!slipped) return;
    move?.(event, event.clientX - x, event.clientY - y);
    [x, y] = [event.clientX, event.clientY];
  });
  on("pointerup", () => finish(true));
  on("pointercancel", () => finish(false));
}

/** Where a pointer event lies in a node, in the node's own pixels, however large it is shown; and the pixels of the node's box. */
export function within(node, { clientX, clientY }) {
  const { left, top, width } = node.getBoundingClientRect();
  const times = node.clientWidth ? width / node.clientWidth : 1;
  return [(clientX - left) / times, (clientY - top) / times];
}

/** The one of `indices` nearest to {x, y} within `reach`, those in front first; `at(index)` is {x, y, front}; null for none. */
export function nearest(indices, at, { x, y }, reach) {
  let [found, least] = [null, Infinity];
  for (const index of indices) {
    const own = at(index);
    const away = Math.hypot(own.x - x, own.y - y);
    const cost = own.front ? away : away + reach;
    if (away <= reach && cost < least) [found, least] = [index, cost];
  }
  return found;
}
