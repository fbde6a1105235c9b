"""Two replicas behind nginx as in docs/serving, one killed again and again (``python -m benchmarks.replicas``).

A page in Chromium trains through nginx while others train on both replicas. Its replica is killed with its workers, and is
started again once the page is live: when it shows a newer picture of the run, brought back by the other replica. Steps lost
are counted in seconds: how long before the kill the page had shown the step that it came back at. Every page of the app is
asked through nginx's default buffers before that. nginx has to be installed.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import websockets
from playwright.sync_api import Page, sync_playwright

from benchmarks.fairness import cookie
from benchmarks.visitor import Progress, visiting, watch
from tests import chromium
from tests.served import ROOT, free_port, serving

LIVE, LOST = 3.0, 5.0  # s: the median until a page is live again, and the most that is lost
RUN = "data=digits&net=mlp&run.dim=3&run.steps=20000"
LOOK = 0.02  # s between two looks at the page
SETTLED = 8.0  # s of training before a kill
LONGEST = 60.0  # s
STEP = "document.querySelector('.dml-live')?.dataset.step ?? -1"


@contextmanager
def nginx(folder: Path, ports: tuple[int, int]) -> Iterator[str]:
    """The address of nginx before replicas on ``ports``, with its buffers and all else at their defaults."""
    listen, site = free_port(), (ROOT / "docs/serving/nginx.conf").read_text(encoding="utf-8")
    for written, port in zip(("8501", "8502"), ports, strict=True):
        site = site.replace(f":{written}", f":{port}")
    (folder / "site.conf").write_text(site.replace("listen 80 default_server", f"listen 127.0.0.1:{listen}"))
    (folder / "nginx.conf").write_text(
        f"pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off; include {folder}/site.conf; }}\n"
    )
    command = ["nginx", "-c", str(folder / "nginx.conf")]
    subprocess.run(command, check=True)  # it listens when this returns
    try:
        yield f"http://127.0.0.1:{listen}"
    finally:
        subprocess.run([*command, "-s", "stop"], check=True, stderr=subprocess.DEVNULL)


class Replicas:
    """The app twice over one store, each with its workers."""

    def __init__(self, folder: Path) -> None:
        os.environ["DML_VIZ_STORE"] = str(folder / "store")
        self.folder, self.ports = folder, (free_port(), free_port())
        self._running: dict[int, ExitStack] = {}
        self._pids: dict[int, int] = {}
        for place in (0, 1):
            self.start(place)

    def start(self, place: int) -> None:
        """Start one, and wait until it is healthy."""
        stack = ExitStack()
        server = stack.enter_context(serving(self.folder / f"{place}.log", port=self.ports[place]))
        self._running[place], self._pids[place] = stack, server.pid

    def kill(self, place: int) -> float:
        """Kill one and its workers; when."""
        os.killpg(self._pids[place], signal.SIGKILL)
        return time.monotonic()

    def end(self, place: int) -> None:
        """Clear up after one."""
        self._running.pop(place).close()


def pages(url: str) -> list[str]:
    """The status of each page of the app, asked as a browser would."""
    names = [re.sub(r"^\d+_", "", path.stem) for path in sorted((ROOT / "pages").glob("*.py"))]
    found = []
    for name in names:
        with urlopen(f"{url}/{name}", timeout=LONGEST) as answer:
            found.append(f"{name} {answer.status}")
    return found


def train_others(urls: list[str], count: int) -> None:
    """Have ``count`` visitors train and watch, a share on each of ``urls``, again and again where they are cut off."""

    async def one(place: int) -> None:
        while True:
            with suppress(OSError, websockets.WebSocketException, RuntimeError, TimeoutError):
                query = f"{RUN}&run.seed={place}"
                async with visiting(urls[place % len(urls)], "train", query, cookie(place)) as visitor:
                    await watch(visitor, Progress())
            await asyncio.sleep(1)

    async def all_of_them() -> None:
        await asyncio.gather(*(one(place) for place in range(count)))

    threading.Thread(target=lambda: asyncio.run(all_of_them()), daemon=True).start()


def measure(page: Page, replicas: Replicas) -> tuple[float, float, str]:
    """Kill the page's replica: the seconds until it is live again, those of training lost, and what the page says."""
    shown = [(time.monotonic(), int(page.evaluate(STEP)))]
    while time.monotonic() - shown[0][0] < SETTLED or shown[-1][1] < 20:
        page.wait_for_timeout(1000 * LOOK)
        shown.append((time.monotonic(), int(page.evaluate(STEP))))
    (name,) = (each["value"] for each in page.context.cookies() if each["name"] == "replica")
    place = ("one", "two").index(name)
    run = re.search(r"live\.run=([\w-]+)", page.url)
    killed = replicas.kill(place)
    page.wait_for_function(
        "([old]) => new URL(location).searchParams.get('live.run') !== old", arg=[run and run[1]], polling=50
    )
    message = page.get_by_test_id("stToast").first.inner_text()
    back = int(re.sub(r"\D", "", message.partition("step")[2]) or 0)
    drawn = page.evaluate("document.querySelector('.dml-live').dataset.drawn")
    page.wait_for_function(
        "([drawn, step]) => { const { dataset } = document.querySelector('.dml-live');"
        " return dataset.drawn !== drawn && Number(dataset.step) >= step }",
        arg=[drawn, back],
        polling=50,
    )
    live = time.monotonic() - killed
    lost = killed - max((when for when, step in shown if step <= back), default=shown[0][0])
    replicas.end(place)
    replicas.start(place)
    return live, lost, message.replace("\n", " ")


def main(arguments: list[str]) -> int:
    """Kill, measure and print; how many of the targets were missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--others", type=int, default=8, help="visitors who train beside the page")
    options = parser.parse_args(arguments)
    if not shutil.which("nginx"):
        print("nginx is not installed; this measures what it does, so nothing is measured")
        return 0
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        replicas = Replicas(Path(name))
        browser = chromium.launch(playwright)
        with nginx(Path(name), replicas.ports) as url:
            print("default buffers:", ", ".join(pages(url)), flush=True)
            train_others([f"http://127.0.0.1:{port}" for port in replicas.ports], options.others)
            assert browser
            page = browser.new_page(bypass_csp=True)  # for what is evaluated here
            page.set_default_timeout(1000 * LONGEST)
            page.goto(f"{url}/train?{RUN}")
            page.wait_for_function(f"Number({STEP}) > 0")
            taken = []
            for number in range(options.kills):
                live, lost, message = measure(page, replicas)
                taken.append((live, lost))
                print(f"  kill {number + 1}: live after {live:.1f} s, {lost:.1f} s lost; {message}", flush=True)
            browser.close()
        for place in (0, 1):
            replicas.end(place)
    median, most = statistics.median(live for live, _ in taken), max(lost for _, lost in taken)
    print(
        f"live again after {median:.1f} s (median; target {LIVE:g}); at most {most:.1f} s of training lost ({LOST:g})"
    )
    print(json.dumps({"live": [round(live, 2) for live, _ in taken], "lost": [round(lost, 2) for _, lost in taken]}))
    return (median > LIVE) + (most > LOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
