"""Neighbourhood components analysis: the chance of picking a neighbour of the own class."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from dml_viz.losses._base import Loss
from dml_viz.losses._logsumexp import log_one_and_sum, log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, exp, log, numbers, squared_distance, total
from dml_viz.params import param

ROOM = 0.7  # share of a float's exponents up to which sums and quotients of exponentials need no factoring out


@dataclass(frozen=True)
class NCA(Loss):
    """An anchor picks a neighbour by a softmax of minus squared distance; the loss is minus the log chance of its own class."""

    title = "NCA"
    sentence = "Every point softly picks a neighbour and should pick one of its own class, no matter which."
    formula = (
        r"L = \frac1A\sum_{i:\,\mathcal P_i\neq\emptyset}-\log\frac{\sum_{p\in\mathcal P_i}e^{-\sigma d_{ip}^2}}"
        r"{\sum_{j\neq i}e^{-\sigma d_{ij}^2}}"
    )
    weight_formula = (
        r"w_{ip} = -\frac{2\sigma}{A}\,\frac{e^{-\sigma d_{ip}^2}}{Z_i^+}\,\frac{Z_i^-}{Z_i^++Z_i^-},\quad "
        r"w_{in} = +\frac{2\sigma}{A}\,\frac{e^{-\sigma d_{in}^2}}{Z_i^++Z_i^-},\quad "
        r"Z_i^\pm=\sum_{j\in\mathcal P_i|\mathcal N_i}e^{-\sigma d_{ij}^2}"
    )
    reference = "Goldberger, Roweis, Hinton, Salakhutdinov: Neighbourhood Components Analysis, NeurIPS 2004"
    families = ("tuples",)
    masked = True
    variant_text = "Squared distances; the log of the chance, not the chance itself; the mean over anchors that have a positive."
    elsewhere = (
        "pytorch-metric-learning's NCALoss (its softmax_scale is scale) computes the same where every anchor has a positive. It "
        "drops anchors whose chance underflows to 0, and gives NaN where it has dropped them all."
    )
    traps = (
        "One near positive is enough: the others of the class are hardly pulled, so a class may stay in several clumps.",
        "On the sphere squared distances end at 4. At scale 1 a negative weighs at least e⁻⁴ times a point at the anchor's own "
        "place, and the loss cannot come near 0.",
        "With scale = 1 / (2 τ) the softmax is SupCon's; only the mean over positives has moved into the logarithm.",
        "An anchor without another point of its class has chance 0 and an infinite loss; here it is left out.",
    )

    scale: float = param(
        1.0,
        "how fast the chance of a neighbour falls with squared distance",
        r"\sigma",
        domain="(0, 10000]",
        slider=(0.5, 16.0, 0.5),
        source="Goldberger et al. 2004, equation 1, which learns the scale with the embedding",
    )

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        terms: list[Number] = []
        for i in everyone:
            e = {j: exp(-self.scale * squared_distance(points[i], points[j])) for j in everyone if j != i}
            positives = [j for j in e if labels[j] == labels[i]]
            if positives:
                terms.append(-log(total(e[p] for p in positives) / total(e.values())))
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        anchors = pairs.positive_counts > 0
        scores = -self.scale * pairs.d2[anchors]
        of_positives = torch.where(pairs.positive[anchors], scores, -torch.inf).logsumexp(1, keepdim=True)
        of_negatives = torch.where(pairs.negative[anchors], scores, -torch.inf)
        return log_one_and_sum(of_negatives - of_positives).sum() / anchors.sum().clamp(min=1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        anchors = pairs.positive_counts.clamp(max=1)
        each = anchors / anchors.sum().clamp_(min=1)
        if 4 * self.scale < ROOM * -math.log(torch.finfo(each.dtype).tiny):
            terms = (pairs.d2 * (-self.scale / math.log(2))).exp2_()
            positives, negatives = terms * pairs.positive_ones, terms.mul_(pairs.negative_ones)
            # Every sum is above this bound, unless it is empty.
            of_positives = positives.sum(1).clamp_(min=math.exp(-4 * self.scale) / 2)
            of_negatives = negatives.sum(1)
            odds = of_negatives / of_positives
            share = each * (2 * self.scale) / of_negatives.add_(of_positives)
            weights = negatives.mul_(share[:, None]).addcmul_(positives, (share * odds)[:, None], value=-1)
            return torch.dot(each, odds.log1p()), weights
        scores = pairs.d2 * -self.scale
        of_own, of_others = log_sum(scores + pairs.only_positives), log_sum(scores + pairs.only_negatives)
        # From logarithms: 1 minus the chance of the own class would cancel where the chance is near 1.
        ahead = torch.where(each > 0, of_own.value - of_others.value, torch.inf)
        missed = each * (2 * self.scale) * ahead.neg().sigmoid()
        return -torch.dot(each, logsigmoid(ahead)), of_others.shares.sub_(of_own.shares).mul_(missed[:, None])
