const SOON = 20_000; // ms that the second of two entries takes at most

/** Makes one entry of the browser's history of what are two of Streamlit's when a page opens another one with settings: the new
 * settings at the old page's path, then the new path. Back would go to the first, which the visitor has never seen. */
export function mergeHistoryEntries() {
  if (Object.hasOwn(history, "pushState")) return;
  const push = history.pushState.bind(history);
  let settled = -Infinity; // when settings alone were pushed last
  history.pushState = (state, unused, url) => {
    const to = new URL(url ?? "", location.href);
    const [path, settings] = [to.pathname !== location.pathname, to.search !== location.search];
    const second = path && !settings && to.search && performance.now() - settled < SOON;
    settled = settings && !path ? performance.now() : -Infinity;
    if (second) history.replaceState(state, unused, url);
    else push(state, unused, url);
  };
}
