/** Whether the page runs: a report then breaks the run off, and is sent with the settings from before the run. */
export function scriptRunning() {
  return document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "running";
}

/** Whether the page has its server. */
export function connected() {
  return Boolean(document.querySelector("[data-test-connection-state=CONNECTED]"));
}

/** The selector of what Python has given a key. @param {string} key */
export function keyed(key) {
  return `.st-key-${key}`;
}

/** The node that holds what the page shows, as high as that is. */
export function contents() {
  return document.querySelector("[data-testid=stMainBlockContainer]") ?? document.body;
}
