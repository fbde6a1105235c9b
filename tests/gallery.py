"""The pictures of the gallery and of the README, made from the figures' recipes: ``python -m tests.gallery [NAME ...]``."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from dml_viz.explain.gallery import GALLERY, Entry
from dml_viz.explain.gallery.recorded import FOLDER, THEMES, data, files, picture, recorded
from dml_viz.export.headless import Component, component, prepare
from dml_viz.export.remake import Workshop, remade
from tests import chromium
from tests.served import ROOT

WIDTH, QUALITY = 560, 0.82  # px of a picture in the gallery, and how well it is kept
DRAWN, TALLEST = 460, 360  # px of a figure as it is drawn for that, small so that its words are large
README = ROOT / "assets" / "screenshots"
SIZE: ViewportSize = {"width": 1440, "height": 1200}
LONGEST_RUN = 180_000  # ms
# What every component is given, or what differs from visit to visit, is not the figure's own.
SHARED = ("palette", "signature", "ink", "faint", "revision", "heard", "url")
# Chrome reads the fonts within an SVG only after it has said that the picture is decoded: it is drawn until nothing changes.
TO_WEBP = """async ([address, width, quality]) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, Math.round((width * image.height) / image.width)];
  const pen = canvas.getContext("2d");
  let [last, alike] = ["", 0];
  while (alike < 5) {
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    const now = canvas.toDataURL("image/webp", quality);
    alike = now === last ? alike + 1 : 0;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  return last;
}"""


def own(made: Component) -> dict[str, Any]:
    """What is recorded of a component: what draws it and its own data; of a live picture which recording it plays."""
    if made.module == "live":
        played = hashlib.sha256(made.data["url"].encode()).hexdigest()[:16]
        return {
            "module": "live",
            "data": {
                "layout": made.data["layout"],
                "recipe": {key: value for key, value in made.data["recipe"].items() if key != "formats"},
                "played": played,
            },
        }
    shown = {key: value for key, value in made.data.items() if key not in SHARED}
    shown["recipe"].pop("formats")
    return {"module": made.module, "data": shown}


def quietly(step: int, steps: int) -> None:
    """No bar."""


def make(entry: Entry, workshop: Workshop, page: Page) -> None:
    """Record the entry's data and make its pictures."""
    made = component(entry.spec, quietly)
    data(entry).write_text(json.dumps(own(made), separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
    recorded.cache_clear()
    keep(entry, workshop)
    size = {"width": DRAWN, "height": min(made.data.get("height", TALLEST), entry.tall or TALLEST)}
    for theme in THEMES:
        ((_, body),) = remade(replace(entry.spec, theme=theme, size=size), ["svg"], workshop, scale=1, progress=quietly)
        address = f"data:image/svg+xml;base64,{base64.b64encode(body).decode()}"
        small = page.evaluate(TO_WEBP, [address, WIDTH, QUALITY])
        picture(entry, theme).write_bytes(base64.b64decode(small.partition(",")[2]))


def keep(entry: Entry, workshop: Workshop) -> None:
    """Make the files of a live picture, which the gallery hands out as they are."""
    wanted = files(entry)
    if wanted:
        made = remade(entry.spec, list(wanted), workshop, scale=2, progress=quietly)
        for path, (_, body) in zip(wanted.values(), made, strict=True):
            path.write_bytes(body)


def train(page: Page) -> None:
    """A run on digits, trained to the end of its budget."""
    page.goto("/train")
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator("[data-status=done]").wait_for(timeout=LONGEST_RUN)


def fastap(page: Page) -> None:
    """FastAP on the points of a scene."""
    page.goto("/fastap")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()


def gallery(page: Page) -> None:
    """The gallery itself."""
    page.goto("/gallery")
    page.locator(".dml-card img").last.wait_for()


SHOTS: dict[str, Callable[[Page], None]] = {"train-page": train, "fastap-page": fastap, "gallery-page": gallery}


def shoot(names: Sequence[str]) -> None:
    """The README's pictures, taken from the running app."""
    README.mkdir(parents=True, exist_ok=True)
    with chromium.beside_the_app() as (browser, url):
        for name in names:
            with browser.new_context(base_url=url, viewport=SIZE, color_scheme="light") as context:
                page = context.new_page()
                SHOTS[name](page)
                expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
                page.wait_for_load_state("networkidle")
                page.mouse.move(0, 0)
                page.screenshot(path=README / f"{name.removesuffix('-page')}.png")
                print(README.name, name)


def main(names: Sequence[str]) -> int:
    """Makes those named, or all: the gallery's pictures first, as the README shows them."""
    known = {entry.name: entry for entry in GALLERY}
    if unknown := set(names) - set(known) - set(SHOTS):
        print(
            f"{', '.join(sorted(unknown))}: no such picture; there are {', '.join((*known, *SHOTS))}", file=sys.stderr
        )
        return 2
    wanted = [entry for entry in GALLERY if entry.name in names or not names]
    FOLDER.mkdir(parents=True, exist_ok=True)
    if wanted:
        prepare()
        with ExitStack() as stack:
            workshop = Workshop(stack)
            workshop.serve()
            browser = chromium.launch(stack.enter_context(sync_playwright()))
            if browser is None:
                sys.exit(chromium.HOW_TO_GET_ONE)
            page = browser.new_page()
            for entry in wanted:
                make(entry, workshop, page)
                print(FOLDER.name, entry.name)
    if shots := [name for name in SHOTS if name in names or not names]:
        shoot(shots)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
