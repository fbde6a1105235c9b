"""Training steps: ours against pytorch-metric-learning's as its documentation writes them, and what frames cost.

CPU time of one thread. The contestants take turns within each round, so that whatever else the machine does meets all
of them; each figure is the median over the rounds, and so is each ratio.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, repeat

import torch
from pytorch_metric_learning import losses, miners, samplers
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

from dml_viz.loss import Loss
from dml_viz.losses.fastap import FastAP
from dml_viz.losses.triplet import Triplet
from dml_viz.samplers.p_by_k import PByK
from dml_viz.training import Run, State, advance, begin
from dml_viz.training_set import training_set

ROUNDS = 9
STEPS = 200
SLICE = 100  # steps, about what a worker trains between two answers
CLASSES, SAMPLES = 4, 64
FASTER = 3.0
DEARER = 1.10


def recipe(loss: Loss, **changes: object) -> Run:
    """The run that both sides train: batch 256 on the digits, within one budget."""
    return replace(Run(sampler=PByK(CLASSES, SAMPLES), loss=loss, steps=20_000, device="cpu"), **changes)  # type: ignore[arg-type]


def library_steps(run: Run, criterion: Callable[[Tensor, Tensor], Tensor]) -> Iterator[None]:
    """One step after another, as the library's documentation trains: DataLoader, MPerClassSampler, loss, Adam."""
    data = training_set(run.dataset, run.protocol, torch.device("cpu"))
    # The library's distances normalise, so its net ends before our last layer, which does.
    net = run.net.build(data.side, run.dim, torch.Generator().manual_seed(run.seed))[:-1]
    sampler = samplers.MPerClassSampler(
        data.y, m=SAMPLES, batch_size=CLASSES * SAMPLES, length_before_new_iter=len(data.y)
    )
    loader = DataLoader(TensorDataset(data.x, data.y), batch_size=CLASSES * SAMPLES, sampler=sampler)
    optimizer = torch.optim.Adam(net.parameters(), lr=run.lr)
    for x, y in chain.from_iterable(repeat(loader)):
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        yield


def batch_hard() -> Callable[[Tensor, Tensor], Tensor]:
    """The library's triplet loss on the hardest triplets of the batch."""
    miner, loss = miners.BatchHardMiner(), losses.TripletMarginLoss(margin=0.2)
    return lambda z, y: loss(z, y, miner(z, y))


class Ours:
    """Training as the engine asks for it: slice after slice from a plain state."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.state: State = begin(run)

    def __call__(self) -> None:
        for _ in range(STEPS // SLICE):
            self.state, _ = advance(self.run, self.state, SLICE)
        if self.state.step + STEPS > self.run.steps:
            self.state = begin(self.run)


def seconds(contestants: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """CPU seconds a step of each contestant in each round."""
    took: dict[str, list[float]] = {name: [] for name in contestants}
    for contestant in contestants.values():
        contestant()
    for _ in range(ROUNDS):
        for name, contestant in contestants.items():
            begun = time.thread_time()
            contestant()
            took[name].append((time.thread_time() - begun) / STEPS)
    return took


def ratio(above: list[float], below: list[float]) -> float:
    """The median over the rounds of one contestant's time over another's."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def contest(name: str, loss: Loss, criterion: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Print one line: the library's steps, ours without frames and ours with them."""
    bare, framed = recipe(loss, every=1000), recipe(loss)
    library = library_steps(bare, criterion)
    took = seconds({
        "library": lambda: [next(library) for _ in range(STEPS)],
        "bare": Ours(bare),
        "framed": Ours(framed),
    })  # fmt: skip
    rates = [1 / statistics.median(took[contestant]) for contestant in ("library", "bare", "framed")]
    faster, dearer = ratio(took["library"], took["bare"]), ratio(took["framed"], took["bare"])
    print(f"{name:22}" + "".join(f"{rate:12.0f}" for rate in rates) + f"{faster:10.1f} x{100 * (dearer - 1):11.1f} %")


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    every = Run().stride
    print(f"steps per second, batch {CLASSES * SAMPLES}, {Run().net}, d = {Run().dim}, a frame every {every} steps")
    print(f"{'':22}{'library':>12}{'ours':>12}{'with frames':>12}{'ratio':>12}{'frames cost':>13}")
    contest("FastAP, 10 bins", FastAP(bins=10), losses.FastAPLoss(num_bins=10))
    contest("triplet, batch-hard", Triplet(mining="batch-hard"), batch_hard())
    print(f"wanted: at least {FASTER:g} times the library's, frames within {100 * (DEARER - 1):.0f} %")


if __name__ == "__main__":
    main()
