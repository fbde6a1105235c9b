"""Batches on which every loss must work: ordinary ones, and those at the edges of its domain."""

import math

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Loss

Batch = tuple[Tensor, Tensor]


def drawn(n: int, dim: int, classes: int, seed: int = 0) -> Batch:
    """Random unit rows (n, dim) in float64 with random labels (n,)."""
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(n, dim, dtype=torch.float64, generator=generator)
    return normalise(z), torch.randint(0, classes, (n,), generator=generator)


def on_circle(*degrees: float) -> Tensor:
    """Unit rows (n, 2) in float64 at these angles."""
    angles = torch.tensor([math.radians(angle) for angle in degrees], dtype=torch.float64)
    return torch.stack((angles.cos(), angles.sin()), 1)


def tight(n: int, dim: int, spread: float, seed: int = 0) -> Batch:
    """Two classes in one cluster whose points lie about ``spread`` apart."""
    generator = torch.Generator().manual_seed(seed)
    z = torch.eye(dim, dtype=torch.float64)[0] + spread * torch.randn(n, dim, dtype=torch.float64, generator=generator)
    return normalise(z), torch.arange(n) % 2


def labels(*classes: int) -> Tensor:
    return torch.tensor(classes)


# No distances are equal here, so every subgradient is the gradient.
ORDINARY: dict[str, Batch] = {
    "on the circle": drawn(13, 2, 3, seed=1),
    "on the sphere": drawn(12, 3, 4, seed=2),
    "in five dimensions": drawn(14, 5, 4, seed=3),
    "more dimensions than points": drawn(9, 32, 3, seed=4),
    "unequal classes": (drawn(10, 4, 1, seed=5)[0], labels(0, 1, 0, 0, 0, 2, 0, 0, 1, 0)),
    "a class of one": (drawn(7, 3, 1, seed=6)[0], labels(0, 0, 1, 1, 2, 0, 1)),
    "a cluster": tight(10, 3, 0.01),
}
EDGES: dict[str, Batch] = {
    "one sample": (on_circle(30), labels(1)),
    "two of a class": (on_circle(30, 100), labels(0, 0)),
    "two of two classes": (on_circle(30, 100), labels(0, 1)),
    "one class": (drawn(6, 5, 1)[0], labels(0, 0, 0, 0, 0, 0)),
    "all singletons": (drawn(6, 3, 1)[0], labels(0, 1, 2, 3, 4, 5)),
    "all one point on the circle": (on_circle(*[77] * 6), labels(0, 1, 0, 1, 1, 0)),
    "all one point in five dimensions": (drawn(1, 5, 1)[0].repeat(6, 1), labels(0, 1, 0, 1, 1, 0)),
    "duplicates": (drawn(4, 5, 1, seed=7)[0].repeat_interleave(2, 0), labels(0, 1, 0, 0, 1, 2, 2, 1)),
    "antipodes on the circle": (on_circle(20, 200, 75, 255, 20, 140), labels(0, 0, 1, 1, 1, 0)),
    "antipodes in five dimensions": (torch.cat((z := drawn(3, 5, 1, seed=8)[0], -z)), labels(0, 1, 0, 0, 1, 1)),
    "one dimension": (torch.tensor([[1.0], [-1.0], [1.0], [-1.0]], dtype=torch.float64), labels(0, 0, 1, 1)),
}
ALL = ORDINARY | EDGES


def learnt_for(loss: Loss, batch: Batch, seed: int = 99) -> dict[str, Tensor]:
    """Fresh learnt tensors in the batch's type, for one class more than it has."""
    z, y = batch
    fresh = loss.initial_tensors(int(y.max()) + 2, z.shape[1], torch.Generator().manual_seed(seed))
    return {name: tensor.to(z.dtype) for name, tensor in fresh.items()}
