"""A visitor's own rows in a browser: how soon they are drawn and scored, how many frames a second, how soon pointing answers.

Of 50,000 x 512 rows: seconds from the moment that the file is read to the plane, R@K, exact mAP and the neighbour map, and the
most memory of the processes that work on them, while another visitor moves a slider. Of 5,000 and 50,000 rows: frames a second
while points are zoomed and a sphere is turned, and ms from a pointer's move until the row's words are painted. Names after the
command pick: ``python -m benchmarks.own_rows work drawing``.
"""

import io
import re
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import numpy as np
import psutil
from playwright.sync_api import Browser, FilePayload, Page, expect, sync_playwright

from benchmarks.slider import SUBJECTS, repaints
from tests import chromium
from tests.served import Server, serving

WITHIN = {"plane": 15.0, "R@K": 30.0, "mAP and MAP@R": 90.0, "neighbour map": 120.0}  # seconds after the file is read
MEMORY = 2 << 30  # bytes of a process that works on rows
FRAMES = {5_000: 55.0, 50_000: 20.0}  # frames a second at least, by rows
POINTING = 50.0  # ms at most, at the median
SECONDS = 4.0  # of a movement
POINTS = 30  # pointers' moves
PATIENCE = 1_800_000.0  # ms
SLIDER = "FastAP, a scene"

TURN = """async (seconds) => {
  const disc = document.querySelector(".dml-disc");
  const { left, top, width, height } = disc.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  const send = (type, node, at) => node.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, bubbles: true, buttons: 1, button: type === "pointermove" ? -1 : 0, clientX: at.x, clientY: at.y,
  }));
  const wheel = (k) => disc.dispatchEvent(new WheelEvent("wheel", {
    ctrlKey: true, bubbles: true, cancelable: true, clientX: x, clientY: y, deltaY: Math.floor(k / 25) % 2 ? 60 : -60,
  }));
  const solid = disc.classList.contains("dml-solid");
  if (solid) send("pointerdown", disc, { x, y });
  const from = performance.now();
  const before = Number(disc.dataset.drawn);
  for (let k = 1; performance.now() - from < 1000 * seconds; k += 1) {
    if (solid) send("pointermove", window, { x: x + 80 * Math.sin(k / 9), y: y + 40 * Math.sin(k / 13) });
    else wheel(k);
    await new Promise(requestAnimationFrame);
  }
  const took = (performance.now() - from) / 1000;
  if (solid) send("pointerup", window, { x, y });
  return (Number(disc.dataset.drawn) - before) / took;
}"""
POINT = """async (count) => {
  const disc = document.querySelector(".dml-disc");
  const { left, top, width, height } = disc.getBoundingClientRect();
  const [words, took] = [disc.querySelector(".dml-tooltip"), []];
  let before = words.textContent;
  for (let k = 0; took.length < count && k < 40 * count; k += 1) {
    const [x, y] = [0.618, 0.414].map((step) => 0.3 + 0.4 * ((k * step) % 1));
    const at = { clientX: left + width * x, clientY: top + height * y };
    const from = performance.now();
    disc.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse", ...at }));
    if (words.hidden || words.textContent === before) continue;
    before = words.textContent;
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    took.push(performance.now() - from);
  }
  return took;
}"""


def rows(n: int, dim: int, classes: int) -> FilePayload:
    """A file of ``n`` rows of ``dim`` dimensions in classes that overlap."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    families = rng.standard_normal((classes // 10 + 1, dim))[np.arange(classes) // 10]
    z = (0.6 * rng.standard_normal((classes, dim)) + families)[y] + 2.2 * rng.standard_normal((n, dim))
    content = io.BytesIO()
    np.savez(content, z=z.astype(np.float32), y=y)
    return {"name": f"{n}x{dim}.npz", "mimeType": "application/zip", "buffer": content.getvalue()}


class Memory(Thread):
    """The most resident memory of any process that ``server`` starts for rows, and of the server, until `stop`."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self._server, self._stopped = server, Event()
        self.child = self.server = 0
        self.start()

    def run(self) -> None:
        """Look at the processes twenty times a second."""
        server = psutil.Process(self._server.pid)
        while not self._stopped.wait(0.05):
            with suppress(psutil.Error):
                self.server = max(self.server, server.memory_info().rss)
                children = [child for child in server.children() if "_child.py" in " ".join(child.cmdline())]
                self.child = max([self.child, *(child.memory_info().rss for child in children)])

    def stop(self) -> None:
        """Stop looking."""
        self._stopped.set()
        self.join()


def drop(page: Page, file: FilePayload) -> None:
    """Drop ``file`` on the page of own data, by its path, as it may be large."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, file["name"])
        path.write_bytes(file["buffer"])
        page.goto("/your_data")
        page.locator("input[type=file]").first.set_input_files(path)
        expect(page.locator("figcaption", has_text=file["name"])).to_be_visible()
        expect(page.locator(".dml-disc[data-drawn]")).to_have_count(1)


def work(server: Server, browser: Browser) -> int:
    """Print when each stage of 50,000 x 512 rows is there; return how many are late or take too much memory."""
    file, failed = rows(50_000, 512, 1_000), 0
    with browser.new_context(base_url=server.url) as other:
        alone = statistics.median(repaints(other.new_page(), *SUBJECTS[SLIDER])[0])
    with browser.new_context(base_url=server.url) as context, browser.new_context(base_url=server.url) as other:
        page, memory = context.new_page(), Memory(server)
        page.add_init_script(
            """addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
              window.read ??= document.body.innerText.includes("Placing") ? performance.now() : undefined;
            }).observe(document.body, { childList: true, subtree: true, characterData: true }));"""
        )
        drop(page, file)

        def passed(stage: str) -> None:
            nonlocal failed
            seconds = page.evaluate("() => (performance.now() - window.read) / 1000")
            failed += seconds > WITHIN[stage]
            print(f"50,000 x 512  {stage:14} {seconds:6.1f} s  of {WITHIN[stage]:g}", flush=True)

        passed("plane")
        expect(page.get_by_text(re.compile(r"R@1 0\.\d|The metrics count every row")).first).to_be_visible()
        passed("R@K")
        moves = repaints(other.new_page(), *SUBJECTS[SLIDER])[0]  # while the rows are ranked
        expect(page.get_by_role("heading", name="The metrics count every row")).to_be_visible()
        passed("mAP and MAP@R")
        expect(page.locator("figcaption", has_text="a neighbour map")).to_be_visible()
        passed("neighbour map")
        memory.stop()
    failed += memory.child > MEMORY
    print(
        f"most memory: {memory.child >> 20} MB of a process for rows, of {MEMORY >> 20}; {memory.server >> 20} MB of the server"
    )
    print(f"another visitor's slider: {statistics.median(moves):.0f} ms meanwhile, {alone:.0f} ms alone (medians)")
    return failed


def drawing(server: Server, browser: Browser) -> int:
    """Print frames a second and ms of pointing; return how many are not as they should be."""
    failed = 0
    for n, least in FRAMES.items():
        for dim, verb in ((8, "zoomed"), (3, "turned")):
            with browser.new_context(base_url=server.url, viewport={"width": 1366, "height": 768}) as context:
                page = context.new_page()
                drop(page, rows(n, dim, 200))
                stop = page.get_by_role("button", name="Stop the work")
                for button in stop.all():
                    button.click(timeout=5_000)
                page.locator(".dml-disc").scroll_into_view_if_needed()
                rate, took = page.evaluate(TURN, SECONDS), page.evaluate(POINT, POINTS)
            pointing = statistics.median(took)
            failed += (rate < least) + (pointing > POINTING)
            print(
                f"{n:6,} rows {verb}: {rate:5.1f} frames/s of {least:g}, pointing {pointing:4.0f} ms of {POINTING:g}", flush=True
            )
    return failed


def main(names: Sequence[str]) -> int:
    """Print what is named, or everything; return how many figures miss their target."""
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder, "log")) as server, sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        if browser is None:
            print("no Chromium", file=sys.stderr)
            return 1
        parts = {"work": work, "drawing": drawing}
        return sum(parts[name](server, browser) for name in names or parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
