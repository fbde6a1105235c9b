"""Circle loss: every similarity is weighted by how far it is from its optimum."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._logsumexp import log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, constant, dot, exp, hinge, log, log_of_sum, numbers, total
from dml_viz.params import param


@dataclass(frozen=True)
class Circle(Loss):
    """Similarities to positives and to negatives are added in one loss, each weighted by its distance from its optimum.

    The weights alpha_p and alpha_n are held constant. "per anchor" takes the mean over the anchors that have a positive and
    a negative; "per batch" has one term, over all unordered pairs. Without a positive or a negative a term is 0.
    """

    title = "Circle"
    sentence = "Every similarity is weighted by how far it is from its optimum, so that the worst moves most."
    formula = (
        r"L=\log\Big[1+\sum_je^{\gamma\alpha_n^j(s_n^j-m)}\sum_ie^{-\gamma\alpha_p^i(s_p^i-1+m)}\Big],\quad "
        r"\alpha_p=[1+m-s_p]_+,\quad \alpha_n=[s_n+m]_+"
    )
    weight_formula = (
        r"w_p=-Z\,\frac{e^{-\gamma\alpha_p(s_p-1+m)}}{\sum_i e^{-\gamma\alpha_p^i(s_p^i-1+m)}}\,\gamma\alpha_p,\quad "
        r"w_n=Z\,\frac{e^{\gamma\alpha_n(s_n-m)}}{\sum_j e^{\gamma\alpha_n^j(s_n^j-m)}}\,\gamma\alpha_n,\quad Z=1-e^{-L}"
    )
    rewritten = (
        ("reduction", "per anchor", r"L=\log", r"L=\frac{1}{|\mathcal A|}\sum_{a\in\mathcal A}\log"),
        ("reduction", "per anchor", "Z=1-e^{-L}", r"Z=\frac{1-e^{-L_a}}{|\mathcal A|}"),
    )
    reference = (
        "Sun, Cheng, Zhang, Zhang, Zheng, Wang, Wei: Circle Loss: A Unified Perspective of Pair Similarity Optimization, "
        "CVPR 2020, arXiv:2002.10857"
    )
    families = ("pairs",)
    masked = True
    held_constant = "The weights αₚ and αₙ are held constant although they move with the similarities."
    elsewhere = (
        "pytorch-metric-learning's CircleLoss is this per anchor; of anchors with both kinds it leaves those out whose loss "
        "rounds to 0. TinyZeaMays' code is this per batch."
    )
    traps = (
        "Value and gradient disagree by design: descent pushes sₙ below 0, where the printed loss rises again.",
        "That rise is in the value alone: the gradient used pushes a negative at every similarity above −m, and at none below.",
        "Finite differences of the value do not give the gradient: a numerical check has to hold the weights α fixed.",
        "Were all α 1, only sₙ − sₚ would count, with the one margin 1 − 2 m. With them, pairs of equal loss lie on a "
        "circle around sₚ = 1, sₙ = 0.",
        "Exponents reach about 4 γ, at opposite positives: plain exponentials overflow in float32 from γ = 24 on.",
        "The gradient grows with γ: an anchor pulls with up to γ (2 + m), and pushes with up to γ (1 + m).",
    )

    margin: float = param(
        0.4,
        "how far the optima, 1 + m for positives and -m for negatives, lie outside 0 to 1",
        "m",
        domain="[0, 1] cosine",
        slider=(0.0, 0.5, 0.01),
        source="0.4 for image retrieval, 0.25 for faces and persons, in the docstring of pytorch-metric-learning's CircleLoss",
    )
    gamma: float = param(
        80.0,
        "scale: how strongly the worst similarity outweighs the others",
        r"\gamma",
        domain="(0, 1000]",
        slider=(1.0, 256.0, 1.0),
        source="80 for image retrieval, 128 for persons, 256 for faces, in the docstring of pytorch-metric-learning's CircleLoss",
    )
    reduction: str = param(
        "per anchor",
        "one term for every anchor, averaged, or one for all pairs of the batch",
        r"\sum",
        choices=("per anchor", "per batch"),
        source="per anchor in pytorch-metric-learning, per batch in TinyZeaMays' code",
    )

    @property
    def variant_text(self) -> str:
        if self.reduction == "per anchor":
            return "One term for every anchor's own pairs; the mean over the anchors that have a positive and a negative."
        return "One term for the batch: every unordered pair once, with no anchors."

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        if self.reduction == "per anchor":
            terms_of = [[(i, j) for j in everyone if j != i] for i in everyone]
        else:
            terms_of = [[(i, j) for i in everyone for j in everyone if i < j]]
        terms: list[Number] = []
        for pairs in terms_of:
            of_positives: list[Number] = []
            of_negatives: list[Number] = []
            for i, j in pairs:
                s = dot(points[i], points[j])
                if labels[i] == labels[j]:
                    alpha_p = constant(hinge(1 + self.margin - s))
                    of_positives.append(-self.gamma * alpha_p * (s - 1 + self.margin))
                else:
                    alpha_n = constant(hinge(s + self.margin))
                    of_negatives.append(self.gamma * alpha_n * (s - self.margin))
            if of_positives and of_negatives:
                x = log_of_sum(of_positives) + log_of_sum(of_negatives)
                # log(1 + e^x), which for large x is x.
                terms.append(x + log(1 + exp(-x)) if x > 0 else log(1 + exp(x)))
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        alpha_p = (1 + self.margin - pairs.s).relu().detach()
        alpha_n = (pairs.s + self.margin).relu().detach()
        pull = torch.where(pairs.positive, -self.gamma * alpha_p * (pairs.s - 1 + self.margin), -torch.inf)
        push = torch.where(pairs.negative, self.gamma * alpha_n * (pairs.s - self.margin), -torch.inf)
        if self.reduction == "per anchor":
            x = pull.logsumexp(1) + push.logsumexp(1)  # (N,)
        else:
            # Both sums count every pair twice, so that each is halved: log(1/2) + log(1/2).
            x = pull.flatten().logsumexp(0) + push.flatten().logsumexp(0) - math.log(4)
        terms = torch.isfinite(x).sum().clamp(min=1)
        return torch.logaddexp(x, torch.zeros_like(x)).sum() / terms

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        # 1 - s from distances, which is exact where s rounds to 1.
        away = pairs.d2 / 2
        alpha_p, alpha_n = away + self.margin, (1 + self.margin - away).clamp_(min=0)
        pull = (away - self.margin).mul_(alpha_p).mul_(self.gamma).add_(pairs.only_positives)
        push = (1 - self.margin - away).mul_(alpha_n).mul_(self.gamma).add_(pairs.only_negatives)
        if self.reduction == "per batch":
            pull, push = pull.reshape(1, -1), push.reshape(1, -1)
        pulls, pushes = log_sum(pull), log_sum(push)
        x = pulls.value + pushes.value
        if self.reduction == "per batch":
            x -= math.log(4)
        terms = torch.isfinite(x).sum().clamp(min=1)
        z = (x.sigmoid() * self.gamma / terms)[:, None]
        push, pull = pushes.shares.mul_(z).reshape(away.shape), pulls.shares.mul_(z).reshape(away.shape)
        weights = push.mul_(alpha_n).sub_(pull.mul_(alpha_p))
        return torch.logaddexp(x, torch.zeros_like(x)).sum() / terms, weights
