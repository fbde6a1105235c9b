"""How fast the browser draws live runs: updates per second, blank frames, zoom (``python -m benchmarks.live``).

Three pictures, each fed by a stream that offers ten frames a second over the real message format: the live picture with its
seven panels, 500 points watched, on the circle and of 64 dimensions in a neighbour map of one half of them; and six embeddings of
500 points each, every one with a stream of its own. Every frame that
the browser paints is checked: one where a trace lacks the line or the marks of its data is blank. One chart is zoomed first and
its axis compared at the end. "ms each" is the processor time of the page's main thread for one update of one picture.
"""

import asyncio
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from dml_viz.data.wire import pack
from dml_viz.embedding.neighbour_map import whole_numbers
from dml_viz.engine.messages import VERSION
from dml_viz.plot.style import palette
from dml_viz.serve.files import file_routes
from tests import chromium
from tests.curves import LACKING
from tests.programs import CHROMIUM

WATCHED, CLASSES, SIDE, NEAR = 500, 10, 8, 8
DIM, KEYS = 64, 8  # dimensions of a neighbour map, and frames from key frame to key frame
OFFERED = 10.0  # frames per second
KINDS = 60  # frames made beforehand, which then repeat
SECONDS = 10.0
EVERY, BUDGET = 10, 100_000
WANTED = 9.0
COLUMNS = ("loss", "active", "grad", "map.seen", "map.unseen", "r1.seen", "r1.unseen", "mapr.seen", "mapr.unseen")

DOCUMENT = """<!doctype html><meta charset="utf-8"><body style="margin: 8px"><div id="all"></div><script type="module">
import { mount } from "/live-assets/1/src/components/live.js";
const pictures = %s;
for (const data of pictures) {
  const parentElement = document.createElement("div");
  document.getElementById("all").append(parentElement);
  mount({ data, parentElement, setStateValue() {}, setTriggerValue() {} });
}
document.getElementById("all").style = pictures.length > 1 ? "display: grid; grid-template-columns: repeat(3, 1fr)" : "";
</script>"""

WATCH = f"""() => {{
  const charts = document.querySelectorAll(".js-plotly-plot").length;
  const lacking = {LACKING};
  const pictures = [...document.querySelectorAll(".dml-live")];
  const seen = pictures.map(() => new Set());
  window.watched = {{ charts, painted: 0, blank: 0, seen }};
  const look = () => {{
    watched.painted += 1;
    if (lacking().length) watched.blank += 1;
    pictures.forEach((picture, k) => seen[k].add(picture.dataset.step));
    requestAnimationFrame(look);
  }};
  requestAnimationFrame(look);
}}"""

RESULT = "() => ({ ...watched, seen: watched.seen.map((steps) => steps.size) })"
RANGES = """() => [...document.querySelectorAll(".js-plotly-plot")].map((chart) => chart._fullLayout.xaxis.range.map(String))"""


class Run:
    """Points that drift on the circle or in ``dim`` dimensions, with all that a frame shows of them."""

    def __init__(self, dim: int) -> None:
        self._dim = dim
        rng = np.random.default_rng(0)
        self._y = np.repeat(np.arange(CLASSES), WATCHED // CLASSES).astype(np.uint8)
        self._images = rng.integers(0, 256, (WATCHED, SIDE, SIDE), dtype=np.uint8)
        self._rows = rng.random((BUDGET // EVERY, 1 + len(COLUMNS)), dtype=np.float32)
        self._rows[:, 0] = np.arange(0, BUDGET, EVERY)
        drift = np.cumsum(rng.normal(0, 0.03, (KINDS, WATCHED)), 0)
        self._angles = 2 * np.pi * self._y / CLASSES + rng.normal(0, 0.3, WATCHED) + drift
        self._arrays = [self._shown(rng, angles) for angles in self._angles]
        if dim > 3:
            centres, spread, way = (rng.normal(size=(size, dim)) for size in (CLASSES, WATCHED, WATCHED))
            for kind, arrays in enumerate(self._arrays):
                arrays["0.points"] = whole_numbers(2 * centres[self._y] + spread + kind / KINDS * way)

    def _shown(self, rng: np.random.Generator, angles: np.ndarray) -> dict[str, np.ndarray]:
        curve = np.stack((np.linspace(0, 1, 100), np.linspace(1, 0.3, 100)), 1).astype(np.float32)
        arrays: dict[str, np.ndarray] = {
            f"0.hist.{sign}.{g}": rng.random(40, dtype=np.float32) for sign in ("pos", "neg") for g in ("seen", "unseen")
        }
        arrays |= {"0.pr.seen": curve, "0.pr.unseen": curve, "0.near": rng.integers(0, WATCHED, (WATCHED, NEAR), dtype=np.uint16)}
        arrays |= {f"0.spectrum.{g}": np.array((0.6, 0.4), np.float32) for g in ("seen", "unseen")}
        return arrays | {"0.view": np.stack((np.cos(angles), np.sin(angles)), 1).astype(np.float32)}

    def subject(self, unseen: int) -> bytes:
        """The subject, of which every ``unseen``-th point is of an unseen class."""
        names = [f"class {c}" for c in range(CLASSES)]
        header = {
            "version": VERSION,
            "kind": "subject",
            "run": "bench",
            "title": "points on a circle",
            "members": [{}],
            "seeds": 1,
            "budget": BUDGET,
            "every": EVERY,
            "dim": self._dim,
            "classes": names,
            "trained": [],
        }
        mask = (np.arange(WATCHED) % unseen == 0).astype(np.uint8)
        return pack(header, {"y": self._y, "unseen": mask, "images": self._images})

    def frame(self, place: int, first: int) -> bytes:
        """The ``place``-th frame, with the curve rows from the ``first``-th on."""
        header = {
            "version": VERSION,
            "kind": "frame",
            "members": [{"notes": [], "key": self._dim > 3 and place % KEYS == 0, "after": self._key_before(place) * EVERY}],
            "step": place * EVERY,
            "latest": place * EVERY,
            "status": "running",
            "budget": BUDGET,
        }
        rows = self._rows[first : place + 1]
        return pack({**header, "columns": COLUMNS}, {**self._arrays[place % KINDS], "rows": rows})

    def points(self, after: int, before: int) -> bytes:
        """The points of the key frames between two steps."""
        places = [place for place in range(0, BUDGET // EVERY, KEYS) if after < place * EVERY < before]
        header = {"version": VERSION, "kind": "points", "steps": [[place * EVERY for place in places]]}
        return pack(
            header, {"0.points": np.stack([self._arrays[place % KINDS]["0.points"] for place in places])} if places else {}
        )

    @staticmethod
    def _key_before(place: int) -> int:
        return (place - 1) // KEYS * KEYS if place else -1


def application() -> Starlette:
    """Pages of one or six pictures, their scripts, and a stream that offers frames at a fixed pace."""
    runs, began = {dim: Run(dim) for dim in (2, DIM)}, time.monotonic()

    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        with suppress(WebSocketDisconnect):
            while True:
                question = json.loads(await socket.receive_text())
                run = runs[int(socket.path_params["dim"])]
                if question["want"] == "points":
                    await socket.send_bytes(run.points(question["after"], question["step"]))
                    continue
                if question["want"] == "subject":
                    await socket.send_bytes(run.subject(int(socket.path_params["unseen"])))
                    continue
                after = question["after"] // EVERY
                due = began + (after + 1) / OFFERED
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                await socket.send_bytes(run.frame(int((time.monotonic() - began) * OFFERED), question["rows"]))

    def document(request: Request) -> HTMLResponse:
        many, dim = int(request.query_params["pictures"]), request.query_params["dim"]
        look = {"mode": "live", "palette": palette(), "theme": "light", "layout": "train" if many == 1 else "embedding"}
        data = [{**look, "picture": "map", "url": f"/live/{k}/{2 if many == 1 else 1}/{dim}"} for k in range(many)]
        return HTMLResponse(DOCUMENT % json.dumps(data))

    return Starlette(routes=[Route("/", document), WebSocketRoute("/live/{run}/{unseen}/{dim}", stream), *file_routes()])


@contextmanager
def serving() -> Iterator[str]:
    """The address of the pages, served from a thread."""
    server = uvicorn.Server(uvicorn.Config(application(), port=0, log_level="error", ws_max_size=2**26))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def measure(browser: Browser, url: str, pictures: int, dim: int = 2) -> dict[str, Any]:
    """Draw for some seconds; return a report."""
    with browser.new_context(viewport={"width": 1366, "height": 1000}) as context:
        page = context.new_page()
        page.goto(f"{url}/?pictures={pictures}&dim={dim}")
        page.wait_for_function(
            f"document.querySelectorAll('.dml-embedding .dml-disc-picture path[d*=M]').length >= {CLASSES * pictures}"
        )
        charts = 5 if pictures == 1 else 0
        page.wait_for_function(f"document.querySelectorAll('.js-plotly-plot').length == {charts}")
        zoomed = zoom(page) if charts else 0
        ranges = page.evaluate(RANGES)[zoomed : zoomed + 1]
        session = context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.evaluate(WATCH)
        before, began = _busy(session), time.perf_counter()
        page.wait_for_timeout(1000 * SECONDS)
        took = time.perf_counter() - began
        seen = page.evaluate(RESULT)
        return {
            "rate": min(seen["seen"]) / took,
            "charts": seen["charts"],
            "painted": seen["painted"],
            "blank": seen["blank"],
            "zoom": page.evaluate(RANGES)[zoomed : zoomed + 1] == ranges,
            "busy": 1000 * (_busy(session) - before) / sum(seen["seen"]),
        }


def zoom(page: Page) -> int:
    """Zoom by mouse into the second chart; return its number."""
    box = page.locator(".js-plotly-plot").nth(1).bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.6 * box["height"], steps=4)
    page.mouse.up()
    page.wait_for_timeout(300)
    return 1


def _busy(session: Any) -> float:
    metrics = {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def main() -> int:
    """Measure and print; return 1 if a picture misses its target."""
    with serving() as url, sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        if browser is None:
            print(CHROMIUM.advice, file=sys.stderr)
            return 1
        rows = {
            "the live picture (7 panels, 500 points watched)": measure(browser, url, 1),
            f"the same of {DIM} dimensions, in a neighbour map": measure(browser, url, 1, DIM),
            "6 embeddings of 500 points": measure(browser, url, 6),
        }
        browser.close()
    print(f"{'':48s} {'updates/s':>9s} {'ms each':>8s} {'painted':>8s} {'blank':>6s}  zoom kept")
    for name, row in rows.items():
        print(
            f"{name:48s} {row['rate']:9.1f} {row['busy']:8.0f} {row['painted']:8d} {row['blank']:6d}  "
            f"{'yes' if row['zoom'] else 'NO'}"
        )
    return int(any(row["rate"] < WANTED or row["blank"] or not row["zoom"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
