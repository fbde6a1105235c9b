"""The cost of watching for a training loop: the same steps with and without it, in turn, on one batch size and net.

An app in its own process takes the frames, at the priority of ``dml-viz watch``. A pair is the steps from one frame
to the next of each of two loops, in random order; the cost is the mean over pairs without their lowest and highest tenth,
with its standard error. The goal is 1 %; a machine with other load gives no answer.
"""

import os
import random
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

import dml_viz
from dml_viz.export import look
from dml_viz.export.watch import NICE

SECONDS, EVERY = 240.0, 10  # without a probe and with one
CLASSES, EACH, SIDE, DIM = 16, 8, 32, 64
GOAL = 0.01
WARM = 5  # frames that the app takes before the measurement
TOKEN = "benchmark"


def net() -> nn.Sequential:
    """A small conv net, whose step takes some tens of milliseconds of one core."""
    layers: list[nn.Module] = []
    for before, after in ((3, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.BatchNorm2d(after), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, DIM))


class Loss(nn.Module):
    """A contrastive loss in a few lines, as people write it."""

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        """The mean over pairs."""
        distances = torch.cdist(z, z)
        same = y[:, None] == y
        return torch.where(same, distances.square(), (1 - distances).clamp(min=0).square()).mean()


class Loop:
    """A loop with its own net and loss, watched or not; ``block`` returns the seconds of `EVERY` steps."""

    def __init__(self, address: str, probe: bool) -> None:
        torch.manual_seed(0)
        self.net, self.loss, self.y = net(), Loss(), torch.arange(CLASSES).repeat_interleave(EACH)
        self.optimiser = torch.optim.Adam(self.net.parameters())
        self.x = torch.randn(len(self.y), 3, SIDE, SIDE)
        if address:
            points = (self.x[::2], self.y[::2])
            options: dict[str, Any] = {"net": self.net, "probe": points} if probe else {}
            self.watching = dml_viz.watch(self.loss, every=EVERY, to=address, **options)

    def block(self) -> float:
        """Run the steps from one frame to the next; return their seconds."""
        began = time.perf_counter()
        for _ in range(EVERY):
            self.optimiser.zero_grad()
            self.loss(self.net(self.x), self.y).backward()
            self.optimiser.step()
        return time.perf_counter() - began


@contextmanager
def app() -> Iterator[str]:
    """The address of an app that waits for loops."""
    port = look.free_port()
    process, base = look.start_app(port, {"DML_VIZ_WATCH_TOKENS": TOKEN}, "127.0.0.1", NICE)
    try:
        yield f"{base}/#{TOKEN}"
    finally:
        process.terminate()
        process.wait()


def trimmed(ratios: list[float]) -> tuple[float, float]:
    """The mean without the lowest and highest tenth, and its standard error (Tukey and McLaughlin 1963)."""
    tenth = len(ratios) // 10
    middle = sorted(ratios)[tenth : len(ratios) - tenth]
    ends = [middle[0]] * tenth + middle + [middle[-1]] * tenth
    return statistics.fmean(middle), statistics.stdev(ends) / (1 - 2 * tenth / len(ratios)) / len(ratios) ** 0.5


def main() -> int:
    """Print the cost of watching as a share of a step, without a probe and with one; return 1 if it is above the goal."""
    torch.set_num_threads(max(1, (os.cpu_count() or 2) - 1))
    over = 0
    with app() as address:
        for probe in (False, True):
            plain, watched = Loop("", False), Loop(address, probe)
            hook = watched.watching
            while hook.sender.delivered < WARM:
                watched.block()
            ratios, before, taken = [], hook.copying.spent + hook.sender.spent, 0.0
            until = time.perf_counter() + SECONDS
            while time.perf_counter() < until:
                pair = [plain, watched]
                random.shuffle(pair)
                seconds = {loop: loop.block() for loop in pair}
                ratios.append(seconds[watched] / seconds[plain] - 1)
                taken += seconds[watched]
            cost, error = trimmed(ratios)
            counted = (hook.copying.spent + hook.sender.spent - before) / taken
            print(
                f"{'with' if probe else 'without'} a probe: {len(ratios)} pairs, watched {cost:+.2%} ± {error:.2%}, "
                f"as counted {counted:.2%}; {hook.sender.delivered} frames, one every {hook.pace.apart} steps",
                flush=True,
            )
            over += cost > GOAL
            hook.remove()
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
