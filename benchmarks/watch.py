"""What watching costs a training loop: the same steps with and without it, in turn, on one batch size and net.

An app in a process of its own takes the frames, at the priority that ``dml-viz watch`` gives it. The share is that of the
medians of the rounds; the goal is 1 %.
"""

import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

import dml_viz
from dml_viz.app.web import look
from dml_viz.app.web.watch import NICE

ROUNDS, STEPS, EVERY = 15, 60, 10
CLASSES, EACH, SIDE, DIM = 16, 8, 32, 64
GOAL = 0.01
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
    """A loop with its own net and loss, watched or not; ``round`` gives the seconds of `STEPS` steps."""

    def __init__(self, address: str, probe: bool) -> None:
        torch.manual_seed(0)
        self.net, self.loss, self.y = net(), Loss(), torch.arange(CLASSES).repeat_interleave(EACH)
        self.optimiser = torch.optim.Adam(self.net.parameters())
        self.x = torch.randn(len(self.y), 3, SIDE, SIDE)
        if address:
            points = (self.x[::2], self.y[::2])
            options = {"net": self.net, "probe": points} if probe else {}
            self.watching = dml_viz.watch(self.loss, every=EVERY, to=address, **options)

    def round(self) -> float:
        """The seconds of some steps."""
        began = time.perf_counter()
        for _ in range(STEPS):
            self.optimiser.zero_grad()
            self.loss(self.net(self.x), self.y).backward()
            self.optimiser.step()
        return time.perf_counter() - began


@contextmanager
def app() -> Iterator[str]:
    """The address of an app that waits for loops."""
    port = look.free_port()
    process, base = look.start(port, {"DML_VIZ_WATCH_TOKENS": TOKEN}, "127.0.0.1", NICE)
    try:
        yield f"{base}/#{TOKEN}"
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    """Print the share of a step that watching takes, without a probe and with one; 1 where that is above the goal."""
    torch.set_num_threads(max(1, (os.cpu_count() or 2) - 1))
    over = 0
    with app() as address:
        for probe in (False, True):
            plain, watched = Loop("", False), Loop(address, probe)
            plain.round()
            while not watched.watching.sender.delivered:  # until the app is warm
                watched.round()
            times: dict[str, list[float]] = {"plain": [], "watched": []}
            for place in range(ROUNDS):
                pair = (("plain", plain), ("watched", watched))
                for name, loop in pair if place % 2 else pair[::-1]:
                    times[name].append(loop.round())
            medians = {name: statistics.median(values) for name, values in times.items()}
            share = medians["watched"] / medians["plain"] - 1
            least = min(times["watched"]) / min(times["plain"]) - 1
            made = watched.watching
            counted = (made.spent + made.sender.spent) / sum(times["watched"])
            print(
                f"{'with' if probe else 'without'} a probe: a step {1000 * medians['plain'] / STEPS:.1f} ms, watched "
                f"{share:+.2%} (least {least:+.2%}), as counted {counted:.2%}; {made.sender.delivered} frames, "
                f"one every {made.pace.apart} steps",
                flush=True,
            )
            over += share > GOAL
            made.remove()
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
