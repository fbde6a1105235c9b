"""Fewer proxies than classes, cut off rather than shared, leave whole classes without a target."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example
from dml_viz.pitfalls._training import trial

CLASSES = 10
SHARE = 0.51  # of the number of classes, in the note's experiment
FULL = ProxyNCA(scale=3.0, positive_in_denominator=True)


def truncated(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """Each sample's loss (N,) with targets one-hot over the proxies there are: a row of zeros where a class has none."""
    targets = (y[:, None] == torch.arange(len(proxies))).to(z.dtype)
    logits = -(FULL.scale**2) * (z[:, None] - proxies).square().sum(2)
    return -(targets * logits.log_softmax(1)).sum(1)


@dataclass(frozen=True)
class ProxyTruncation(Erratum):
    """The samples without loss and gradient, and digits trained with a proxy for every class or for about half."""

    title = "Proxy-NCA with fewer proxies than classes"
    losses = ("proxy_nca",)
    circulates = (
        "A note keeps proxies for a little more than half of the classes, the first ones, and changes nothing else."
    )
    text = (
        "Fewer proxies need dynamic assignment, a rule that says which proxy stands for which class; truncation is "
        "none. With {proxies:.0f} proxies for {classes:.0f} classes, {idle:.0f} of {samples:.0f} samples have exactly "
        "zero loss and zero gradient. Trained on digits, R@1 falls from {full_recall:.3f} to {cut_recall:.3f}, to "
        "{without_recall:.3f} in the classes without a proxy."
    )
    misled = (
        "A linear map keeps digits apart that it was never asked to part; how much R@1 falls is no measure for a deep "
        "net."
    )

    def measure(self) -> dict[str, float]:
        kept = int(SHARE * CLASSES)
        z, y = example(4 * CLASSES, 8, CLASSES)
        leaf = z.clone().requires_grad_()
        each = truncated(leaf, y, directions(kept, 8))
        slopes = torch.autograd.grad(each.sum(), leaf)[0]
        idle = (each == 0) & (slopes == 0).all(1)
        full = trial(lambda z, y, proxies: FULL.value(z, y, proxies=proxies))
        cut = trial(lambda z, y, proxies: truncated(z, y, proxies).mean(), proxies=kept)
        return {
            "classes": CLASSES, "proxies": kept, "samples": len(y), "idle": float(idle.sum()),
            "full_recall": full.recall, "cut_recall": cut.recall,
            "without_recall": float(cut.found[cut.y >= kept].double().mean()),
        }  # fmt: skip
