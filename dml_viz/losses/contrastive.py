"""Contrastive loss: the pairs of a batch, pulled together or pushed apart to a margin."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import _scalar
from dml_viz.losses._base import Loss
from dml_viz.losses._pairs import Pairs, weights_of_distance_slopes
from dml_viz.losses._scalar import Number, hinge, numbers, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class Contrastive(Loss):
    """Positives are pulled together at every distance, negatives pushed apart up to a margin.

    The forms "halved squares" and "squares" are means over all pairs i < j. The form "distances" is the mean of the
    positives' terms above 0 plus the mean of the negatives' terms above 0.
    """

    title = "Contrastive"
    sentence = "Every positive pair is pulled together, every negative pair pushed apart until it is a margin apart."
    formula = (
        r"L = \frac{2}{N(N-1)}\sum_{i<j}\tfrac12 y_{ij}\,d_{ij}^2+\tfrac12(1-y_{ij})\,[m-d_{ij}]_+^2,\quad "
        r"y_{ij}=1\ \text{for a positive pair, else}\ 0"
    )
    weight_formula = r"w_{ij} = -\frac{1}{N(N-1)}\ (y_{ij}=1),\quad +\frac{1}{N(N-1)}\frac{[m-d_{ij}]_+}{d_{ij}}\ (y_{ij}=0)"
    rewritten = (
        ("form", "squares", r"\tfrac12", ""),
        ("form", "squares", r"\frac{1}{N(N-1)}", r"\frac{2}{N(N-1)}"),
        (
            "form",
            "distances",
            r"\frac{2}{N(N-1)}\sum_{i<j}\tfrac12 y_{ij}\,d_{ij}^2+\tfrac12(1-y_{ij})\,[m-d_{ij}]_+^2",
            r"\frac{1}{|\mathcal P|}\sum_{\mathcal P}d_{ij}+\frac{1}{|\mathcal N|}\sum_{\mathcal N}(m-d_{ij})",
        ),
        (
            "form",
            "distances",
            r"y_{ij}=1\ \text{for a positive pair, else}\ 0",
            r"\mathcal P=\{i<j:y_{ij}=1,\ d_{ij}>0\},\quad \mathcal N=\{i<j:y_{ij}=0,\ d_{ij}<m\}",
        ),
        ("form", "distances", r"-\frac{1}{N(N-1)}\ (y_{ij}=1)", r"-\frac{1}{2|\mathcal P|\,d_{ij}}\ (\mathcal P)"),
        (
            "form",
            "distances",
            r"\frac{1}{N(N-1)}\frac{[m-d_{ij}]_+}{d_{ij}}\ (y_{ij}=0)",
            r"\frac{1}{2|\mathcal N|\,d_{ij}}\ (\mathcal N)",
        ),
    )
    reference = (
        "Hadsell, Chopra, LeCun: Dimensionality Reduction by Learning an Invariant Mapping, CVPR 2006, doi:10.1109/CVPR.2006.100"
    )
    families = ("pairs",)
    masked = True
    elsewhere = (
        "pytorch-metric-learning's ContrastiveLoss (pos_margin = 0, neg_margin = m) is the form distances. TensorFlow Addons' "
        "contrastive_loss is the form squares, over the pairs it is given."
    )
    traps = (
        "The distance inside the hinge is not squared; the hinge is.",
        "A mean over the terms above 0 rises when easy pairs drop out of it.",
        "Two negatives at one place have no gradient: the hinge is at its largest, but no direction leads apart.",
        "The more classes a batch has, the fewer of its pairs are positive, and the less the mean over all pairs pulls.",
    )

    margin: float = param(
        1.0,
        "how far apart negatives are pushed",
        "m",
        domain="[0, 4] distance",
        slider=(0.2, 1.95, 0.05),
        source="TensorFlow Addons and pytorch-metric-learning",
    )
    form: str = param(
        "halved squares",
        "which of the forms in circulation",
        "L",
        choices=("halved squares", "squares", "distances"),
        source="Hadsell et al. 2006, equation 4",
    )

    @property
    def variant_text(self) -> str:
        return {
            "halved squares": "Half the squares of distances and of hinges; the mean over all pairs (Hadsell).",
            "squares": "Squares of distances and of hinges, without the half; the mean over all pairs (TensorFlow).",
            "distances": "Distances and hinges unsquared; the mean of the positives' terms above 0 plus that of the negatives'.",
        }[self.form]

    @property
    def distance_bounds(self) -> tuple[float, float]:
        return 0.0, self.margin

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        positives: list[Number] = []
        negatives: list[Number] = []
        for i in everyone:
            for j in range(i + 1, len(labels)):
                square = squared_distance(points[i], points[j])
                if labels[i] == labels[j]:
                    positives.append(_scalar.root(square) if self.form == "distances" else square)
                else:
                    negatives.append(hinge(self.margin - _scalar.root(square)))
        if self.form == "distances":
            above = [[term for term in terms if term > 0] for terms in (positives, negatives)]
            return total(total(terms) / len(terms) for terms in above if terms)
        terms = positives + [term * term for term in negatives]
        factor = 0.5 if self.form == "halved squares" else 1.0
        return factor * total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        short = (self.margin - pairs.d).relu()[pairs.negative]
        if self.form == "distances":
            far = pairs.d[pairs.positive]
            return far.sum() / (far > 0).sum().clamp(min=1) + short.sum() / (short > 0).sum().clamp(min=1)
        terms = pairs.d2[pairs.positive].sum() + short.square().sum()
        return self._factor(pairs) * terms

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        short = (self.margin - pairs.d).clamp_(min=0).mul_(pairs.negative_ones)
        if self.form == "distances":
            far = pairs.positive_ones * pairs.d
            pull, push = far.sign(), short.sign()
            pulled, pushed = pull.sum().clamp_(min=1), push.sum().clamp_(min=1)
            value = far.sum() / pulled + short.sum() / pushed
            return value, weights_of_distance_slopes(pairs, pull.div_(pulled).sub_(push.div_(pushed)))
        factor = self._factor(pairs)
        squares = torch.dot(pairs.d2.reshape(-1), pairs.positive_ones.view(-1)) + torch.dot(short.view(-1), short.view(-1))
        value = squares * factor
        # The pull is the same at every distance, also at 0.
        return value, weights_of_distance_slopes(pairs, short.neg_()).sub_(pairs.positive_ones).mul_(2 * factor)

    def _factor(self, pairs: Pairs) -> float:
        """The weight of each ordered pair's square in the loss."""
        n = len(pairs.y)
        return (0.5 if self.form == "halved squares" else 1.0) / max(n * (n - 1), 1)
