const SLIP = 4; // px that a pointer may slip in a click

/**
 * Follows a pressed pointer until it is let go: `move(event, dx, dy)` for every move (px) once it has slipped, then `end()`,
 * or `click()` where it has not slipped; `over()` comes first, in any case.
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
