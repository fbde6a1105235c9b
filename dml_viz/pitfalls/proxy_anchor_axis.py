"""Proxy-Anchor is no AM-softmax: its softmax runs over samples, theirs over classes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import Loss
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example


@dataclass(frozen=True)
class ProxyAnchorAxis(Erratum):
    """Sums of each sample's weights in either loss, and the correlation between the two tables of weights."""

    title = "Proxy-Anchor and AM-softmax: cousins, not twins"
    losses = ("proxy_anchor", "margin_softmax")
    circulates = "The notes take Proxy-Anchor for AM-softmax in new clothes."
    text = (
        "In AM-softmax the proxies compete for each sample, so a sample's weights add up to nothing (at most "
        "{softmax_most:.0e} here). In Proxy-Anchor the samples compete for each proxy, and a sample's weights add up "
        "to anything from {anchor_least:.2f} to {anchor_most:.2f}. The two tables of weights correlate by "
        "{correlation:.2f}: cousins, not twins."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(32, 8, 8)
        proxies = directions(8, 8)
        anchor, softmax = (_weights(loss, z, y, proxies) for loss in (ProxyAnchor(), MarginSoftmax()))
        sums = anchor.sum(1)
        return {
            "softmax_most": float(softmax.sum(1).abs().max()), "anchor_least": float(sums.min()),
            "anchor_most": float(sums.max()),
            "correlation": float(torch.corrcoef(torch.stack((anchor.flatten(), softmax.flatten())))[0, 1]),
        }  # fmt: skip


def _weights(loss: Loss, z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    found = loss.weights(z, y, proxies=proxies).proxy
    assert found is not None
    return found
