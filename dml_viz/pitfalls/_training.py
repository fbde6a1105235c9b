"""Batches for pitfalls, and a short run with proxies: a linear map of the digits, plain SGD, a tenth of a second."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.data.datasets.digits import Digits
from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Loss

STEPS, BATCH, RATE = 150, 64, 0.2
DIMENSIONS = 8
SCORED = 600  # images that are not trained on
ProxyLoss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""A differentiable loss of unit rows z (N, d), their labels y (N,) and unit proxies (C, d)."""


def example(n: int = 32, dim: int = 8, classes: int = 8, *, spread: float = 0.0, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Unit rows (n, dim) in float64 and labels (n,), every class as often as another to within one.

    The rows are anywhere on the sphere, or where ``spread`` is given about that far from their class's centre per coordinate.
    """
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % classes
    z = torch.randn(n, dim, dtype=torch.float64, generator=generator)
    if spread:
        z = directions(classes, dim, seed=seed)[y] + spread * z
    return normalise(z), y


def directions(n: int, dim: int, seed: int = 0) -> Tensor:
    """Unit rows (n, dim) in float64 anywhere on the sphere: proxies, or the centres of an `example`'s classes."""
    # Another seed than the rows', which would otherwise begin at the same places.
    generator = torch.Generator().manual_seed(seed + 1000)
    return normalise(torch.randn(n, dim, dtype=torch.float64, generator=generator))


def proxy_weights(loss: Loss, z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """Pair weights dL/ds (N, C) of rows z (N, d) with ``proxies`` (C, d)."""
    weights = loss.weights(z, y, proxies=proxies).proxy
    assert weights is not None
    return weights


@dataclass(frozen=True, eq=False)
class Trial:
    """The end of a run: its last loss, unit proxies (C, d), and unit rows z (n, d) with labels y (n,) of unseen images."""

    loss: float
    z: Tensor
    y: Tensor
    proxies: Tensor

    @property
    def hits(self) -> Tensor:
        """Whether each image's nearest neighbour is of its class (n,)."""
        near = retrieval(self.z.numpy(), self.y.numpy(), ks=(1,), neighbours=1).near[:, 0]
        return self.y[torch.from_numpy(near.astype("int64"))] == self.y

    @property
    def recall(self) -> float:
        """R@1 of the unseen images."""
        return float(self.hits.double().mean())

    @property
    def own_cosine(self) -> float:
        """The mean cosine between an image and the proxy of its class, over the classes with a proxy."""
        has = self.y < len(self.proxies)
        return float((self.z[has] * self.proxies[self.y[has]]).sum(1).mean())


def trial(loss: ProxyLoss, proxies: int = 10) -> Trial:
    """Train the map and the proxies of the first ``proxies`` classes, each time from the same start on the same batches."""
    images = Digits().load()
    x = torch.tensor(images.x, dtype=torch.float64).flatten(1)
    x -= x.mean(0)
    y = torch.tensor(images.y)
    net = (directions(x.shape[1], DIMENSIONS) / DIMENSIONS).requires_grad_()
    corners = directions(proxies, DIMENSIONS, seed=1).requires_grad_()
    trained = torch.arange(len(y) - SCORED)
    generator = torch.Generator().manual_seed(0)
    for _ in range(STEPS):
        rows = trained[torch.randint(len(trained), (BATCH,), generator=generator)]
        value = loss(normalise(x[rows] @ net), y[rows], normalise(corners))
        slopes = torch.autograd.grad(value, (net, corners))
        with torch.no_grad():
            for leaf, slope in zip((net, corners), slopes, strict=True):
                leaf -= RATE * slope
    with torch.no_grad():
        return Trial(float(value), normalise(x[-SCORED:] @ net), y[-SCORED:], normalise(corners))
