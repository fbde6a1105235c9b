"""FastAP's hand-written backward multiplies by dense diagonal matrices, which takes N^3 multiplications per bin."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.soft_bins import Binning
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls._base import Erratum

N = 128


def dense_scaling(pairs: Tensor, of_queries: Tensor) -> tuple[Tensor, int]:
    """Columns plus rows of ``pairs`` (N, N) scaled by ``of_queries`` (N,), as the circulating code does for every centre.

    With it, the multiplications that its two products take.
    """
    diagonal = torch.diag(of_queries)
    factors = ((pairs, diagonal), (diagonal, pairs))
    dense = torch.mm(pairs, diagonal) + torch.mm(diagonal, pairs)
    return dense, sum(a.shape[0] * a.shape[1] * b.shape[1] for a, b in factors)


@dataclass(frozen=True)
class FastAPCost(Erratum):
    """The multiplications of the circulating backward, and those that do."""

    title = "FastAP's cost: N² or N³"
    losses = ("fastap",)
    circulates = (
        "“Complexity O(NL)” for L centres, with a backward that scales each centre's pairs, positive and negative ones "
        "apart, by products with dense diagonal matrices."
    )
    text = (
        "One such scaling of {n:.0f} × {n:.0f} pairs takes {dense:,.0f} multiplications where {plain:,.0f} do, to the "
        "same result (difference {difference:.1g}): {times:.0f} times as many. With {centres:.0f} centres and two "
        "kinds of pairs that makes {all_dense:,.0f} in one backward. O(NL) is true of one query; a batch of N costs "
        "O(N²L) forward, and O(N³L) in this backward. Looking up each pair's own bin takes O(N²) both ways."
    )

    def measure(self) -> dict[str, float]:
        generator = torch.Generator().manual_seed(0)
        pairs = torch.randn(N, N, dtype=torch.float64, generator=generator)
        of_queries = torch.randn(N, dtype=torch.float64, generator=generator)
        dense, multiplications = dense_scaling(pairs, of_queries)
        plain = pairs * of_queries + of_queries[:, None] * pairs
        plainly = 2 * pairs.numel()
        centres = len(Binning(FastAP().bins).centres)
        return {
            "n": N, "dense": multiplications, "plain": plainly, "times": multiplications / plainly, "centres": centres,
            "all_dense": 2 * centres * multiplications, "difference": float((dense - plain).abs().max()),
        }  # fmt: skip
