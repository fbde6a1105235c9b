"""A proxy is a learnt row that belongs to a class, not the nearest of some samples; and its distance is squared."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.embedding.sphere import tangent
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example


def with_plain_distances(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """Proxy-NCA as the note writes it, with Euclidean distances where the loss squares them."""
    d = torch.cdist(z, proxies)
    own = torch.nn.functional.one_hot(y, len(proxies)) == 1
    return (d[own] + torch.where(own, -torch.inf, -d).logsumexp(1)).mean()


@dataclass(frozen=True)
class LearntProxies(Erratum):
    """How many samples have another class's proxy nearest at the start, and what plain distances would give."""

    title = "What a proxy is"
    losses = ("proxy_nca",)
    circulates = (
        "The notes take the proxy of a sample for the nearest sample of a small training subset, and d for the "
        "Euclidean distance."
    )
    text = (
        "Proxies are learnt rows, one to a class, and a sample's proxy is that of its class, however far. With proxies "
        "as they start, {strangers:.0f} of {samples:.0f} samples have another class's proxy nearest, and {pulled:.0f} "
        "are pulled by their own. All code squares the distance: unsquared, the loss of this batch would be "
        "{plain:.3f} and not {squared:.3f}, with a gradient {times:.2f} times as long (cosine {cosine:.3f})."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(40, 8, 8)
        proxies, loss = directions(8, 8), ProxyNCA()
        found = loss.gradients(z, y, proxies=proxies)
        weights = loss.weights(z, y, proxies=proxies).proxy
        assert weights is not None
        leaf = z.clone().requires_grad_()
        plain = with_plain_distances(leaf, y, proxies)
        times, cosine = ratio_and_cosine(tangent(torch.autograd.grad(plain, leaf)[0], z), found.z)
        return {
            "samples": len(y), "strangers": float(((z @ proxies.T).argmax(1) != y).sum()),
            "pulled": float((weights.gather(1, y[:, None]) < 0).sum()),
            "plain": float(plain.detach()), "squared": float(found.value), "times": times, "cosine": cosine,
        }  # fmt: skip
