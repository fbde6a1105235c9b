"""A class of thirty: how long a rerun takes while every visitor moves a slider and one run trains.

The sessions speak Streamlit's protocol without a browser, so the time is the server's: from the message that a slider
moved to the message that its script has finished. The run is trained and watched as its page does it.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import websockets

from benchmarks.visitor import Visitor, visiting
from dml_viz.data.wire import unpack
from tests.served import served

TARGET = 30.0  # ms, median while one run trains
DRAWING = 0.2  # s from one picture to the next, as in a browser
TRAIN = "live.train"


async def student(url: str, options: argparse.Namespace, everyone: asyncio.Barrier, seed: int) -> list[float]:
    """Move the slider every ``period`` seconds, more or less, ``moves`` times; the seconds of each rerun."""
    rng = random.Random(seed)
    took: list[float] = []
    async with visiting(url, options.page) as visitor:
        await everyone.wait()
        await asyncio.sleep(rng.random() * options.period)
        for _ in range(options.moves):
            seconds = await visitor.slide(options.slider, rng.random())
            took.append(seconds)
            await asyncio.sleep(max(0.0, options.period * rng.uniform(0.7, 1.3) - seconds))
        if visitor.faults:
            raise RuntimeError(f"page {options.page!r} showed a fault: {visitor.faults[0]}")
    return took


async def trainer(url: str, budget: int, everyone: asyncio.Barrier, steps: list[int]) -> None:
    """Train and watch a run, again whenever it is done, until cancelled; its steps are added to ``steps``."""
    async with visiting(url, "train", f"run.steps={budget}") as visitor:
        await visitor.press(TRAIN)
        await everyone.wait()
        while True:
            await _watch(visitor, steps)
            await visitor.press(TRAIN)  # from the start again


async def _watch(visitor: Visitor, steps: list[int]) -> None:
    if not visitor.stream:
        raise RuntimeError("the training page named no stream of its run" + "; ".join(["", *visitor.faults]))
    address = f"ws{visitor.url.removeprefix('http')}{visitor.stream}"
    async with websockets.connect(address, origin=websockets.Origin(visitor.url), max_size=None) as socket:
        after, status = -1, "running"
        while status == "running":
            await socket.send(json.dumps({"want": "next", "after": after, "rows": 0}))
            message = await socket.recv()
            assert isinstance(message, bytes)
            header, _ = unpack(message)
            steps.append(max(0, header["step"] - max(after, 0)))
            after, status = header["step"], header["status"]
            await asyncio.sleep(DRAWING)


async def lesson(url: str, options: argparse.Namespace, train: bool) -> tuple[list[float], float]:
    """The sorted seconds of all reruns of one class, and the steps per second of the run beside it (0 without)."""
    steps: list[int] = []
    everyone = asyncio.Barrier(options.students + train + 1)
    async with asyncio.TaskGroup() as group:
        training = group.create_task(trainer(url, options.steps, everyone, steps)) if train else None
        work = [group.create_task(student(url, options, everyone, seed)) for seed in range(options.students)]
        await everyone.wait()
        begun = time.perf_counter()
        await asyncio.wait(work)
        if training:
            training.cancel()
    return sorted(second for each in work for second in each.result()), sum(steps) / (time.perf_counter() - begun)


def main(options: argparse.Namespace) -> None:
    """Measure one lesson alone and one beside a run; print the times of reruns."""
    print(f"{options.students} sessions on /{options.page}, each moves {options.slider} every {options.period:g} s")
    print(f"{options.moves} times; {os.cpu_count()} cores, shared with the sessions themselves")
    print(f"{'':20}{'reruns':>8}{'median':>10}{'p95':>10}{'steps/s':>10}")
    with app(options.url) as url:
        for name, train in (("nothing trains", False), ("one run trains", True)):
            took, speed = asyncio.run(lesson(url, options, train))
            median, p95 = statistics.median(took) * 1e3, took[int(len(took) * 0.95)] * 1e3
            print(f"{name:20}{len(took):8}{median:7.1f} ms{p95:7.1f} ms{speed:10.0f}", flush=True)
    print(f"wanted: a median under {TARGET:g} ms while one run trains: {'met' if median < TARGET else 'MISSED'}")


@contextmanager
def app(url: str) -> Iterator[str]:
    """The address of the app to measure: ``url``, or that of an app served here."""
    if url:
        yield url
        return
    with tempfile.TemporaryDirectory() as folder, served(Path(folder) / "log.txt") as own:
        yield own


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="", help="an app that runs already; without it one is started and ended")
    parser.add_argument("--page", default="fastap")
    parser.add_argument("--slider", default="fastap.bins", help="the key of the slider")
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--period", type=float, default=2.0, help="seconds from one move to the next")
    parser.add_argument("--moves", type=int, default=10, help="how often each session moves it")
    parser.add_argument("--steps", type=int, default=5000, help="step budget of the run that trains")
    main(parser.parse_args())
