"""Pairwise margin loss: positives within one distance, negatives beyond another."""

from dataclasses import dataclass

from torch import Tensor

from dml_viz.losses import _scalar
from dml_viz.losses._base import Loss
from dml_viz.losses._pairs import Pairs, weights_of_distance_slopes
from dml_viz.losses._scalar import Number, hinge, numbers, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class PairwiseMargin(Loss):
    """Positives are pulled until they are within alpha - m, negatives pushed until they are beyond alpha; the mean over pairs."""

    title = "Pairwise margin"
    sentence = "Every positive should be within one distance, every negative beyond a larger one."
    formula = (
        r"L = \frac{2}{N(N-1)}\sum_{i<j}(1-y_{ij})\,[\alpha-d_{ij}]_++y_{ij}\,[d_{ij}-(\alpha-m)]_+,\quad "
        r"y_{ij}=1\ \text{for a positive pair, else}\ 0"
    )
    weight_formula = (
        r"w_{ij} = -\frac{1}{N(N-1)\,d_{ij}}\ (y_{ij}=1,\ d_{ij}>\alpha-m),\quad "
        r"+\frac{1}{N(N-1)\,d_{ij}}\ (y_{ij}=0,\ d_{ij}<\alpha)"
    )
    reference = (
        "Wang, Hua, Kodirov, Hu, Garnier, Robertson: Ranked List Loss for Deep Metric Learning, CVPR 2019, "
        "equation 8, arXiv:1903.03238"
    )
    families = ("pairs",)
    masked = True
    variant_text = "Unsquared distances inside the hinges; the mean over all pairs, active or not."
    elsewhere = (
        "pytorch-metric-learning's ContrastiveLoss with pos_margin = α − m and neg_margin = α has the same hinges, but "
        "adds the mean of the positives' above 0 to the mean of the negatives' above 0."
    )
    traps = (
        "Distances are not squared, although the paper's equation 1 puts a square: read as d² the same α is another angle.",
        "Every active pair pulls or pushes equally hard, however far it is from its bound.",
        "A pair at distance 0 has no gradient: no direction leads apart.",
        "With m above α the positives' bound is below 0, and no positive pair is ever near enough.",
    )

    alpha: float = param(
        1.2,
        "distance beyond which negatives are let alone",
        r"\alpha",
        domain="[0, 4] distance",
        slider=(0.6, 1.6, 0.05),
        source="Wang et al. 2019, section 4",
    )
    margin: float = param(
        0.4,
        "how much nearer positives must be than that",
        "m",
        domain="[0, 4] distance",
        slider=(0.0, 1.2, 0.05),
        source="Wang et al. 2019, section 4",
    )

    @property
    def distance_bounds(self) -> tuple[float, float]:
        return self.alpha - self.margin, self.alpha

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels = numbers(z), y.tolist()
        terms: list[Number] = []
        for i in range(len(labels)):
            for j in range(i + 1, len(labels)):
                d = _scalar.root(squared_distance(points[i], points[j]))
                positive = labels[i] == labels[j]
                terms.append(hinge(d - (self.alpha - self.margin)) if positive else hinge(self.alpha - d))
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        far = (pairs.d - (self.alpha - self.margin)).relu()[pairs.positive]
        near = (self.alpha - pairs.d).relu()[pairs.negative]
        return (far.sum() + near.sum()) / max(len(pairs.y) * (len(pairs.y) - 1), 1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        count = max(len(pairs.y) * (len(pairs.y) - 1), 1)
        far = (pairs.d - (self.alpha - self.margin)).clamp_(min=0).mul_(pairs.positive_ones)
        near = (self.alpha - pairs.d).clamp_(min=0).mul_(pairs.negative_ones)
        # Every pair is in one of the two tables alone, so the sign of their difference is that of the active hinge.
        return (far.sum() + near.sum()) / count, weights_of_distance_slopes(pairs, far.sub_(near).sign_().div_(count))
