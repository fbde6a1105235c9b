"""A race of six losses on digits, to 300 steps, with its page open, against its runs in bare loops (``-m benchmarks.race``).

Chromium shows the race; its speed is computed from the times at which the first and the last step were drawn. In
turn with it, the same six runs are trained one after another in a process of their own, without engine or page: once as they
are, frames included, once without frames; both at the low priority of workers, so that other load on the machine
slows all alike. Then a longer race goes on in a tab, and another session moves a slider.
"""

import asyncio
import random
import statistics
import subprocess
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor

from playwright.sync_api import Page, expect

from benchmarks.visitor import visiting
from tests import chromium
from tests.served import ROOT

ROUNDS = 7
WANTED = 0.85
STEPS = 300
RACERS = "triplet~fastap~proxy_anchor~multi_similarity~contrastive~circle"
SMALL = "data=digits&net=mlp&run.dim=3&p_by_k.classes=8&p_by_k.samples=32&run.lr=0.0002"
MOVES, PAUSE = 40, 0.25  # seconds
LATENCY = 60.0  # ms, as in students.py: the median while somebody trains
BARE = """
import os, sys, time, torch
from dataclasses import replace
from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.engine.worker import NICE
from dml_viz.training.race import Race
from dml_viz.training.race_url import read_racers
from dml_viz.training.loop import Run, advance, begin
from dml_viz.training.nets.mlp import MLP
os.nice(NICE)
torch.set_num_threads(1)
racers, steps = sys.argv[1], int(sys.argv[2])
for every in (0, 1000):
    run = Run(Digits(), net=MLP(), dim=3, sampler=PByK(8, 32), lr=0.0002, steps=steps, every=every)
    race = Race(run, read_racers(racers))
    runs = [race.run_of(k) for k in range(len(race.racers))]
    starts = [begin(run) for run in runs]
    for warm in (True, False):
        began = time.perf_counter()
        for run, start in zip(runs, starts):
            advance(run, start, 40 if warm else run.steps)
    print(len(runs) * steps / (time.perf_counter() - began))
"""
LISTEN = """() => {
  const picture = document.querySelector(".dml-live");
  window.drawn = [];
  new MutationObserver(() => drawn.push([Number(picture.dataset.step), performance.now()]))
    .observe(picture, { attributes: true, attributeFilter: ["data-drawn"] });
}"""


def bare() -> tuple[float, float]:
    """The steps per second of the six runs one after another, with frames and without."""
    command = [sys.executable, "-c", BARE, RACERS, str(STEPS)]
    framed, frameless = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return float(framed), float(frameless)


def start(page: Page, steps: int) -> None:
    """Open the page and let the six race; `drawn` in the browser then has the steps and their times."""
    page.goto(f"/race?{SMALL}&racers={RACERS}&race.seeds=1&run.steps={steps}")
    page.locator(".dml-live").wait_for()
    page.evaluate(LISTEN)


def watched(page: Page) -> float:
    """The steps per second of all six together while the page draws them."""
    start(page, STEPS)
    page.wait_for_function(f"() => drawn.at(-1)?.[0] === {STEPS}", timeout=120_000)
    drawn: list[tuple[int, float]] = page.evaluate("() => drawn")
    began = next(at for step, at in drawn if step < STEPS)
    ended = next(at for step, at in drawn if step == STEPS)
    return len(RACERS.split("~")) * STEPS / ((ended - began) / 1000)


async def slides(url: str) -> list[float]:
    """The milliseconds that reruns of another session took, sorted: a slider on the FastAP page, moved now and then."""
    rng, took = random.Random(0), []
    async with visiting(url, "fastap") as visitor:
        for _ in range(MOVES):
            took.append(1000 * await visitor.slide("fastap.bins", rng.random()))
            await asyncio.sleep(PAUSE)
    return sorted(took)


def apart(slid: Coroutine[None, None, list[float]]) -> list[float]:
    """The result of ``slid``, run in another thread, because the browser's event loop occupies this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, slid).result()


def main() -> int:
    """Print speeds, their ratios and the slider's times; return how many targets were missed."""
    with chromium.beside_the_app() as (browser, url):
        rounds = []
        for _ in range(ROUNDS):
            alone = bare()
            with browser.new_context(base_url=url, viewport={"width": 1366, "height": 768}) as context:
                rounds.append((*alone, watched(context.new_page())))
        quiet = apart(slides(url))
        with browser.new_context(base_url=url, viewport={"width": 1366, "height": 768}) as context:
            page = context.new_page()
            start(page, 20_000)
            expect(page.locator(".dml-race-status")).to_have_text("racing")
            during = apart(slides(url))
    framed, frameless, seen = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio, strict = (statistics.median(seen / each[k] for *each, seen in rounds) for k in (0, 1))
    print(f"six losses to {STEPS} steps, the page watching: {seen:.0f} steps/s in all; medians of {ROUNDS} rounds")
    print(f"bare, one after another, with their frames {framed:.0f}: {ratio:.1%}; wanted at least {WANTED:.0%}")
    print(f"bare, one after another, without frames {frameless:.0f}: {strict:.1%}")
    slow = statistics.median(during)
    print(f"another session's slider: median {statistics.median(quiet):.0f} ms in peace, {slow:.0f} ms beside a race", end="")
    print(f" (p95 {quiet[int(0.95 * MOVES)]:.0f} and {during[int(0.95 * MOVES)]:.0f}); wanted under {LATENCY:g}")
    return (ratio < WANTED) + (slow > LATENCY)


if __name__ == "__main__":
    sys.exit(main())
