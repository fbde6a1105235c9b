"""With the positive in its denominator Proxy-NCA's pull fades as it succeeds; as published, without, it never does."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example


@dataclass(frozen=True)
class ProxyDenominator(Erratum):
    """Value, gradient and pull of both denominators, for points that have arrived at their proxies."""

    title = "Proxy-NCA: the positive in the denominator"
    losses = ("proxy_nca",)
    circulates = "The widespread code and libraries keep the positive in the denominator; the paper leaves it out."
    text = (
        "For points close to their proxies the paper's loss is {out_value:.2f}, with a gradient of length "
        "{out_gradient:.2f}: every own proxy pulls with weight {out_pull:.2f}, near or far, and the loss has no floor. "
        "With the positive kept the loss is {in_value:.4f}, the gradient {in_gradient:.3f}, the pull {in_pull:.4f}: "
        "what has arrived is left alone. To train, keep it."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(40, 8, 8, spread=0.1)
        proxies = directions(8, 8)  # the centres of the classes
        numbers: dict[str, float] = {}
        for name, inside in (("out", False), ("in", True)):
            loss = ProxyNCA(scale=3.0, positive_in_denominator=inside)
            found = loss.gradients(z, y, proxies=proxies)
            numbers |= {
                f"{name}_value": float(found.value), f"{name}_gradient": float(found.z.norm()),
                f"{name}_pull": _pull(loss, z, y, proxies),
            }  # fmt: skip
        return numbers


def _pull(loss: ProxyNCA, z: Tensor, y: Tensor, proxies: Tensor) -> float:
    """The mean pull of a sample's own proxy, per sample and per unit of the exponent."""
    weights = loss.weights(z, y, proxies=proxies).proxy
    assert weights is not None
    return float(-weights.gather(1, y[:, None]).mean()) * len(y) / (2 * loss.scale**2)
