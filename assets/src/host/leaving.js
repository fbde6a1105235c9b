const [LINK, OTHER] = [10_000, 1000]; // ms in which a page begins at most: by a link; by a button or the history
const AGAIN = 50; // ms to the next look

/** @type {{path?: string, until: number} | null} */
let left = null; // the path at which the visitor chose another page, and until when that page may begin
/** @type {{host: Element, act: () => void}[]} */ const waiting = []; // in the order in which they were asked for

/** Notes from now on when the visitor leaves the page by a link, may leave it by a button, or goes back or forward. */
export function watchLeaving() {
  if (left) return;
  left = { until: -Infinity };
  /** @param {number} within */ const note = (within) => left = { path: location.pathname, until: performance.now() + within };
  addEventListener("popstate", () => note(OTHER));
  addEventListener("click", (event) => {
    const element = /** @type {Element} */ (event.target);
    if (element.closest?.("[data-testid^=stBaseButton]")) note(OTHER);
    const link = /** @type {HTMLAnchorElement} */ (element.closest?.("a[href]:not([target=_blank])"));
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.origin === location.origin && link.pathname !== location.pathname) note(LINK);
  }, true);
}

/** Calls `act` now; if the visitor has just chosen another page, as soon as that page is late, after all that waits already, and
 * never once `host` is gone. For each value that a component sends, Streamlit runs the page that it shows: until another page has
 * begun, that is still the old one, and the visitor would stay there.
 * @param {Element} host @param {() => void} act */
export function unlessLeaving(host, act) {
  if (!waiting.length && !isLeaving()) return act();
  if (!waiting.length) setTimeout(callWaiting, AGAIN);
  waiting.push({ host, act });
}

function isLeaving() {
  return left && performance.now() <= left.until && location.pathname === left.path;
}

function callWaiting() {
  const here = waiting.splice(0).filter(({ host }) => host.isConnected);
  if (!isLeaving()) return here.forEach(({ act }) => act());
  waiting.push(...here);
  if (here.length) setTimeout(callWaiting, AGAIN);
}
