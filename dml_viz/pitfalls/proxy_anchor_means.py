"""Proxy-Anchor's first mean is over the classes present in the batch, not over its samples."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import Pairs, log_one_and_sum
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example


def over_samples(loss: ProxyAnchor, z: Tensor, y: Tensor, proxies: Tensor) -> float:
    """The loss as the notes read it, its first sum divided by the number of samples."""
    pairs = Pairs(z, y, proxies, torch.arange(len(proxies)))
    pull = torch.where(pairs.positive, -loss.alpha * (pairs.s - loss.delta), -torch.inf)
    push = torch.where(pairs.negative, loss.alpha * (pairs.s + loss.delta), -torch.inf)
    return float(log_one_and_sum(pull, 0).sum() / len(y) + log_one_and_sum(push, 0).mean())


@dataclass(frozen=True)
class ProxyAnchorMeans(Erratum):
    """The value with either divisor, some classes being absent from the batch."""

    title = "Proxy-Anchor: what P⁺ counts"
    losses = ("proxy_anchor",)
    circulates = "The notes divide the pull by the number of positive samples, which is how they read P⁺."
    text = (
        "$P^+$ is the set of proxies whose class is present in the batch: {present:.0f} here, for {samples:.0f} "
        "samples of {classes:.0f} classes. Divided by the samples instead, the pull shrinks {times:.1f} times and the "
        "loss is {wrong:.2f} rather than {right:.2f}. That the push is divided by all classes, the notes have right."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(40, 8, 5)
        proxies = directions(9, 8)
        loss = ProxyAnchor()
        present = len(y.unique())
        return {
            "present": present, "samples": len(y), "classes": len(proxies), "times": len(y) / present,
            "wrong": over_samples(loss, z, y, proxies), "right": float(loss.value(z, y, proxies=proxies)),
        }  # fmt: skip
