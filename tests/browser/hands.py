"""When a scene in the hand has come to rest."""

from __future__ import annotations

from playwright.sync_api import Page

PAINTED = "() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))"
LINKED = """(setting) => {
  const { scene, moving } = document.querySelector(".dml-hand").dataset;
  return moving === "false" && new URL(location.href).searchParams.get(setting) === scene;
}"""


def painted(page: Page) -> None:
    """Wait until what has been done by now is on the screen."""
    page.evaluate(PAINTED)


def at_rest(page: Page, setting: str) -> None:
    """Wait until the scene as it stands is in the link, as ``setting``."""
    painted(page)
    page.wait_for_function(LINKED, arg=setting)
