"""Two replicas behind nginx as in docs/serving, one killed again and again (``python -m benchmarks.replicas``).

Ten pages train a run each through nginx, on one replica: one in Chromium, nine that speak Streamlit's protocol and the live
stream's as the browser does, with no more than the browser's knowledge (cookies and address). That replica is killed with its
workers, and is started again once all pages are live: when each shows a newer picture of its run, brought back by the other
replica. Each replica trains for a visitor of its own besides. Steps lost are counted in seconds: how long before the kill the
page had shown the step that it came back at. In the end a race and a sweep are killed beside them. Every page of the app is
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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from urllib.parse import parse_qsl
from urllib.request import Request, urlopen

import websockets
from playwright.sync_api import Page, sync_playwright

from benchmarks.fairness import cookie
from benchmarks.visitor import Progress, visiting, watch
from tests import chromium
from tests.served import ROOT, free_port, serving

LIVE, LOST = 3.0, 5.0  # s: the median until a page is live again, and the most that is lost
RUN = "data=digits&net=mlp&run.dim=3&run.steps=20000"
OTHER = "data=digits&net=conv&run.steps=20000"  # run of a replica that is not killed, slow enough to outlast the measurement
LOOK = 0.02  # s between two looks at the page
RACE = "data=digits&net=mlp&run.dim=3&run.steps=5000&race.seeds=2&racers=fastap~triplet~contrastive"
SWEEP = "data=digits&net=mlp&run.dim=3&run.steps=2000&axis=lr:0.001_0.003_0.01&seeds=3"
AGAIN = 0.5  # s from one look for a server to the next, as the browser's first
SETTLED = 8.0  # s of training before a kill
LONGEST = 120.0  # s
STEP = "document.querySelector('.dml-live')?.dataset.step ?? -1"


@contextmanager
def nginx(folder: Path, ports: tuple[int, int]) -> Iterator[str]:
    """The address of nginx before replicas on ``ports``, with its buffers and all else at their defaults."""
    listen, site = free_port(), (ROOT / "docs/serving/nginx.conf").read_text(encoding="utf-8")
    for written, port in zip(("8501", "8502"), ports, strict=True):
        site = site.replace(f":{written}", f":{port}")
    (folder / "site.conf").write_text(site.replace("listen 80 default_server", f"listen 127.0.0.1:{listen}"))
    (folder / "nginx.conf").write_text(
        f"pid {folder}/pid; error_log {folder}/error.log; events {{}}\nhttp {{ access_log off; include {folder}/site.conf; }}\n"
    )
    command = ["nginx", "-c", str(folder / "nginx.conf")]
    subprocess.run(command, check=True)  # returns once nginx listens
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
        """Start a replica, and wait until it is healthy."""
        stack = ExitStack()
        server = stack.enter_context(serving(self.folder / f"{place}.log", port=self.ports[place]))
        self._running[place], self._pids[place] = stack, server.pid

    def kill(self, place: int) -> float:
        """Kill a replica and its workers; return the time."""
        os.killpg(self._pids[place], signal.SIGKILL)
        return time.monotonic()

    def end(self, place: int) -> None:
        """Clean up after a replica."""
        self._running.pop(place).close()

    def close(self) -> None:
        """Clean up after all replicas."""
        while self._running:
            self.end(next(iter(self._running)))


def pages(url: str) -> list[str]:
    """The status of each page of the app, asked as a browser would."""
    names = [re.sub(r"^\d+_", "", path.stem) for path in sorted((ROOT / "pages").glob("*.py"))]
    found = []
    for name in names:
        with urlopen(f"{url}/{name}", timeout=LONGEST) as answer:
            found.append(f"{name} {answer.status}")
    return found


@dataclass
class Tab:
    """A page as the server sees it: its sockets act as a browser's do, and it finds its run again after a kill."""

    url: str
    page: str
    query: str
    browser: int
    key: str = ""  # of the button pressed first; the job's key in the address
    replica: str = "one"
    seen: list[tuple[float, int]] = field(default_factory=list)  # times, and steps of all runs then
    back: list[tuple[float, int]] = field(default_factory=list)  # times and steps since it has found its run again
    cut: float = inf  # when its replica was killed
    says: str = ""
    found: float = inf  # when its page had run

    async def stay(self) -> None:
        """Watch, and reconnect whenever the connection is lost, once the server is healthy, as the browser does."""
        pressed = ""
        while True:
            with suppress(OSError, EOFError, websockets.WebSocketException, RuntimeError, TimeoutError):
                await asyncio.to_thread(self._ask)
                name = f"{cookie(self.browser)}; replica={self.replica}"
                async with visiting(self.url, self.page, self.query, name) as visitor:
                    if self.key and not pressed:
                        await visitor.press(self.key)
                        pressed = self.key
                    if self.key:
                        visitor.stream = f"/live/{dict(parse_qsl(visitor.query))[f'{self.page}.run']}"
                    self.query, self.says, self.found = visitor.query, "; ".join(visitor.alerts), time.monotonic()
                    if self.cut == inf:
                        self.seen = []
                    progress = Progress()
                    await watch(visitor, progress, partial(self._note, progress))
            await asyncio.sleep(AGAIN)

    def _ask(self) -> None:
        """Ask for the server's health; the replica that answers is used from then on."""
        request = Request(f"{self.url}/_stcore/health", headers={"Cookie": f"replica={self.replica}"})
        with urlopen(request, timeout=LONGEST) as answer:
            given = re.findall(r"replica=(\w+)", str(answer.headers.get_all("Set-Cookie")))
            self.replica = given[0] if given else self.replica

    def _note(self, progress: Progress) -> None:
        now = time.monotonic()
        (self.seen if now < self.cut else self.back).append((now, progress.steps))

    @property
    def trains(self) -> bool:
        """Whether the page has shown `SETTLED` seconds of training since it was opened or reconnected."""
        return len(self.seen) > 1 and self.seen[-1][1] > self.seen[0][1] and self.seen[-1][0] - self.seen[0][0] > SETTLED

    def measured(self) -> tuple[float, float] | None:
        """The seconds until a picture newer than the first after the kill, and those of training lost; None before that."""
        newer = [when for when, steps in self.back if steps > self.back[0][1]]
        if not newer:
            return None
        shown = [when for when, steps in self.seen if steps <= self.back[0][1]]
        return newer[0] - self.cut, self.cut - max(shown, default=self.seen[0][0])

    def settle(self) -> None:
        """Start over: the state shown now is the reference for the next kill."""
        self.cut, self.seen, self.back = inf, self.back, []


def opened(tabs: list[Tab]) -> None:
    """Open the tabs in another thread."""

    async def all_of_them() -> None:
        await asyncio.gather(*(tab.stay() for tab in tabs))

    threading.Thread(target=lambda: asyncio.run(all_of_them()), daemon=True).start()


def until(condition: Callable[[], object], page: Page) -> None:
    """Wait for ``condition`` while the page runs on; TimeoutError after `LONGEST`."""
    end = time.monotonic() + LONGEST
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {LONGEST:g} s")
        page.wait_for_timeout(1000 * LOOK)


def measure(page: Page, replicas: Replicas, tabs: list[Tab], others: list[Tab]) -> tuple[list[tuple[float, float]], str]:
    """Kill the replica of all, once the ``others`` train on both: for the page and each tab the seconds until it is live again
    and those of training lost.
    """
    shown = [(time.monotonic(), int(page.evaluate(STEP)))]

    def look() -> bool:
        shown.append((time.monotonic(), int(page.evaluate(STEP))))
        return shown[-1][0] - shown[0][0] > SETTLED and shown[-1][1] >= 20 and all(tab.trains for tab in (*tabs, *others))

    until(look, page)
    (name,) = (each["value"] for each in page.context.cookies() if each["name"] == "replica")
    if {tab.replica for tab in tabs} - {name}:
        raise RuntimeError("the tabs are not all on the page's replica")
    place = ("one", "two").index(name)
    run = re.search(r"live\.run=([\w-]+)", page.url)
    killed = replicas.kill(place)
    for tab in tabs:
        tab.cut = killed
    page.wait_for_function("([old]) => new URL(location).searchParams.get('live.run') !== old", arg=[run and run[1]], polling=50)
    message = page.get_by_test_id("stToast").first.inner_text()
    back = int(re.sub(r"\D", "", message.partition("step")[2]) or 0)
    drawn = page.evaluate("document.querySelector('.dml-live').dataset.drawn")
    page.wait_for_function(
        "([drawn, step]) => { const { dataset } = document.querySelector('.dml-live');"
        " return dataset.drawn !== drawn && Number(dataset.step) >= step }",
        arg=[drawn, back],
        polling=50,
    )
    taken = [(time.monotonic() - killed, killed - max((when for when, step in shown if step <= back), default=shown[0][0]))]
    until(lambda: all(tab.measured() for tab in tabs), page)
    ran, first = (
        statistics.median(whens) - killed if whens else 0.0
        for whens in ([tab.found for tab in tabs], [tab.back[0][0] for tab in tabs])
    )
    message += f"; the tabs' pages had run after {ran:.1f} s, a picture was there after {first:.1f}"
    taken += [found for tab in tabs if (found := tab.measured())]
    for tab in tabs:
        tab.settle()
    replicas.end(place)
    replicas.start(place)
    return taken, message.replace("\n", " ")


def main(arguments: list[str]) -> int:
    """Kill, measure and print; return how many targets were missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--pages", type=int, default=10, help="pages that train a run each, one of them in Chromium")
    options = parser.parse_args(arguments)
    if not shutil.which("nginx"):
        print("nginx is not installed; this measures what it does, so nothing is measured")
        return 0
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright, closing(Replicas(Path(name))) as replicas:
        browser = chromium.launch(playwright)
        with nginx(Path(name), replicas.ports) as url:
            print("default buffers:", ", ".join(pages(url)), flush=True)
            tabs = [Tab(url, "train", f"{RUN}&run.seed={place}", place) for place in range(1, options.pages)]
            others = [Tab(f"http://127.0.0.1:{port}", "train", f"{OTHER}&run.seed={port}", port) for port in replicas.ports]
            opened([*tabs, *others])
            assert browser
            page = browser.new_page(bypass_csp=True)  # for what is evaluated here
            page.context.add_cookies([{"name": "replica", "value": "one", "url": url}])
            page.set_default_timeout(1000 * LONGEST)
            page.goto(f"{url}/train?{RUN}")
            page.wait_for_function(f"Number({STEP}) > 0")
            taken = []
            for number in range(options.kills):
                found, message = measure(page, replicas, tabs, others)
                taken += found
                print(f"  kill {number + 1}: {line(found)}; {message}", flush=True)
            more = [Tab(url, "race", RACE, 101), Tab(url, "sweep", SWEEP, 102, "sweep.go")]
            for tab in more:
                tab.replica = tabs[0].replica if tabs else "one"
            opened(more)
            last, _ = measure(page, replicas, tabs + more, others)
            for tab, (live, lost) in zip(more, last[-2:], strict=True):
                print(f"  a {tab.page}: live after {live:.1f} s, {lost:.1f} s lost; {tab.says}", flush=True)
            browser.close()
    median, most = statistics.median(live for live, _ in taken), max(lost for _, lost in (*taken, *last))
    print(f"live again after {median:.1f} s (median; target {LIVE:g}); at most {most:.1f} s of training lost ({LOST:g})")
    print(json.dumps({"live": [round(live, 2) for live, _ in taken], "lost": [round(lost, 2) for _, lost in taken]}))
    return (median > LIVE) + (most > LOST)


def line(found: list[tuple[float, float]]) -> str:
    """The result of one kill in words."""
    live, lost = zip(*found, strict=True)
    median, page = statistics.median(live), live[0]
    after = f"live after {min(live):.1f} to {max(live):.1f} s, median {median:.1f}, Chromium {page:.1f}"
    return f"{after}; at most {max(lost):.1f} s lost"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
