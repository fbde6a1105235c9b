"""A class beside one greedy visitor, thirty at once, and 200 sockets that press Train (``python -m benchmarks.fairness``).

The greedy one has a race of twelve losses and five seeds, five tabs that train conv nets, two sockets that ask without pause,
and 70 heavy figures that it asks for again and again and never waits for. Shares are of the seconds that workers trained, as
the runs themselves report them; health is asked from a process of its own.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import statistics
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import quote

import websockets
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from benchmarks.students import app
from benchmarks.visitor import Visitor, visiting
from dml_viz.engine.wire import unpack
from dml_viz.explain.race.settings import KEY
from dml_viz.losses import LOSSES

ORDINARY, CLASS, PRESSING, EXPORTS = 9, 30, 200, 70
FAIR, EVEN, HEALTHY = 0.8, 0.7, 50.0
PACE = 0.2  # s from one picture to the next
LONG = "run.steps=20000"
TWELVE = quote("~".join(sorted(LOSSES)[:12]))
GREEDY_TABS = (
    ("race", f"{KEY}={TWELVE}&race.seeds=5&{LONG}"),
    *(("train", f"data=glyphs&{LONG}&run.seed={k}") for k in range(5)),
)
FIGURES = "fastap", "fastap.bins"
PIPELINED = json.dumps({"want": "step", "step": 100})


def cookie(browser: int) -> str:
    """The cookie of one browser."""
    return f"_streamlit_xsrf={generate_xsrf_token_string(browser.to_bytes(16, 'big'))}"


@dataclass
class Progress:
    """What a job has reported last: steps and seconds of worker time, over all its runs."""

    steps: int = 0
    seconds: float = 0.0

    def __sub__(self, other: "Progress") -> "Progress":
        return Progress(self.steps - other.steps, self.seconds - other.seconds)


async def watch(visitor: Visitor, progress: Progress) -> None:
    """Draw the visitor's job as its page does, until cancelled."""
    async with live(visitor) as socket:
        await socket.send('{"want": "subject"}')
        after, seeds = -1, 1
        while True:
            header, _ = unpack(await socket.recv())
            if header["kind"] == "subject":
                seeds = header["seeds"]
            else:
                after = max(after, header["latest"])
                progress.steps = sum(member["step"] for member in header["members"])
                progress.seconds = sum(seeds * member["seconds"] for member in header["members"])
                await asyncio.sleep(PACE)
            want = {"want": "subject"} if header["kind"] == "tick" and after < 0 else {"want": "next", "after": after}
            await socket.send(json.dumps(want))


def live(visitor: Visitor) -> Any:
    """A socket to the visitor's job."""
    if not visitor.stream:
        raise RuntimeError(f"no run: {visitor.alerts or visitor.faults}")
    url = f"ws{visitor.url.removeprefix('http')}{visitor.stream}"
    headers = {"Cookie": visitor.cookie}
    return websockets.connect(url, origin=websockets.Origin(visitor.url), max_size=None, additional_headers=headers)


async def flood(visitor: Visitor) -> None:
    """Ask over one socket as fast as it takes questions, and over another where it is closed, until cancelled."""
    while True:
        with suppress(websockets.ConnectionClosed):
            async with live(visitor) as socket:
                reading = asyncio.create_task(_read(socket))
                while not reading.done():
                    await socket.send(PIPELINED)


async def _read(socket: Any) -> None:
    with suppress(websockets.ConnectionClosed):
        async for _ in socket:
            pass


async def leave_exports(url: str, browser: int) -> None:
    """Ask for 70 heavy figures, go at once, and do it again, until cancelled."""
    host, port = url.removeprefix("http://").split(":")
    async with visiting(url, FIGURES[0], cookie=cookie(browser)) as visitor:
        figures = sorted(visitor.figures)
        while True:
            for k in range(EXPORTS):
                moved = f"slider={FIGURES[1]}&value={2 + time.time() % 40:.6f}&mark="
                _, writer = await asyncio.open_connection(host, int(port))
                lines = (
                    f"GET /{figures[k % len(figures)]}?{moved} HTTP/1.1",
                    f"Host: {host}:{port}",
                    f"Cookie: {visitor.cookie}",
                )
                writer.write("\r\n".join((*lines, "", "")).encode())
                with suppress(ConnectionError):
                    await writer.drain()
                writer.close()
            await asyncio.sleep(1.0)


async def greed(url: str, report: Connection) -> None:
    """All that the greedy visitor does, until the other end of ``report`` asks for the seconds that its jobs were trained."""
    async with AsyncExitStack() as tabs:
        each = [await tabs.enter_async_context(visiting(url, *tab, cookie=cookie(0))) for tab in GREEDY_TABS]
        progress = [Progress() for _ in each]
        work = [asyncio.create_task(watch(*one)) for one in zip(each, progress, strict=True)]
        work += [asyncio.create_task(flood(each[0])) for _ in range(2)]
        work.append(asyncio.create_task(leave_exports(url, 0)))
        report.send("there")
        while not report.poll():
            await asyncio.sleep(0.1)
            for task in work:
                if task.done():
                    task.result()
        for task in work:
            task.cancel()
        report.send(sum(one.seconds for one in progress))


def _greedy(url: str, report: Connection) -> None:
    asyncio.run(greed(url, report))


def _prober(url: str, report: Connection) -> None:
    """Ask for the server's health ten times a second, and send the milliseconds of each answer when asked for them."""
    took: list[float] = []
    while True:
        began = time.perf_counter()
        connection = HTTPConnection(url.removeprefix("http://"), timeout=120)
        connection.request("GET", "/_stcore/health")
        connection.getresponse().read()
        connection.close()
        took.append(1e3 * (time.perf_counter() - began))
        if report.poll(0.1):
            if not report.recv():
                return
            report.send(took)
            took = []


class Helper:
    """A process of its own that does something to the server at ``url``."""

    def __init__(self, work: Any, url: str) -> None:
        self.report, other = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=work, args=(url, other), daemon=True)
        self._process.start()

    async def ask(self, question: object = True) -> Any:
        """Its answer to ``question``; None where there is no question, only an answer."""
        if question is not None:
            self.report.send(question)
        return await asyncio.to_thread(self.report.recv)

    def end(self) -> None:
        self._process.kill()
        self._process.join()


async def trained(progress: list[Progress], seconds: float) -> list[Progress]:
    """What each job has got on by in so many seconds."""
    before = [Progress(one.steps, one.seconds) for one in progress]
    await asyncio.sleep(seconds)
    return [now - then for now, then in zip(progress, before, strict=True)]


async def lesson(url: str, students: int, prober: Helper, seconds: float, greedy: bool) -> None:
    """So many visitors train one run each; print how even they are and, with a greedy one beside them, how fair it is."""
    async with AsyncExitStack() as tabs:
        progress = [Progress() for _ in range(students)]
        work = []
        for k, one in enumerate(progress):
            visitor = await tabs.enter_async_context(visiting(url, "train", f"{LONG}&run.seed={k}", cookie(1 + k)))
            work.append(asyncio.create_task(watch(visitor, one)))
        while min(one.steps for one in progress) < 20:
            await asyncio.sleep(0.1)
        await prober.ask()
        alone = await trained(progress, seconds)
        even = min(one.steps for one in alone) / max(one.steps for one in alone)
        print(
            f"{students} runs: slowest / fastest {even:.2f} (wanted {EVEN}); {health(await prober.ask())}", flush=True
        )
        if greedy:
            await beside_greed(url, progress, alone, prober, seconds)
        for task in work:
            task.cancel()


async def beside_greed(
    url: str, progress: list[Progress], alone: list[Progress], prober: Helper, seconds: float
) -> None:
    """The greedy visitor comes and goes; print what is left to the others."""
    other = Helper(_greedy, url)
    with suppress(EOFError):
        await other.ask(None)
    await prober.ask()
    before = [Progress(one.steps, one.seconds) for one in progress]
    await asyncio.sleep(seconds)
    healthy = health(await prober.ask())
    taken = await other.ask()
    other.end()
    beside = [now - then for now, then in zip(progress, before, strict=True)]
    fair = (sum(one.seconds for one in beside) + taken) / (len(progress) + 1)
    shares = [one.seconds / fair for one in beside]
    again = await trained(progress, seconds)
    speeds = [
        2 * now.steps / (then.steps + later.steps) * (1 + 1 / len(progress))
        for now, then, later in zip(beside, alone, again, strict=True)
    ]
    print(f"beside a greedy visitor: of their fair share of the worker's time {min(shares):.2f} to {max(shares):.2f},")
    print(f"  of their fair speed {min(speeds):.2f} to {max(speeds):.2f} (wanted {FAIR} each); {healthy}", flush=True)


def health(took: list[float]) -> str:
    """What the prober found, as a sentence."""
    took = sorted(took) or [float("nan")]
    return f"health {statistics.median(took):.0f} ms, 95th percentile {took[int(len(took) * 0.95)]:.0f} ms (wanted {HEALTHY:.0f})"


async def press(url: str) -> None:
    """200 sockets without a cookie open the training page at once; print how many runs they get, and whether others still do."""
    alerts: list[str] = []
    async with AsyncExitStack() as tabs:

        async def one(k: int) -> bool:
            visitor = await tabs.enter_async_context(visiting(url, "train", f"{LONG}&run.seed={k}"))
            alerts.extend(visitor.alerts)
            return bool(visitor.stream)

        got = sum(await asyncio.gather(*map(one, range(PRESSING))))
        async with visiting(url, "train", LONG, cookie(1000)) as visitor:
            there = bool(visitor.stream)
    print(f"{PRESSING} sockets press Train: {got} runs; another visitor trains: {there}; refused with: {set(alerts)}")
    print(f"  a file of ours is named: {any('.py' in alert for alert in alerts)}")


def main(options: argparse.Namespace) -> None:
    """Hold both lessons and have the sockets press, and print what each found."""
    print(f"{os.cpu_count()} cores, shared with the visitors themselves; {options.seconds:g} s a phase", flush=True)
    with app(options.url) as url:
        prober = Helper(_prober, url)
        asyncio.run(lesson(url, ORDINARY, prober, options.seconds, True))
        asyncio.run(lesson(url, CLASS, prober, 2 * options.seconds, False))
        prober.end()
        asyncio.run(press(url))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="", help="an app that runs already; without it one is started and ended")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each phase")
    main(parser.parse_args())
