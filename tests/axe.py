"""What axe-core finds on a page, run within the page itself; it and other libraries of tests are pinned in assets/build."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.served import ROOT

BUILD = ROOT / "assets" / "build"
GRAVE = ("serious", "critical")
COLOURS = ("color-contrast", "link-in-text-block")
RUN = """(options) => axe.run(document, options).then(({ violations }) => violations.map(
  ({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html, any }) => [html.slice(0, 240), any[0]?.message ?? ""]) })
))"""

# Streamlit fades what a run of the page has not drawn again yet; a fade has another contrast than what is read.
# For some frames on end: a page that has come to rest may be drawn once more by what it has asked for.
AT_REST = """() => {
  const rests = document.querySelector("[data-test-script-state=notRunning]")
    && !document.querySelector("[data-stale=true], [aria-label='being drawn']")
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


def grave(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """The serious and critical findings on what the page shows now, a line for each node; of some ``rules``, or all."""
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(library("axe-core/axe.min.js"))
    page.wait_for_function(AT_REST)
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found: list[dict[str, Any]] = page.evaluate(RUN, options)
    return [
        f"{rule['id']}: {reason} {html}" for rule in found if rule["impact"] in GRAVE for html, reason in rule["nodes"]
    ]
