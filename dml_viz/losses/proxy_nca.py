"""Proxy-NCA: every sample compares its own learnt proxy with all others."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._learnt_tensor import PROXIES
from dml_viz.losses._logsumexp import cross_entropy, log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, constant, exp, log, numbers, root, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class ProxyNCA(Loss):
    """Neighbourhood component analysis with one learnt proxy per class in place of the neighbours.

    ``proxies`` (C, d) may have any length; they are normalised inside the loss. With ``smoothing`` e the target of a sample is
    1 - e at its own proxy and e / (C - 1) at every other one, whatever the denominator. With one class the loss is 0.
    """

    title = "Proxy-NCA"
    sentence = "Every sample is pulled to the learnt proxy of its class and pushed off the others, the nearest most."
    formula = (
        r"L = \frac1N\sum_i -\log\frac{e^{-D(x_i,p_{y_i})}}{\sum_{z\in Z_i}e^{-D(x_i,p_z)}},\quad "
        r"D = \sigma^2\lVert x-p\rVert^2,\quad Z_i = \{z\ne y_i\}\ \text{or all classes}"
    )
    weight_formula = (
        r"w_{iz} = \frac{2\sigma^2}{N}(q_{iz}-t_{iz}),\quad q_{iz} = \frac{e^{-D(x_i,p_z)}}{\sum_{Z_i}e^{-D}}\ (0\ "
        r"\text{outside}\ Z_i),\quad t_{iz} = 1-\varepsilon\ (z=y_i),\ \tfrac{\varepsilon}{C-1}\ \text{else}"
    )
    rewritten = (
        ("positive_in_denominator", False, r"\{z\ne y_i\}\ \text{or all classes}", r"\{z\ne y_i\}"),
        ("positive_in_denominator", True, r"\{z\ne y_i\}\ \text{or all classes}", r"\{1,\dots,C\}"),
    )
    reference = (
        "Movshovitz-Attias, Toshev, Leung, Ioffe, Singh: No Fuss Distance Metric Learning using Proxies, ICCV 2017, "
        "arXiv:1703.07464"
    )
    families = ("proxies",)
    learnable = (PROXIES,)
    elsewhere = (
        "pytorch-metric-learning's ProxyNCALoss (softmax_scale is the scale squared) and dichotomies/proxy-nca keep the positive "
        "in the denominator. The latter scales samples by 1 and proxies by 3, here a scale of the square root of 3, and smooths "
        "its targets by 0.1."
    )
    traps = (
        "As published the positive is not in the denominator: the pull never fades, and the loss has no floor at 0.",
        "Scaling samples by a and proxies by b multiplies the squared distance of unit rows by a b, up to what cancels. The "
        "scale here is the root of a b, and the temperature in the cosine is half of 1 / (a b).",
        "With the sign of the distance turned round, training works all the same: proxies go to the antipodes of their classes.",
        "Proxies are learnt and belong to one class each; they are no samples. A sample's proxy is that of its class, "
        "however far; only the paper's dynamic assignment takes the nearest one.",
        "Fewer proxies than classes take dynamic assignment: a sample whose class has no proxy has no target and no gradient.",
        "Taking the logarithm after the softmax drops the hardest samples, whose share underflows to 0 at a large scale.",
        "Cutting negative squared distances off at 0 is harmless; cutting inner products used in their place is not.",
    )

    scale: float = param(
        1.0,
        "length of samples and proxies; squared, it multiplies squared distances",
        r"\sigma",
        domain="(0, 1000]",
        slider=(1.0, 8.0, 0.1),
        source="unit vectors in Movshovitz-Attias et al. 2017; 3 for CUB and Cars in dichotomies/proxy-nca",
    )
    smoothing: float = param(
        0.0,
        "share of the target that goes to the other proxies",
        r"\varepsilon",
        domain="[0, 1]",
        slider=(0.0, 0.3, 0.01),
        source="none in Movshovitz-Attias et al. 2017; 0.1 in dichotomies/proxy-nca",
    )
    positive_in_denominator: bool = param(
        False,
        "keep the positive in the denominator, as a softmax does",
        "Z_i",
        source="Movshovitz-Attias et al. 2017 leaves it out; libraries keep it, as training here does",
        training=True,
    )

    @property
    def variant_text(self) -> str:
        over = "all proxies (libraries)" if self.positive_in_denominator else "the other proxies (the paper)"
        targets = "one target each" if self.smoothing == 0 else f"targets smoothed by {self.smoothing:g}"
        return f"Squared distances times {self.scale**2:.4g}; the denominator sums over {over}; {targets}."

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        # Norms near 1, as in dichotomies/proxy-nca: only directions change the loss, but longer proxies turn more slowly.
        return {"proxies": torch.randn(classes, dim, generator=generator) / math.sqrt(dim)}

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        samples, labels = numbers(z), y.tolist()
        proxies = [[p / root(total(q * q for q in row)) for p in row] for row in numbers(learnt["proxies"])]
        classes = range(len(proxies))
        if len(classes) == 1:
            return 0.0
        losses: list[Number] = []
        for x, label in zip(samples, labels, strict=True):
            distance = [self.scale**2 * squared_distance(x, p) for p in proxies]
            in_denominator = [c for c in classes if c != label or self.positive_in_denominator]
            # The largest term is factored out of the sum, which would underflow at a large scale.
            nearest = min(constant(distance[c]) for c in in_denominator)
            denominator = log(total(exp(nearest - distance[c]) for c in in_denominator)) - nearest
            target = [1 - self.smoothing if c == label else self.smoothing / (len(classes) - 1) for c in classes]
            losses.append(total(target[c] * (distance[c] + denominator) for c in classes))
        return total(losses) / len(losses)

    def of_pairs(self, pairs: Pairs) -> Tensor:
        distance = self.scale**2 * pairs.d2  # (N, C)
        others = distance.shape[1] - 1
        if others == 0:
            return distance.sum() * 0
        counts = torch.ones_like(pairs.same) if self.positive_in_denominator else pairs.negative
        denominator = torch.where(counts, -distance, -torch.inf).logsumexp(1)
        same = pairs.same.to(distance.dtype)
        target = (1 - self.smoothing) * same + self.smoothing / others * (1 - same)
        return ((target * distance).sum(1) + denominator).mean()

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        (n, classes), labels = pairs.d2.shape, pairs.y.long()[:, None]
        if classes == 1:
            return pairs.d2.new_zeros(()), torch.zeros_like(pairs.d2)
        exponents = pairs.d2 * -(self.scale**2)
        if self.positive_in_denominator and not self.smoothing:
            return cross_entropy(exponents, pairs.y, 2 * self.scale**2)
        to_own = exponents.gather(1, labels)
        of_other = self.smoothing / (classes - 1)
        numerator = (1 - self.smoothing - of_other) * to_own.sum()
        if self.smoothing:
            numerator += of_other * exponents.sum()
        if not self.positive_in_denominator:
            exponents.scatter_(1, labels, -torch.inf)
        denominator, weights = log_sum(exponents)
        if self.smoothing:
            weights -= of_other
        # Shares and targets both sum to 1, so the own weight is minus the sum of the others; 1 less the share would cancel.
        weights.scatter_(1, labels, 0)
        weights.scatter_(1, labels, -weights.sum(1, keepdim=True))
        return (denominator.sum() - numerator) / n, weights.mul_(2 * self.scale**2 / n)
