"""Training steps: ours against pytorch-metric-learning's as in its documentation, and the cost of frames.

CPU time of one thread. The contestants take turns within each round, so that other load on the machine affects all
of them; each figure is the median over the rounds, and so is each ratio. Losses that the library lacks are measured alone.
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice, repeat
from typing import Any

import torch
from pytorch_metric_learning import samplers
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from benchmarks.peers import PEERS, UNCOUNTED
from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.data.training_set import training_set
from dml_viz.losses import LOSSES, Loss
from dml_viz.training.loop import Run, State, advance, begin
from dml_viz.training.nets.mlp import MLP

ROUNDS = 5
STEPS = 200
SLICE = 100  # steps, about what a worker trains between two answers
LONGEST = 0.3  # seconds in a round for a library loss too slow for all steps
CLASSES, SAMPLES = 4, 64
# With 64 samples of a class one step of the library's loss takes a quarter of a second to minutes, and gigabytes.
FEWER, THEIR_SLOWEST = 16, ("histogram", "lifted", "nt_xent", "smooth_ap")
FASTER, SLOWEST = 5.0, 2.0
DEARER = 1.10

Contestant = Callable[[int], object]


def recipe(loss: Loss, samples: int = SAMPLES, **changes: object) -> Run:
    """The run that both sides train, on the digits, with the same number of steps."""
    run = Run(Digits(), net=MLP(), dim=3, lr=0.0002, sampler=PByK(CLASSES, samples), loss=loss, steps=20_000, device="cpu")
    return replace(run, **changes)  # type: ignore[arg-type]


def library_steps(run: Run, criterion: Callable[[int, int], nn.Module]) -> Iterator[None]:
    """An endless loop of steps as in the library's documentation: DataLoader, MPerClassSampler, loss, Adam."""
    data = training_set(run.dataset, run.protocol, torch.device("cpu"))
    # The library's distances normalise by default, so its net ends before our last layer, which does.
    net = run.net.build(data.side, run.dim, torch.Generator().manual_seed(run.seed))[:-1]
    assert isinstance(run.sampler, PByK)
    size, loss = run.sampler.classes * run.sampler.samples, criterion(data.classes, run.dim)
    sampler = samplers.MPerClassSampler(data.y, m=run.sampler.samples, batch_size=size, length_before_new_iter=len(data.y))
    loader = DataLoader(TensorDataset(data.x, data.y), batch_size=size, sampler=sampler)
    groups: list[dict[str, Any]] = [{"params": net.parameters()}]
    groups.append({"params": loss.parameters(), "lr": run.lr * run.proxy_lr})
    optimizer = torch.optim.Adam(groups, lr=run.lr)
    for x, y in chain.from_iterable(repeat(loader)):
        optimizer.zero_grad()
        loss(net(x), y).backward()
        optimizer.step()
        yield


class Ours:
    """Training as in the engine: slice after slice from a plain state."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.state: State = begin(run)

    def __call__(self, steps: int) -> None:
        if self.state.step + steps > self.run.steps:
            self.state = begin(self.run)
        end = self.state.step + steps
        while self.state.step < end:
            self.state, _ = advance(self.run, self.state, min(SLICE, end - self.state.step))
            if self.state.failed:
                raise RuntimeError(self.state.failed)


def seconds(contestants: dict[str, Contestant]) -> dict[str, list[float]]:
    """The CPU seconds per step of each contestant in each round."""
    steps = {}
    for name, contestant in contestants.items():
        contestant(1)
        # Ours takes all steps, so that every round has its frame.
        slow = name == "library" and measured(contestant, 1) * STEPS > LONGEST
        steps[name] = max(1, int(LONGEST / measured(contestant, 1))) if slow else STEPS
        contestant(steps[name])
    took: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, contestant in contestants.items():
            took[name].append(measured(contestant, steps[name]))
    return took


def measured(contestant: Contestant, steps: int) -> float:
    """The CPU seconds per step."""
    begun = time.thread_time()
    contestant(steps)
    return (time.thread_time() - begun) / steps


def ratio(above: list[float], below: list[float]) -> float:
    """The median over the rounds of one contestant's time over another's."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def contest(name: str, loss: Loss, criterion: Callable[[int, int], nn.Module] | None, samples: int) -> float:
    """Print one line: the library's steps, ours without frames and with them; return the ratio of their times."""
    bare, framed = recipe(loss, samples, every=1000), recipe(loss, samples)
    contestants: dict[str, Contestant] = {"bare": Ours(bare), "framed": Ours(framed)}
    if criterion:
        library = library_steps(bare, criterion)
        contestants["library"] = lambda steps: list(islice(library, steps))
    took = seconds(contestants)
    rates = {contestant: f"{1 / statistics.median(times):12.0f}" for contestant, times in took.items()}
    faster = ratio(took["library"], took["bare"]) if criterion else float("nan")
    dearer = ratio(took["framed"], took["bare"])
    print(
        f"{name:28}{CLASSES * samples:6}{rates.get('library', ''):>12}{rates['bare']}{rates['framed']}"
        + (f"{faster:10.1f} x" if criterion else f"{'':12}")
        + f"{100 * (dearer - 1):11.1f} %",
        flush=True,
    )
    return faster


def main() -> int:
    """Print the table; return how many targets were missed."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", module="pytorch_metric_learning")
    run = recipe(LOSSES["fastap"]())
    print(f"steps per second, {run.net}, d = {run.dim}, a frame every {run.stride} steps")
    print(f"{'':28}{'batch':>6}{'library':>12}{'ours':>12}{'with frames':>12}{'ratio':>12}{'frames cost':>13}")
    known = {name.split(",")[0] for name in PEERS}
    ratios = {}
    for name, peer in PEERS.items():
        ratios[name] = contest(name, peer.ours, peer.theirs, FEWER if name in THEIR_SLOWEST else SAMPLES)
    for name in sorted(set(LOSSES) - known):
        contest(name, LOSSES[name](), None, SAMPLES)
    del ratios[UNCOUNTED]
    median, (slowest, least) = statistics.median(ratios.values()), min(ratios.items(), key=lambda item: item[1])
    print(f"without {UNCOUNTED}: median {median:.1f} x, least {least:.1f} x ({slowest})")
    print(f"wanted: all at least {SLOWEST:g} x, the median {FASTER:g} x, frames within {100 * (DEARER - 1):.0f} %")
    return (median < FASTER) + (least < SLOWEST)


if __name__ == "__main__":
    sys.exit(main())
