/** Whether the page runs: what is reported then cuts the run short, and comes with the settings of before the run. */
export function runs() {
  return document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "running";
}

/** Whether the page has its server. */
export function connected() {
  return Boolean(document.querySelector("[data-test-connection-state=CONNECTED]"));
}
