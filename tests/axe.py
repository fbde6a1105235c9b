"""The findings of axe-core, run within a page; it and other libraries of tests are pinned in assets/build."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.served import ROOT
from tests.waiting import rest_of

BUILD = ROOT / "assets" / "build"
GRAVE = ("serious", "critical")
# The menu of a phone is Streamlit's own.
RUN = """(options) => axe.run({ exclude: ["[data-testid=stSidebar]"] }, options).then(({ violations }) => violations.map(
  ({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html, any }) => [html.slice(0, 240), any[0]?.message ?? ""]) })
))"""


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
        rest_of(page)
    options = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in without}}
    found: list[dict[str, Any]] = page.evaluate(RUN, options)
    return [f"{rule['id']}: {reason} {html}" for rule in found if rule["impact"] in GRAVE for html, reason in rule["nodes"]]
