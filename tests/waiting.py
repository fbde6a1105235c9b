"""Waiting in a page, by a timer: Playwright looks at each repaint, and so makes the page paint all the time."""

from typing import Any

from playwright.sync_api import Frame, JSHandle, Page

EVERY = 50  # ms between two looks

# Records a page's request to run until the run begins: field 11 of a message sent, field 4 of one received.
ASKS = """{
  const has = (data, wanted) => {
    const bytes = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
    let at = 0;
    const number = () => {
      const byte = bytes[at++];
      return byte < 128 ? byte : byte - 128 + 128 * number();
    };
    while (at < bytes.length) {
      const [field, kind] = [bytes[at] >> 3, number() & 7];
      if (field === wanted) return true;
      const length = kind === 2 ? number() : kind === 0 ? 0 * number() : kind === 1 ? 8 : 4;
      at += length;
    }
    return false;
  };
  const { send } = WebSocket.prototype;
  const known = new WeakSet();
  WebSocket.prototype.send = function (data) {
    if (this.url.includes("/_stcore/stream") && typeof data === "object") {
      if (!known.has(this)) this.addEventListener("message", ({ data }) => has(data, 4) && (window.dmlAsked = null));
      known.add(this);
      if (has(data, 11)) window.dmlAsked = performance.now();
    }
    return send.call(this, data);
  };
}"""
# Streamlit fades elements that the current run has not drawn yet, which changes their contrast.
# A few times on end: a page at rest may rerun once more after a request of its own. A fragment that is gone does not run.
AT_REST = """() => {
  const asked = performance.now() - (window.dmlAsked ?? -Infinity) < 20_000;
  const rests = !asked && document.querySelector("[data-test-script-state=notRunning]")
    && ![...document.querySelectorAll("[data-stale=true], [aria-label='being drawn'], [aria-busy=true]")]
      .some((one) => one.checkVisibility())
    && !document.getAnimations().some((one) => one instanceof CSSTransition && one.playState === "running");
  window.timesAtRest = rests ? (window.timesAtRest ?? 0) + 1 : 0;
  return window.timesAtRest > 5 && !(window.timesAtRest = 0);
}"""


def holds(page: Page | Frame, script: str, arg: Any = None, timeout: float | None = None) -> JSHandle:
    """What ``script`` gives in the page, once that is true; TimeoutError after ``timeout`` ms, or the page's own."""
    return page.wait_for_function(script, arg=arg, timeout=timeout, polling=EVERY)


def rest_of(page: Page, timeout: float | None = None) -> None:
    """Wait until the page does not run, will not run and does not move."""
    holds(page, AT_REST, timeout=timeout)
