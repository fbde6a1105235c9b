"""Squared distances to proxies follow from inner products, if lengths are what they are taken to be; and cost less memory."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example

LENGTH = 3.0
BATCH, CLASSES = 256, 20_000
BYTES = 4  # of a float32


def rewritten(z: Tensor, proxies: Tensor) -> Tensor:
    """The distances as the code rewrites them: 18 - 2 x.p, whatever the lengths."""
    return 2 * LENGTH**2 - 2 * z @ proxies.T


@dataclass(frozen=True)
class ProxyProducts(Erratum):
    """The identity, its error off the sphere, and the memory of either form for a large number of classes."""

    title = "Proxy-NCA's distances as inner products"
    losses = ("proxy_nca",)
    circulates = (
        "Code computes $18-2x^\\top p$ in place of squared distances; the notes ask why a classifier's layer then "
        "needs no memory."
    )
    text = (
        "The rewritten form is the squared distance for points and proxies of length {length:.0f} (error "
        "{on_sphere:.0e}), and is off by {off_sphere:.2f} for points {longer:.1f} times too long, so normalise first. "
        "For a batch of {batch:.0f} and {classes:,.0f} classes it holds {rewritten_memory:.2f} GB per array, B × C "
        "numbers, instead of {square_memory:.2f} GB, (B + C)² numbers, when points and proxies are stacked and all "
        "their distances taken. That is why the memory is saved."
    )

    def measure(self) -> dict[str, float]:
        z, _ = example(32, 8, 8)
        proxies, longer = LENGTH * directions(8, 8), 1.3
        on, off = (
            float((rewritten(x, proxies) - (x[:, None] - proxies).square().sum(2)).abs().max())
            for x in (LENGTH * z, longer * LENGTH * z)
        )
        return {
            "length": LENGTH, "on_sphere": on, "off_sphere": off, "longer": longer, "batch": BATCH, "classes": CLASSES,
            "rewritten_memory": BATCH * CLASSES * BYTES / 1e9, "square_memory": (BATCH + CLASSES) ** 2 * BYTES / 1e9,
        }  # fmt: skip
