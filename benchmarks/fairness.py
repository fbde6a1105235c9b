"""A class beside one greedy visitor, thirty at once, and 200 sockets that press Train (``python -m benchmarks.fairness``).

The greedy visitor trains a race of twelve losses and five seeds and five conv nets in several tabs, beside nine ordinary runs;
shares are those of the worker's seconds. Then, against a server: two sockets that ask without pause and 70 heavy
figures that are requested again and again and never awaited; measured are its health, and another visitor's figure.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from typing import Any

import websockets
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from benchmarks.students import app
from benchmarks.visitor import Visitor, live, visiting
from dml_viz.data.datasets.glyphs import Glyphs
from dml_viz.engine import Engine, Job, Limits, local_workers, start
from dml_viz.engine.limits import Visitor as Asker
from dml_viz.losses import LOSSES
from dml_viz.training.experiment import Experiment
from dml_viz.training.race import Race, Racer
from dml_viz.training.run import Run

ORDINARY, CLASS, CONV, PRESSING, EXPORTS = 9, 30, 5, 200, 70
FAIR, EVEN, HEALTHY = 0.8, 0.7, 50.0
RUN = Run(steps=20_000)
LONG = "run.steps=20000"
PAGE, SLIDER = "fastap", "fastap-bins"
PIPELINED = json.dumps({"want": "step", "step": 100})


@contextmanager
def training() -> Iterator[Engine]:
    """An engine with one warm worker, which also trains unwatched runs."""
    engine = start(lambda: local_workers(1), Limits(unwatched=3600))
    engine.devices()
    try:
        yield engine
    finally:
        engine.close()


def trained(jobs: list[Job], seconds: float) -> list[tuple[int, float]]:
    """The steps of each job in so many seconds after all have begun, and the worker's seconds for these."""
    for job in jobs:
        job.play()
    for job in jobs:
        job.wait_for(lambda job: progress(job)[0] > 0, 600)
    before = [progress(job) for job in jobs]
    time.sleep(seconds)
    after = [progress(job) for job in jobs]
    for job in jobs:
        job.pause()
    return [(now[0] - then[0], now[1] - then[1]) for now, then in zip(after, before, strict=True)]


def progress(job: Job) -> tuple[int, float]:
    """The steps and seconds of all members together."""
    members = job.overview().members
    return sum(member.step for member in members), sum(member.seconds for member in members)


def ordinary(engine: Engine, count: int) -> list[Job]:
    """The runs of ``count`` visitors, one each."""
    return [engine.create(replace(RUN, seed=k), f"visitor {k}", visitor=Asker(f"visitor {k}")) for k in range(count)]


def among_greedy(seconds: float) -> None:
    """Train nine runs beside a greedy visitor; print their shares of time and speed, relative to fair ones."""
    greedy = Asker("greedy")
    racers = tuple(Racer(loss()) for loss in list(LOSSES.values())[:12])
    wanted = [Race(RUN, racers, seeds=5).experiment]
    wanted += [Experiment.of(Run(dataset=Glyphs(), steps=20_000, seed=k)) for k in range(CONV)]
    with training() as engine:
        nine = ordinary(engine, ORDINARY)
        alone = trained(nine, seconds)
        all_of_it = [engine.create(one, f"tab {k}", visitor=greedy) for k, one in enumerate(wanted)]
        together = trained([*nine, *all_of_it], seconds)
        again = trained(nine, seconds)
    fair = sum(one[1] for one in together) / (ORDINARY + 1)
    shares = [one[1] / fair for one in together[:ORDINARY]]
    speeds = [
        2 * now[0] / (then[0] + later[0]) * (ORDINARY + 1) / ORDINARY
        for now, then, later in zip(together, alone, again, strict=False)
    ]
    print(f"nine beside a greedy visitor have of their fair share of time {min(shares):.2f} to {max(shares):.2f},")
    print(f"  of their fair speed {min(speeds):.2f} to {max(speeds):.2f} (wanted: {FAIR} of the share for each)", flush=True)


def at_once(seconds: float) -> None:
    """Train thirty runs at once; print how even they are."""
    with training() as engine:
        took = trained(ordinary(engine, CLASS), seconds)
    steps, time_taken = [one[0] for one in took], [one[1] for one in took]
    print(f"{CLASS} runs: slowest / fastest {min(steps) / max(steps):.2f} by steps (wanted {EVEN}),", end=" ")
    print(f"{min(time_taken) / max(time_taken):.2f} by time", flush=True)


def cookie(browser: int) -> str:
    """The cookie of one browser."""
    return f"_streamlit_xsrf={generate_xsrf_token_string(browser.to_bytes(16, 'big'))}"


async def flood(visitor: Visitor) -> None:
    """Ask over a socket as fast as it accepts questions, and over a new one if it is closed, until cancelled."""
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


async def leave_exports(url: str, visitor: Visitor) -> None:
    """Ask for 70 heavy figures, leave at once, and repeat, until cancelled."""
    host, port = url.removeprefix("http://").split(":")
    figures = sorted(visitor.figures)
    while True:
        for k in range(EXPORTS):
            moved = f"slider={SLIDER}&value={2 + (k + 7 * int(time.time())) % 59}&mark="
            _, writer = await asyncio.open_connection(host, int(port))
            lines = (f"GET /{figures[k % len(figures)]}?{moved} HTTP/1.1", f"Host: {host}:{port}", f"Cookie: {visitor.cookie}")
            writer.write("\r\n".join((*lines, "", "")).encode())
            with suppress(ConnectionError):
                await writer.drain()
            writer.close()
        await asyncio.sleep(1.0)


async def greed(url: str, report: Connection) -> None:
    """Flood two sockets of a run and leave figures, until ``report`` receives a message."""
    # In practice this is another machine, so it should not take the server's core here.
    os.nice(10)
    async with visiting(url, "train", LONG, cookie(0)) as training, visiting(url, PAGE, "subject=live+run", cookie(0)) as page:
        work = [asyncio.create_task(flood(training)) for _ in range(2)]
        work.append(asyncio.create_task(leave_exports(url, page)))
        report.send("there")
        while not report.poll():
            await asyncio.sleep(0.1)
        for task in work:
            task.cancel()


def _greedy(url: str, report: Connection) -> None:
    asyncio.run(greed(url, report))


def _prober(url: str, report: Connection) -> None:
    """Ask for the server's health ten times a second, and send the milliseconds of each answer when asked for them."""
    took: list[float] = []
    while True:
        took.append(answered(url, "/_stcore/health"))
        if report.poll(0.1):
            report.recv()
            report.send(took)
            took = []


def answered(url: str, path: str, cookie: str = "") -> float:
    """The milliseconds of one request."""
    began = time.perf_counter()
    connection = HTTPConnection(url.removeprefix("http://"), timeout=300)
    connection.request("GET", path, headers={"Cookie": cookie})
    connection.getresponse().read()
    connection.close()
    return 1e3 * (time.perf_counter() - began)


class Helper:
    """A process that does something to the server at ``url``."""

    def __init__(self, work: Any, url: str) -> None:
        self.report, other = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=work, args=(url, other), daemon=True)
        self._process.start()

    async def ask(self, question: object = True) -> Any:
        """The process's answer to ``question``; for None, only its answer."""
        if question is not None:
            self.report.send(question)
        return await asyncio.to_thread(self.report.recv)

    def end(self) -> None:
        self._process.kill()
        self._process.join()


async def attacked(url: str, seconds: float) -> None:
    """Print the server's health, and the time of another visitor's figure, without and with the greedy visitor."""
    prober = Helper(_prober, url)
    async with visiting(url, PAGE, cookie=cookie(1)) as visitor:
        figures = [f"/{figure}?slider={SLIDER}&value={{}}&mark=" for figure in sorted(visitor.figures)]
        for name in ("in quiet", "beside floods and 70 figures left"):
            other = Helper(_greedy, url) if name != "in quiet" else None
            if other:
                await other.ask(None)
            await prober.ask()
            took: list[float] = []
            end = time.time() + seconds
            while time.time() < end:
                path = figures[len(took) % len(figures)].format(3 + len(took) % 40)
                took.append(await asyncio.to_thread(answered, url, path, cookie(1)))
                await asyncio.sleep(0.2)
            print(
                f"{name}: {health(await prober.ask())}; a figure {statistics.median(took):.0f} ms, longest {max(took):.0f}",
                flush=True,
            )
            if other:
                other.end()
    prober.end()


def health(took: list[float]) -> str:
    """The prober's times as a sentence."""
    took = sorted(took) or [float("nan")]
    return f"health {statistics.median(took):.0f} ms, 95th percentile {took[int(len(took) * 0.95)]:.0f} ms (wanted {HEALTHY:.0f})"


async def press(url: str) -> None:
    """200 sockets without a cookie open the training page at once; print how many get a run, and whether others still do."""
    alerts: list[str] = []
    async with AsyncExitStack() as tabs:

        async def one(k: int) -> bool:
            visitor = await tabs.enter_async_context(visiting(url, "train", f"{LONG}&run.seed={k % 100}"))
            alerts.extend(visitor.alerts)
            return bool(visitor.stream)

        got = sum(await asyncio.gather(*map(one, range(PRESSING))))
        async with visiting(url, "train", LONG, cookie(1000)) as visitor:
            there = bool(visitor.stream)
    print(f"{PRESSING} sockets press Train: {got} runs; another visitor trains: {there}; refused with:")
    for alert in sorted(set(alerts)):
        print(f"  {alert}")
    print(f"  a file of ours is named: {any('.py' in alert for alert in alerts)}")


def main(options: argparse.Namespace) -> None:
    """Train beside a greedy visitor, train thirty at once, then attack a server; print all results."""
    print(f"{os.cpu_count()} cores, one worker; {options.seconds:g} s a phase", flush=True)
    among_greedy(options.seconds)
    at_once(2 * options.seconds)
    with app(options.url) as url:
        asyncio.run(attacked(url, options.seconds))
        asyncio.run(press(url))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="", help="an app that runs already; without it one is started and ended")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each phase")
    main(parser.parse_args())
