"""The time for value and gradient of a loss, measured here, against the size of the batch."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from dml_viz.analysis import fresh_learnt
from dml_viz.embedding.sphere import normalise, squared_chords
from dml_viz.losses import Loss
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.fastap import FastAP
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.triplet import Triplet
from dml_viz.pitfalls._circulating import circulating_gradient
from dml_viz.threads import once
from dml_viz.training.device import repeatable

SIZES = (32, 64, 128, 256, 512, 1024)
CLASSES, DIM, REPEATS = 16, 64, 3
LARGEST_DENSE = 256  # batch of the published backward pass, whose cost grows as N^3


@dataclass(frozen=True, eq=False)
class Cost:
    """A loss by its ``title``: milliseconds (K,), the least of `REPEATS`, and what it counts (K,), for the first K of `SIZES`."""

    title: str
    counts: str
    milliseconds: np.ndarray


@once
def costs() -> tuple[Cost, ...]:
    """The costs on random unit rows in `CLASSES` classes, in time of one core of this server, measured at the first call."""
    losses: tuple[tuple[Loss, str], ...] = (
        (Triplet(), "all triplets, N³"),
        (Contrastive(), "all pairs, N²"),
        (FastAP(), "N rankings, N²"),
        (ProxyAnchor(), f"N·C, C = {CLASSES}"),
    )
    measured = []
    for loss, counts in losses:
        learnt = fresh_learnt(loss, CLASSES, DIM, torch.float32)
        measured.append(Cost(loss.name, counts, _measured(partial(loss.gradients, **learnt))))

    def dense(z: torch.Tensor, y: torch.Tensor) -> object:
        return circulating_gradient(z.numpy(), squared_chords(z, z).numpy(), y.numpy(), FastAP().bins)

    few = [size for size in SIZES if size <= LARGEST_DENSE]
    return (*measured, Cost("FastAP, published backward", "dense matrices in each bin", _measured(dense, few)))


def batch(size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Random unit rows (N, d) float32 with labels (N,), always the same."""
    rows = torch.randn(size, DIM, generator=torch.Generator().manual_seed(0))
    return normalise(rows), torch.arange(size) % CLASSES


def _measured(ask: Callable[[torch.Tensor, torch.Tensor], object], sizes: Sequence[int] = SIZES) -> np.ndarray:
    least = []
    with repeatable():
        for size in sizes:
            z, y = batch(size)
            ask(z, y)  # warm
            taken = []
            for _ in range(REPEATS):
                began = time.thread_time()
                ask(z, y)
                taken.append(1000 * (time.thread_time() - began))
            least.append(min(taken))
    return np.array(least)
