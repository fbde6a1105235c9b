"""The results of a loss: pair weights, and value with gradients."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Weights:
    """Pair weights, the common language of every picture.

    ``pair`` (N, N) is dL/ds_ij for s_ij = z_i . z_j, its transpose not added; ``proxy`` (N, M) is dL/ds for
    s = z_i . p_j with p_j on the unit sphere. Each is None where a loss has no such term. Where ``one_sided``, a pair moves
    the end i alone. For a loss of raw rows, s may be the inner products of other ``rows`` (N, d) than z, a row's product with
    itself may have a weight, and ``rest`` (N, d) is the part of the gradient that belongs to no pair.
    """

    pair: Tensor | None = None
    proxy: Tensor | None = None
    one_sided: bool = False
    rows: Tensor | None = None
    rest: Tensor | None = None


@dataclass(frozen=True)
class Gradients:
    """The value (scalar), the gradient at z (N, d) and one gradient per learnt tensor; none carries a graph."""

    value: Tensor
    z: Tensor
    learnt: Mapping[str, Tensor]
