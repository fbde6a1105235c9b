"""Training with its page open and watching, against the same loop alone (``python -m benchmarks.watching``).

Chromium shows the training page while its run trains; the speed is computed from the steps and the times at which their frames
were drawn. Before it and after it, the same run is trained in a process of its own, without frames, engine or page. Both go by
turns for some seconds each, since the speed of a shared machine changes within a minute; the page stays open meanwhile, and its
sphere does not turn.
"""

import itertools
import math
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from tests import chromium
from tests.served import ROOT

ROUNDS = 27
WANTED = 0.95
# Short steps, with which slices cost most.
STEPS, STRIDE = 3000, 200
DIMS = (3, 64)  # on the sphere, and in a neighbour map
ADDRESS = f"/train?v=2&data=digits&net=mlp&p_by_k.classes=8&p_by_k.samples=32&run.lr=0.0002&run.steps={STEPS}&run.dim="
BARE = f"""
import time, torch
from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.training.loop import Run, advance, begin
from dml_viz.training.nets.mlp import MLP
torch.set_num_threads(1)
run = Run(Digits(), net=MLP(), dim=DIM, sampler=PByK(8, 32), lr=0.0002, steps={STEPS}, every=1000)
while True:
    input()
    state, _ = advance(run, begin(run), {STRIDE})
    began = time.perf_counter()
    state, _ = advance(run, state, run.steps - {STRIDE} - 1)
    print((run.steps - {STRIDE} - 1) / (time.perf_counter() - began), flush=True)
"""
LISTEN = """() => {
  const picture = document.querySelector(".dml-live");
  window.drawn = [];
  // Playwright's wait_for_function would look at each frame, and so make the page draw sixty a second.
  window.ended = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      drawn.push([Number(picture.dataset.step), performance.now()]);
      if (drawn.at(-1)[0] !== STEPS) return;
      observer.disconnect();
      resolve(drawn);
    }).observe(picture, { attributes: true, attributeFilter: ["data-step"] });
  });
}""".replace("STEPS", str(STEPS))

# A sphere turns while its page is in sight: beside the loop alone it would take some of the speed that is compared with.
HIDE = "(hidden) => Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })"


@contextmanager
def bare_loop(dim: int) -> Iterator[Callable[[], float]]:
    """A function that trains in the loop alone and returns its steps per second."""
    command = [sys.executable, "-c", BARE.replace("DIM", str(dim))]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def speed() -> float:
            print(file=process.stdin, flush=True)
            return float(process.stdout.readline() if process.stdout else "nan")

        try:
            speed()  # the first is slower: everything is loaded
            yield speed
        finally:
            process.kill()


def watched(page: Page) -> tuple[float, float]:
    """The steps per second while an open page draws the run, from its start, and pictures per second."""
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(page.locator(".dml-live[data-step='0']")).to_be_visible()
    page.evaluate(LISTEN)
    page.get_by_role("main").get_by_role("button", name="Train", exact=True).click()
    drawn: list[tuple[int, float]] = page.evaluate("() => ended")
    drawn = [(step, at) for step, at in drawn if step >= STRIDE]  # the first steps have many frames
    seconds = (drawn[-1][1] - drawn[0][1]) / 1000
    return (drawn[-1][0] - drawn[0][0]) / seconds, len(drawn) / seconds


def main(rounds: int) -> int:
    """Print both speeds and their ratio in each dimension; return 1 if a ratio is below the target."""
    ratios = []
    with chromium.beside_the_app() as (browser, url):
        for dim in DIMS:
            with browser.new_context(base_url=url, viewport={"width": 1366, "height": 768}) as context, bare_loop(dim) as bare:
                page = context.new_page()
                page.goto(f"{ADDRESS}{dim}")
                # The page begins to train while it opens; what is measured is a page that is open.
                expect(page.locator(f".dml-live[data-step='{STEPS}']")).to_be_visible(timeout=120_000)
                page.evaluate(HIDE, True)
                alone = [bare()]
                pairs = []
                for _ in range(rounds):
                    page.evaluate(HIDE, False)
                    pairs.append(watched(page))
                    page.evaluate(HIDE, True)
                    alone.append(bare())
            seen, pictures = (statistics.median(column) for column in zip(*pairs, strict=True))
            each = [pair[0] / statistics.mean(beside) for pair, beside in zip(pairs, itertools.pairwise(alone), strict=True)]
            ratios.append(statistics.median(each))
            error = statistics.stdev(each) * math.sqrt(math.pi / 2 / rounds)  # of a median of normal numbers
            watching = f"with the page open and watching {seen:.0f} steps/s, {pictures:.1f} pictures/s"
            print(f"{dim} dimensions: bare {statistics.median(alone):.0f} steps/s; {watching}")
            print(
                f"median of {rounds} ratios: {ratios[-1]:.1%}, give or take {error:.1%}; wanted at least {WANTED:.0%}", flush=True
            )
    return int(min(ratios) < WANTED)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
