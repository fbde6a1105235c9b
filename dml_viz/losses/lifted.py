"""Lifted structured loss: every positive pair against all negatives of its two ends at once."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import _scalar
from dml_viz.losses._base import Loss
from dml_viz.losses._pairs import Pairs, weights_of_distance_slopes
from dml_viz.losses._scalar import Number, exp, hinge, log, numbers, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class LiftedStructured(Loss):
    """Every positive pair should be nearer, by a margin, than all negatives of its two ends; a soft minimum picks the nearest."""

    title = "Lifted structured"
    sentence = "Every positive pair looks at all negatives of both its ends and pushes the nearest of them most."
    formula = (
        r"L = \frac{1}{2|P|}\sum_{(i,j)\in P}[J_{ij}]_+^2,\quad J_{ij} = d_{ij}+\log\Big("
        r"\sum_{k\in\mathcal N_i}e^{\alpha-d_{ik}}+\sum_{l\in\mathcal N_j}e^{\alpha-d_{jl}}\Big)"
    )
    weight_formula = (
        r"w_{ij} = w_{ji} = -\frac{[J_{ij}]_+}{2|P|\,d_{ij}}\ ((i,j)\in P),\quad "
        r"w_{ik} = +\frac{1}{d_{ik}}\sum_{j:(i,j)\in P}\frac{[J_{ij}]_+}{|P|}\,\frac{e^{\alpha-d_{ik}}}{Z_{ij}}\ "
        r"(k\in\mathcal N_i),\quad Z_{ij} = e^{J_{ij}-d_{ij}}"
    )
    rewritten = (
        ("squared", False, "[J_{ij}]_+^2", "[J_{ij}]_+"),
        ("squared", False, r"\frac{[J_{ij}]_+}{2|P|\,d_{ij}}", r"\frac{[J_{ij}>0]}{4|P|\,d_{ij}}"),
        ("squared", False, r"\frac{[J_{ij}]_+}{|P|}", r"\frac{[J_{ij}>0]}{2|P|}"),
    )
    reference = (
        "Song, Xiang, Jegelka, Savarese: Deep Metric Learning via Lifted Structured Feature Embedding, CVPR 2016, "
        "arXiv:1511.06452"
    )
    families = ("tuples",)
    masked = True
    elsewhere = (
        "pytorch-metric-learning's LiftedStructureLoss (neg_margin = α) computes the same with the square; it has no switch "
        "for going without."
    )
    traps = (
        "It is never 0 in practice: the logarithm of many negatives grows with their number, even where all are far.",
        "The hinge is squared, so that costly pairs weigh more; the Ranked List paper restates the loss without the square.",
        "A positive pair without any negative has the logarithm of 0; it counts as 0.",
        "Distances are not squared: points that nearly coincide pull as hard as points far apart.",
    )

    alpha: float = param(
        1.0,
        "margin",
        r"\alpha",
        domain="[0, 1000] distance",
        slider=(0.0, 2.0, 0.05),
        source="Song et al. 2016, the authors' code",
    )
    squared: bool = param(True, "square the hinge", r"[J]_+^2", source="Song et al. 2016, equation 4")

    @property
    def variant_text(self) -> str:
        hinges = "squared hinges" if self.squared else "hinges without the square, as the Ranked List paper restates them"
        return f"Unsquared distances; half the mean over positive pairs of their {hinges}."

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        d = [[_scalar.root(squared_distance(points[i], points[j])) for j in everyone] for i in everyone]
        terms: list[Number] = []
        for i in everyone:
            for j in everyone:
                if labels[i] != labels[j] or not i < j:
                    continue
                of_i = [exp(self.alpha - d[i][k]) for k in everyone if labels[k] != labels[i]]
                of_j = [exp(self.alpha - d[j][k]) for k in everyone if labels[k] != labels[j]]
                term = hinge(d[i][j] + log(total(of_i + of_j))) if of_i else 0.0
                terms.append(term * term if self.squared else term)
        return total(terms) / (2 * len(terms)) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        # With the margin outside the sums nothing can overflow, because distances are at most 2.
        pushes = torch.where(pairs.negative, (-pairs.d).exp(), 0).sum(1)
        counted = pairs.positive & (pushes > 0)[:, None]
        hinges = (pairs.d[counted] + self.alpha + (pushes[:, None] + pushes)[counted].log()).relu()
        return (hinges.square() if self.squared else hinges).sum() / (2 * pairs.positive.sum().clamp(min=1))

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        count = pairs.positive_counts.sum().clamp_(min=1)
        terms = (-pairs.d).exp_().mul_(pairs.negative_ones)
        pushes = terms.sum(1)
        both = pushes[:, None] + pushes
        # Either all rows have negatives or none has; without any the logarithm is -inf and the hinge 0.
        hinges = both.log().add_(pairs.d).add_(self.alpha).clamp_(min=0).mul_(pairs.positive_ones)
        if self.squared:
            value, slopes = torch.dot(hinges.view(-1), hinges.view(-1)) / (2 * count), hinges.div_(count)
        else:
            value, slopes = hinges.sum() / (2 * count), torch.gt(hinges, 0, out=hinges).div_(2 * count)
        # Both orders of a positive pair push the negatives of a row.
        both.clamp_(min=torch.finfo(both.dtype).tiny)
        pushed = torch.div(slopes, both, out=both).sum(1, keepdim=True).mul_(2)
        return value, weights_of_distance_slopes(pairs, slopes.sub_(terms.mul_(pushed)))
