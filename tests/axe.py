"""The findings of axe-core, run within a page; it and other libraries of tests are pinned in assets/build."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.served import ROOT

BUILD = ROOT / "assets" / "build"
GRAVE = ("serious", "critical")
# The menu of a phone is Streamlit's own.
RUN = """(options) => axe.run({ exclude: ["[data-testid=stSidebar]"] }, options).then(({ violations }) => violations.map(
  ({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html, any }) => [html.slice(0, 240), any[0]?.message ?? ""]) })
))"""

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
# For some frames on end: a page at rest may rerun once more after a request of its own. A fragment that is gone
# does not run.
AT_REST = """() => {
  const asked = performance.now() - (window.dmlAsked ?? -Infinity) < 20_000;
  const rests = !asked && document.querySelector("[data-test-script-state=notRunning]")
    && ![...document.querySelectorAll("[data-stale=true], [aria-label='being drawn'], [aria-busy=true]")]
      .some((one) => one.checkVisibility())
    && !document.getAnimations().some((one) => one instanceof CSSTransition && one.playState === "running");
  window.framesAtRest = rests ? (window.framesAtRest ?? 0) + 1 : 0;
  return window.framesAtRest > 15 && !(window.framesAtRest = 0);
}"""


@cache
def library(path: str) -> str:
    """A script or style of a pinned library, by its path among them; installed where it is not yet."""
    file = BUILD / "node_modules" / path
    if not file.exists():
        deno = Path(sys.executable).with_name("deno")
        subprocess.run([deno, "install", "--quiet", "--frozen"], cwd=BUILD, check=True)
    return file.read_text(encoding="utf-8")


def grave(page: Page, *, without: tuple[str, ...] = (), rests: bool = True) -> list[str]:
    """The serious and critical findings on the page as it is, a line for each node, ``without`` those of some rules.

    A page of Streamlit is waited for until it ``rests``.
    """
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(library("axe-core/axe.min.js"))
    if rests:
        page.wait_for_function(AT_REST)
    options = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in without}}
    found: list[dict[str, Any]] = page.evaluate(RUN, options)
    return [f"{rule['id']}: {reason} {html}" for rule in found if rule["impact"] in GRAVE for html, reason in rule["nodes"]]
