"""FastAP's bins over [0, 2] go with distances, over [0, 4] with squared distances; mixed, they miss pairs."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.embedding.soft_bins import Binning, outside
from dml_viz.embedding.sphere import tangent
from dml_viz.losses import Pairs
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example

BINS = 10


@dataclass(frozen=True)
class FastAPRange(Erratum):
    """Both sound pairings on one batch, and the positive pairs that the mixed pairing leaves outside every bin."""

    title = "FastAP's range: [0, 2] or [0, 4]"
    losses = ("fastap",)
    circulates = (
        "The text spreads the bins over [0, 2]; the code that goes with it puts squared distances, which reach 4, into "
        "bins."
    )
    text = (
        "Both ranges are sound alone: with {bins:.0f} bins the loss is {plain:.4f} for distances on the first range "
        "and {squared:.4f} for squared distances on the second, and the cosine of their gradients is {cosine:.3f}. "
        "Mixed, squared distances on the first range, {near:.0%} of the positive pairs of loose classes and {far:.0%} "
        "of a batch without any order lie outside every bin, without a gradient, and no error is raised."
    )
    misled = (
        "The shares hang on how far the batch has been trained: the tighter its classes, the fewer pairs are missed."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(64, 64, 8)
        loss = FastAP(bins=BINS)
        leaf = z.clone().requires_grad_()
        pairs = Pairs(leaf, y)
        # Equal bins of d on [0, 2] are equal bins of 2 d on [0, 4].
        plain = loss.of_pairs(pairs.at(2 * pairs.d))
        of_plain = tangent(torch.autograd.grad(plain, leaf)[0], z)
        found = loss.gradients(z, y)
        _, cosine = ratio_and_cosine(of_plain, found.z)
        near, far = (_missed(*example(64, 8, 8, spread=spread)) for spread in (0.5, 0.0))
        return {
            "bins": BINS, "plain": float(plain.detach()), "squared": float(found.value), "cosine": cosine,
            "near": near, "far": far,
        }  # fmt: skip


def _missed(z: Tensor, y: Tensor) -> float:
    """The share of positive pairs whose squared distance is past the last of the bins over [0, 2]."""
    pairs = Pairs(z, y)
    return float(outside(pairs.d2[pairs.positive].numpy(), Binning(BINS, top=2.0)).mean())
