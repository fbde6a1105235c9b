"""The small fixed batches on which pitfalls are measured, and the weights of a loss with proxies."""

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Loss


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
