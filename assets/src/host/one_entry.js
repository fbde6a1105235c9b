const SOON = 20_000; // ms that a page with its settings takes to open at most
// Settings that say which run is on a page and at which of its steps; a step of a scene, such as proxies.step, is a visitor's.
const PROGRESS = /^(step|(race|fork|together)\.step|(live|race|fork|together|sweep)\.run)$/;
const ACTS = ["pointerdown", "keydown", "click", "input", "change", "drop"]; // of a visitor

/** Makes one entry of the browser's history of all that follows from one act of the visitor, who has never seen what is between:
 * Back would go there. A page that opens, or a run that ends, writes settings to its address by itself; and where a page opens
 * another one with settings, these are first at the old page's path. A step that is looked at is no entry of its own. */
export function mergeHistoryEntries() {
  if (Object.hasOwn(history, "pushState")) return;
  const push = history.pushState.bind(history);
  let acted = false; // since the last entry
  let settled = -Infinity; // when settings alone were pushed last
  for (const act of ACTS) addEventListener(act, () => acted = true, { capture: true, passive: true });
  addEventListener("popstate", () => acted = false); // what follows belongs to the entry gone back to
  history.pushState = (state, unused, url) => {
    const to = new URL(url ?? "", location.href);
    const [path, settings] = [to.pathname !== location.pathname, to.search !== location.search];
    const second = path && !settings && to.search && performance.now() - settled < SOON;
    const same = !path && chosen(to) === chosen(location);
    settled = settings && !path ? performance.now() : -Infinity;
    if (acted && !second && !same) push(state, unused, url);
    else history.replaceState(state, unused, url);
    acted = false;
  };
}

/** The settings in an address but those of a run's progress, as text. @param {{search: string}} address */
function chosen({ search }) {
  return JSON.stringify([...new URLSearchParams(search)].filter(([name]) => !PROGRESS.test(name)).sort());
}
