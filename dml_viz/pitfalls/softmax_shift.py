"""A softmax does not feel a shift of all similarities, so two margins are one; Proxy-Anchor does."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example

MARGIN = 0.1


def two_margins(scale: float, z: Tensor, y: Tensor, proxies: Tensor) -> float:
    """Softmax cross-entropy with the margin taken from the own cosine and added to all others, as it is written down."""
    s = z @ proxies.T
    own = torch.arange(len(proxies)) == y[:, None]
    return float(torch.nn.functional.cross_entropy(scale * torch.where(own, s - MARGIN, s + MARGIN), y))


@dataclass(frozen=True)
class SoftmaxShift(Erratum):
    """Both margins beside their sum, and a shift of all cosines in a softmax and in Proxy-Anchor."""

    title = "One margin or two"
    losses = ("margin_softmax", "proxy_anchor")
    circulates = "The margins are written twice, $s_p-m$ and $s_n+m$, as if each did something of its own."
    text = (
        "Inside a softmax m on both is exactly twice m on one: {margin:.1f} on both costs {both:.6f}, and {twice:.1f} "
        "on one {doubled:.6f}. For a softmax only differences count, so {shift:.1f} added to every cosine changes its "
        "loss by {softmax_change:.1g}. Proxy-Anchor changes by {anchor_change:.2f}: the one inside its logarithms does "
        "not shift along."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(32, 8, 8)
        proxies, shift = directions(8, 8), 0.1
        softmax, anchor = MarginSoftmax(form="AM-softmax", margin=2 * MARGIN), ProxyAnchor()
        pairs = softmax.pairs(z, y, {"proxies": proxies})
        shifted = pairs.at(pairs.d2 - 2 * shift)  # s = 1 - d^2 / 2
        return {
            "margin": MARGIN, "twice": softmax.margin, "both": two_margins(softmax.scale, z, y, proxies),
            "doubled": float(softmax.of_pairs(pairs)), "shift": shift,
            "softmax_change": float((softmax.of_pairs(shifted) - softmax.of_pairs(pairs)).abs()),
            "anchor_change": float(anchor.of_pairs(shifted) - anchor.of_pairs(pairs)),
        }  # fmt: skip
