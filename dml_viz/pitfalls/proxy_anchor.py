"""Taking both means out of Proxy-Anchor changes its learning rate, and nothing else where all classes are present."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.embedding.sphere import tangent
from dml_viz.losses import Pairs, log_one_and_sum
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example

CLASSES = 8


def without_means(loss: ProxyAnchor, z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """The loss with both means taken out, sums in their place."""
    pairs = Pairs(z, y, proxies, torch.arange(len(proxies)))
    pull = torch.where(pairs.positive, -loss.alpha * (pairs.s - loss.delta), -torch.inf)
    push = torch.where(pairs.negative, loss.alpha * (pairs.s + loss.delta), -torch.inf)
    return log_one_and_sum(pull, 0).sum() + log_one_and_sum(push, 0).sum()


@dataclass(frozen=True)
class ProxyAnchorScale(Erratum):
    """Value and gradient without the means over those with them."""

    title = "Proxy-Anchor without its means"
    losses = ("proxy_anchor",)
    circulates = (
        "The notes report that leaving out both divisors, the numbers of proxies present and of all, cost seven points "
        "of recall."
    )
    text = (
        "With all {classes:.0f} classes in the batch both factors are one number, so without them value and gradient "
        "are {value_times:.4f} and {gradient_times:.4f} times as large, in the same direction (cosine {cosine:.4f}). "
        "What was changed is the learning rate, {classes:.0f} times here, and with it whatever clips gradients."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(4 * CLASSES, 8, CLASSES)
        proxies, loss = directions(CLASSES, 8), ProxyAnchor()
        right = loss.gradients(z, y, proxies=proxies)
        leaf = z.clone().requires_grad_()
        value = without_means(loss, leaf, y, proxies)
        times, cosine = ratio_and_cosine(tangent(torch.autograd.grad(value, leaf)[0], z), right.z)
        return {
            "classes": CLASSES, "value_times": float(value.detach() / right.value),
            "gradient_times": times, "cosine": cosine,
        }  # fmt: skip
