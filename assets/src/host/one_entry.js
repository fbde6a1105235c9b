const SOON = 20_000; // ms that the second of two entries takes at most
const ACTS = ["pointerdown", "keydown"]; // of a visitor

/** Makes one entry of the browser's history of what are two of Streamlit's, the first of which the visitor has never seen: Back
 * would go there. Where a page opens another one with settings, these are first at the old page's path. Where the menu opens a page
 * that remembers its settings, they come after the path alone, before the visitor has done anything there. */
export function mergeHistoryEntries() {
  if (Object.hasOwn(history, "pushState")) return;
  const push = history.pushState.bind(history);
  let settled = -Infinity; // when settings alone were pushed last
  let bare = false; // whether the path alone was pushed last, and nothing was done since
  for (const act of ACTS) addEventListener(act, () => bare = false, { capture: true, passive: true });
  history.pushState = (state, unused, url) => {
    const to = new URL(url ?? "", location.href);
    const [path, settings] = [to.pathname !== location.pathname, to.search !== location.search];
    const second = path ? !settings && to.search && performance.now() - settled < SOON : bare;
    settled = settings && !path ? performance.now() : -Infinity;
    bare = path && !to.search;
    if (second) history.replaceState(state, unused, url);
    else push(state, unused, url);
  };
}
