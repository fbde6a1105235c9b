"""How fast a file without a server opens and follows a drag (``python -m benchmarks.lesson_file``).

Each file is opened from the disk in a browser that has not opened it before, and a point of its scene is dragged around for some
seconds, with a move in every frame. "first" is the time from the request until the picture is painted, "frames" are painted in a
second while a point is dragged, "late" is the share of frames that took more than two, and "CPU ms" what the page's thread
computes for a frame, which hardly depends on what else the machine does.
"""

import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from dml_viz.export.command_host import CommandHost
from dml_viz.export.lesson_file import LIVE
from dml_viz.export.lesson_stations import LessonResources
from dml_viz.export.take import lesson_file_of_link
from tests import chromium
from tests.programs import CHROMIUM

LINKS = (*LIVE, "first")
TIMES, SECONDS = 3, 4.0
WITHIN, WANTED = 1.0, 55.0  # seconds until the first picture, and frames a second
# The time when a picture is first painted: two frames after its outline is there.
PAINTED = """() => new Promise((done) => {
  const look = () => document.querySelector(".dml-scene-outline, .dml-live canvas, .dml-live svg")
    ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look);
  look();
})"""
DRAG = """(seconds) => new Promise((done) => {
  const point = document.querySelector(".dml-scene-points [data-handle]");
  const box = document.querySelector(".dml-scene-outline").getBoundingClientRect();
  const [x, y, r] = [box.x + box.width / 2, box.y + box.height / 2, box.width / 2];
  const at = (angle) => ({ clientX: x + r * Math.cos(angle), clientY: y - r * Math.sin(angle) });
  const send = (type, angle) => point.dispatchEvent(new PointerEvent(type,
    { ...at(angle), pointerId: 1, isPrimary: true, button: 0, buttons: 1, bubbles: true, cancelable: true }));
  const first = point.getBoundingClientRect();
  const begun = Math.atan2(y - first.y - first.height / 2, first.x + first.width / 2 - x);
  send("pointerdown", begun);
  const times = [];
  const frame = (now) => {
    times.push(now);
    if (now - times[0] > 1000 * seconds) {
      send("pointerup", begun);
      return done(times.slice(1).map((time, k) => time - times[k]));
    }
    send("pointermove", begun + (now - times[0]) / 1000);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""


def measured(browser: Browser, path: Path) -> tuple[float, list[float], float]:
    """The seconds until a file's first picture, and of a drag the milliseconds of each frame and the CPU's; none of a run."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(path.as_uri(), wait_until="commit")
    first = page.evaluate(PAINTED) / 1000
    frames: list[float] = []
    cpu = 0.0
    if page.locator(".dml-scene-points").count():
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

        def busy() -> float:
            metrics = devtools.send("Performance.getMetrics")["metrics"]
            return next(1000 * float(each["value"]) for each in metrics if each["name"] == "TaskDuration")

        cpu = -busy()
        frames = page.evaluate(DRAG, SECONDS)
        cpu += busy()
    page.close()
    return first, frames, cpu


def main() -> int:
    """Print a line for each file; the exit code is 1 if one is slower than it should be."""
    slow = 0
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack, sync_playwright() as playwright:
        host = CommandHost(stack)
        print(f"{'file':14}{'kB':>7}{'first s':>9}{'frames/s':>10}{'late':>8}{'CPU ms':>8}")
        for link in LINKS:
            path = Path(name) / f"{link}.html"
            path.write_bytes(lesson_file_of_link(link, host, LessonResources()))
            firsts, frames, computed = [], [], 0.0
            for _ in range(TIMES):
                # A browser of its own, which has compiled nothing yet.
                browser = chromium.launch(playwright)
                if browser is None:
                    print(CHROMIUM.advice, file=sys.stderr)
                    return 1
                first, of_drag, cpu = measured(browser, path)
                browser.close()
                firsts.append(first)
                frames += of_drag
                computed += cpu
            rate = 1000 / statistics.mean(frames) if frames else None
            late = sum(frame > 2 * 1000 / 60 for frame in frames) / len(frames) if frames else 0
            slow += statistics.median(firsts) > WITHIN or (rate or WANTED) < WANTED
            shown = f"{rate:10.1f}{late:8.1%}{computed / len(frames):8.1f}" if rate else ""
            print(f"{link:14}{path.stat().st_size / 1000:7.0f}{statistics.median(firsts):9.2f}{shown}", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
