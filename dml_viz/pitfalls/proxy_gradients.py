"""The gradients printed for the proxy losses have lost their minus signs and sums."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import Loss
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example


@dataclass(frozen=True)
class ProxyGradients(Erratum):
    """Proxy-NCA's slopes per sample, and how hard Proxy-Anchor pulls the nearest and the farthest sample of a proxy."""

    title = "Proxy losses: the lost minus signs"
    losses = ("proxy_nca", "proxy_anchor")
    circulates = (
        "The note on Proxy-Anchor gives Proxy-NCA's gradient as “{1, softmax}”, and its formulas have lost minus signs "
        "and sums."
    )
    text = (
        "The slope of a sample's Proxy-NCA is {own:.0f} in the similarity to its own proxy, which pulls, and softmax "
        "shares in those to the others, which sum to {others:.0f} and push. In Proxy-Anchor's pull the exponent is "
        "$-\\alpha(s-\\delta)$: of two samples {gap:.2f} apart in cosine the farther one is pulled {times:.1f} times "
        "as hard, $e^{{\\alpha\\,\\Delta s}}$ = {expected:.1f}. Without the minus sign it would be the nearer one."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(32, 8, 8, spread=0.2)
        proxies = directions(8, 8)  # the centres of the classes
        nca, anchor = ProxyNCA(), ProxyAnchor()
        # A squared distance falls by 2 where a similarity rises by 1, and the loss is a mean.
        slopes = _weights(nca, z, y, proxies) * len(y) / (2 * nca.scale**2)
        own = torch.nn.functional.one_hot(y) == 1
        of_first = (y == 0).nonzero()[:, 0]
        s, pulls = (table[of_first, 0] for table in (z @ proxies.T, _weights(anchor, z, y, proxies)))
        gap = float(s.max() - s.min())
        return {
            "own": float(slopes[own].mean()), "others": float(slopes[~own].sum() / len(y)), "gap": gap,
            "times": float(pulls[s.argmin()] / pulls[s.argmax()]), "expected": math.exp(anchor.alpha * gap),
        }  # fmt: skip


def _weights(loss: Loss, z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    found = loss.weights(z, y, proxies=proxies).proxy
    assert found is not None
    return found
