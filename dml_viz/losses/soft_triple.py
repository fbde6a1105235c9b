"""SoftTriple: a softmax over classes that have several learnt centres each."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._learnt_tensor import PROXIES
from dml_viz.losses._logsumexp import cross_entropy
from dml_viz.losses._pairs import Pairs, gradient_before_normalising
from dml_viz.losses._results import Gradients
from dml_viz.losses._scalar import Number, constant, dot, exp, log, numbers, root, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class SoftTriple(Loss):
    """Softmax cross-entropy over classes; a class's similarity is the mean of its centres' cosines, weighted by their softmax.

    ``proxies`` (C * K, d) are the K centres of class 0, then those of class 1, and so on; they may have any length. A
    regulariser draws the centres of a class together, so that centres that the class does not need become one.
    """

    title = "SoftTriple"
    sentence = "Every class has several learnt centres; a sample is pulled to the nearest of its own and pushed off the others'."
    formula = (
        r"L = -\frac1N\sum_i\log\frac{e^{\lambda(S_{iy_i}-\delta)}}"
        r"{e^{\lambda(S_{iy_i}-\delta)}+\sum_{c\ne y_i}e^{\lambda S_{ic}}}"
        r"+\frac{\tau}{CK(K-1)}\sum_c\sum_{k<l}\lVert w_c^k-w_c^l\rVert,\quad "
        r"S_{ic} = \sum_k a_{ick}\,x_i^\top w_c^k,\quad a_{ic\cdot} = \mathrm{softmax}_k\big(x_i^\top w_c^k/\gamma\big)"
    )
    weight_formula = (
        r"w_{ick} = \frac{\lambda}{N}\,(q_{ic}-\mathbb 1[c=y_i])\,a_{ick}\Big(1+\frac{x_i^\top w_c^k-S_{ic}}{\gamma}\Big),"
        r"\quad q_{i\cdot} = \text{softmax over classes}"
    )
    reference = (
        "Qian, Shang, Sun, Hu, Li, Jin: SoftTriple Loss: Deep Metric Learning Without Triplet Sampling, ICCV 2019, "
        "arXiv:1909.05235"
    )
    families = ("proxies", "classification")
    learnable = (PROXIES,)
    elsewhere = (
        "pytorch-metric-learning's SoftTripleLoss (la is the scale) computes the same without the regulariser, which there is "
        "SparseCentersRegularizer with weight τ; the official code adds 0.00001 under its root."
    )
    traps = (
        "The regulariser sums distances, not their squares: its pull does not fade as centres come together, so they become one.",
        "Without care its root has an infinite derivative where two centres are one, which is where it takes them.",
        "With one centre per class this is AM-softmax, and there is nothing to regularise.",
        "A centre far from the sample can be pushed though its class is the sample's own: the mean of the class then rises.",
        "The regulariser moves centres alone: no sample's weights show it.",
    )

    centres: int = param(
        10,
        "centres of each class",
        "K",
        domain="[1, 100]",
        slider=(1, 10, 1),
        source="10 in the official code and in pytorch-metric-learning; some others take 2",
    )
    gamma: float = param(
        0.1,
        "temperature among the centres of a class: the smaller, the more the nearest counts alone",
        r"\gamma",
        domain="[0.001, 100]",
        slider=(0.01, 1.0, 0.01),
        source="Qian et al. 2019, section 4",
    )
    scale: float = param(
        20.0,
        "what similarities to classes are multiplied by before the softmax",
        r"\lambda",
        domain="(0, 1000]",
        slider=(1.0, 64.0, 1.0),
        source="Qian et al. 2019, section 4",
    )
    margin: float = param(
        0.01,
        "what is taken from the similarity to the own class",
        r"\delta",
        domain="[0, 2] cosine",
        slider=(0.0, 0.5, 0.01),
        source="Qian et al. 2019, section 4",
    )
    tau: float = param(
        0.2,
        "weight of the regulariser that draws the centres of a class together",
        r"\tau",
        domain="[0, 1000]",
        slider=(0.0, 1.0, 0.05),
        source="Qian et al. 2019, section 4; none in pytorch-metric-learning by default",
    )

    @property
    def variant_text(self) -> str:
        many = "One centre" if self.centres == 1 else f"{self.centres} centres"
        regulariser = "not drawn together" if self.tau == 0 or self.centres == 1 else f"drawn together by {self.tau:g}"
        return f"{many} per class, {regulariser}; cosines softened by {self.gamma:g}; cross-entropy at scale {self.scale:g}."

    @property
    def per_class(self) -> int:
        return self.centres

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        # Norms near 1: only directions change the loss, but longer proxies turn more slowly.
        return {"proxies": torch.randn(classes * self.centres, dim, generator=generator) / math.sqrt(dim)}

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        rows = [[w / root(dot(row, row)) for w in row] for row in numbers(learnt["proxies"])]
        classes = [rows[start : start + self.centres] for start in range(0, len(rows), self.centres)]
        losses: list[Number] = []
        for x, label in zip(numbers(z), y.tolist(), strict=True):
            logits: list[Number] = []
            for c, centres in enumerate(classes):
                s = [dot(x, w) for w in centres]
                nearest = max(constant(s_k) for s_k in s)
                shares = [exp((s_k - nearest) / self.gamma) for s_k in s]
                similarity = total(a * s_k for a, s_k in zip(shares, s, strict=True)) / total(shares)
                logits.append(self.scale * (similarity - self.margin if c == label else similarity))
            largest = max(constant(logit) for logit in logits)
            losses.append(log(total(exp(logit - largest) for logit in logits)) + largest - logits[label])
        of_a_class = [(centre, other) for centres in classes for k, centre in enumerate(centres) for other in centres[k + 1 :]]
        apart = total(root(squared_distance(centre, other)) for centre, other in of_a_class)
        pairs_twice = max(len(rows) * (self.centres - 1), 1)
        return total(losses) / len(losses) + self.tau * apart / pairs_twice

    def of_pairs(self, pairs: Pairs) -> Tensor:
        s = pairs.s.view(len(pairs.s), -1, self.centres)  # (N, C, K)
        similarity = ((s / self.gamma).softmax(2) * s).sum(2)  # (N, C)
        same = torch.nn.functional.one_hot(pairs.y.long(), similarity.shape[1]).to(s.dtype)
        logits = self.scale * (similarity - self.margin * same)
        return torch.nn.functional.cross_entropy(logits, pairs.y.long()) + self._regulariser(self._distances(pairs.to))

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        value, weights = self._softmax(pairs)
        return value + self._regulariser(self._distances(pairs.to)), weights

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        softmax = self.gradients_of_weights(pairs, learnt, *self._softmax(pairs))
        if self.centres == 1 or self.tau == 0:
            return softmax
        d = self._distances(pairs.to)
        at_proxies = gradient_before_normalising(self._regulariser_gradient(pairs.to, d), learnt["proxies"])
        at_proxies += softmax.learnt["proxies"]
        return Gradients(softmax.value + self._regulariser(d), softmax.z, {"proxies": at_proxies})

    def _softmax(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """The value without the regulariser, and the weights (N, C * K)."""
        # Samples are the last dimension: over a short last dimension a softmax takes fifteen times as long.
        s = pairs.s.T.reshape(-1, self.centres, len(pairs.s))  # (C, K, N)
        weights = (s / self.gamma).softmax(1)
        similarity = (weights * s).sum(1)  # (C, N)
        weights *= (s - similarity[:, None]).div_(self.gamma).add_(1)
        labels = pairs.y.long()[None]
        logits = similarity.scatter_add_(0, labels, similarity.new_full((), -self.margin).expand_as(labels)).mul_(self.scale)
        value, of_class = cross_entropy(logits.T, pairs.y, self.scale)
        return value, weights.mul_(of_class.T[:, None]).flatten(0, 1).T

    def _regulariser(self, d: Tensor) -> Tensor:
        """The weighted mean of the distances (C, K, K) between centres of a class, halved."""
        return d.sum() * (self.tau / (2 * d.shape[0] * d.shape[1] * max(self.centres - 1, 1)))

    def _regulariser_gradient(self, proxies: Tensor, d: Tensor) -> Tensor:
        """The gradient (C * K, d) of `_regulariser` at unit rows; a pair of centres at distance 0 adds 0."""
        towards = torch.where(d > 0, 1 / d, 0)  # (C, K, K)
        by_class = proxies.view(-1, self.centres, proxies.shape[1])
        gradient = towards.sum(2, keepdim=True) * by_class - towards @ by_class
        return gradient.flatten(0, 1).mul_(self.tau / (len(proxies) * (self.centres - 1)))

    def _distances(self, proxies: Tensor) -> Tensor:
        """The distances (C, K, K) of the centres of each class."""
        by_class = proxies.view(-1, self.centres, proxies.shape[1])
        # From differences: a matrix product would round the distances of near centres away.
        return torch.cdist(by_class, by_class, compute_mode="donot_use_mm_for_euclid_dist")
