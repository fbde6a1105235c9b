"""Supervised contrastive loss: a softmax over all other points, averaged over the positives."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._logsumexp import log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, dot, exp, log, numbers, total
from dml_viz.params import param


@dataclass(frozen=True)
class SupCon(Loss):
    """An anchor picks one of all other points by a softmax of similarity, and should pick all its positives equally often."""

    title = "SupCon"
    sentence = "Every anchor softly picks among all other points, and should pick its positives, all of them equally."
    formula = (
        r"L = \frac1A\sum_{i:\,\mathcal P_i\neq\emptyset}\frac{-1}{|\mathcal P_i|}\sum_{p\in\mathcal P_i}"
        r"\log\frac{e^{s_{ip}/\tau}}{\sum_{j\neq i}e^{s_{ij}/\tau}}"
    )
    weight_formula = (
        r"w_{ij} = \frac{1}{A\,\tau}\Big(q_{ij}-\frac{\mathbb 1[j\in\mathcal P_i]}{|\mathcal P_i|}\Big),\quad "
        r"q_{ij} = \frac{e^{s_{ij}/\tau}}{\sum_{k\neq i}e^{s_{ik}/\tau}}"
    )
    reference = "Khosla, Teterwak, Wang, Sarna, Tian and others: Supervised Contrastive Learning, NeurIPS 2020, arXiv:2004.11362"
    families = ("tuples",)
    variant_text = "Cosine similarity; the mean over positives outside the logarithm; the mean over anchors that have a positive."
    elsewhere = (
        "pytorch-metric-learning's SupConLoss (its temperature is τ) computes the same, but gives 0 for a batch of one class. "
        "The official code also multiplies by τ / 0.07."
    )
    traps = (
        "Positives are in the denominator too, so with several of them the loss cannot reach 0: "
        "at best every positive gets an equal share.",
        "A positive nearer than the others is pushed away once its share exceeds 1 / |P|: positives compete with each other.",
        "The mean is over the anchors that have a positive, not over all points.",
        "A smaller τ makes all gradients larger, by 1 / τ, and leaves them to ever fewer of the nearest points.",
    )

    tau: float = param(
        0.1,
        "temperature: how far ahead in similarity is clearly ahead",
        r"\tau",
        domain="[0.0001, inf) cosine",
        slider=(0.05, 0.5, 0.01),
        source="Khosla et al. 2020",
    )

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        terms: list[Number] = []
        for i in everyone:
            e = {j: exp(dot(points[i], points[j]) / self.tau) for j in everyone if j != i}
            positives = [j for j in e if labels[j] == labels[i]]
            if positives:
                terms.append(-total(log(e[p] / total(e.values())) for p in positives) / len(positives))
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        anchors = pairs.positive_counts > 0
        scores = (pairs.s / self.tau).fill_diagonal_(-torch.inf)[anchors]
        log_shares = scores - scores.logsumexp(1, keepdim=True)
        of_positives = torch.where(pairs.positive[anchors], log_shares, 0).sum(1) / pairs.positive_counts[anchors]
        return -of_positives.sum() / anchors.sum().clamp(min=1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        # Similarity less 1: the shares are the same, and near points differ.
        scores = pairs.d2.mul(-0.5 / self.tau).fill_diagonal_(-torch.inf)
        anchors, target = pairs.layout.of(_target, scores.dtype)
        everyone = log_sum(scores)
        of_target = torch.dot(target.view(-1), pairs.d2.reshape(-1)) * (0.5 / self.tau)
        value = torch.dot(anchors, everyone.value.clamp_(min=torch.finfo(scores.dtype).min)) + of_target
        return value, everyone.shares.mul_(anchors[:, None]).sub_(target).div_(self.tau)


def _target(y: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """The weight (N,) of each anchor in the mean, and the share of that weight that each positive should get (N, N)."""
    pairs = Pairs(torch.empty(len(y), 0, dtype=dtype), y)
    anchors = (pairs.positive_counts > 0).to(dtype)
    anchors /= anchors.sum().clamp(min=1)
    return anchors, pairs.positive_ones * (anchors / pairs.positive_counts.clamp(min=1))[:, None]
