"""Inner products put in the place of distances, and clamped at 0 like distances, lose half of their gradients."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example
from dml_viz.pitfalls._training import trial

LENGTH = 3.0


def products(z: Tensor, proxies: Tensor) -> Tensor:
    """Inner products (N, C) of points and proxies of that length, from unit rows."""
    return LENGTH**2 * z @ proxies.T


def unclamped(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """The loss with inner products where it wants distances."""
    return torch.nn.functional.cross_entropy(-products(z, proxies), y)


def clamped(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """The same with the clamp that was there to keep rounding errors of distances from falling below 0."""
    return torch.nn.functional.cross_entropy(-products(z, proxies).clamp(min=0), y)


@dataclass(frozen=True)
class ProxyClamp(Erratum):
    """The share of entries that the clamp takes, and digits trained with it and without."""

    title = "Proxy-NCA: a clamp in the wrong place"
    losses = ("proxy_nca",)
    circulates = (
        "A rewrite left in comments returns mm(a, a.T) as the distance and keeps the clamp after it; “it seems not to "
        "converge”."
    )
    text = (
        "The loss gets stuck, and the clamp is why; retrieval suffers less. An inner product is a nearness, so the sign "
        "is turned, which alone would only send the proxies to the antipodes: trained on digits the loss reaches "
        "{free_loss:.2f} and R@1 {free_recall:.3f}, against {right_recall:.3f} with distances. But clamping at zero takes "
        "the gradient from {lost:.0%} of the entries of a random batch, all that are negative: the loss stays at "
        "{stuck_loss:.2f}, while R@1 still comes to {stuck_recall:.3f}."
    )
    misled = (
        "One start of a linear map on digits: from others the loss is stuck as well, while R@1 falls by next to nothing or by "
        "much more."
    )

    def measure(self) -> dict[str, float]:
        z, _ = example(32, 8, 8)
        right = ProxyNCA(scale=LENGTH, positive_in_denominator=True)
        free, stuck = trial(unclamped), trial(clamped)
        return {
            "lost": float((products(z, directions(8, 8)) < 0).double().mean()),
            "right_recall": trial(lambda z, y, proxies: right.value(z, y, proxies=proxies)).recall,
            "free_loss": free.loss, "free_recall": free.recall, "stuck_loss": stuck.loss, "stuck_recall": stuck.recall,
        }  # fmt: skip
