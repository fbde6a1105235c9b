"""Margin loss: a boundary between positives and negatives, which can be learnt for every class."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import _scalar
from dml_viz.losses._base import Loss
from dml_viz.losses._learnt_tensor import LearntTensor, Shape
from dml_viz.losses._pairs import Pairs, weights_of_distance_slopes
from dml_viz.losses._results import Gradients
from dml_viz.losses._scalar import Number, hinge, numbers, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class Margin(Loss):
    """Positives should be nearer than a boundary by a margin, negatives farther than it by as much.

    The sum of all hinges over the number of those above 0. ``over`` says whether every pair of an anchor counts once, or
    once in every triplet of that anchor. Where ``learn_beta``, the learnt tensor "beta" (C,) has a boundary per class,
    and a pair uses that of its anchor.
    """

    title = "Margin"
    sentence = "Positives should be nearer than a boundary by a margin, negatives farther than it by as much."
    formula = (
        r"L = \frac{1}{|\mathcal A|}\sum_{(a,p,n)}\Big([d_{ap}-\beta+\alpha]_++[\beta-d_{an}+\alpha]_+\Big),"
        r"\quad \mathcal A = \text{the terms above}\ 0"
    )
    weight_formula = (
        r"w_{ap} = -\frac{|\mathcal N_a|}{|\mathcal A|\,d_{ap}}\ (d_{ap}>\beta-\alpha),\quad "
        r"w_{an} = +\frac{|\mathcal P_a|}{|\mathcal A|\,d_{an}}\ (d_{an}<\beta+\alpha),\quad "
        r"\frac{\partial L}{\partial\beta_c} = \frac{\#\text{active}\ (a,n)-\#\text{active}\ (a,p)}{|\mathcal A|},\ y_a=c"
    )
    rewritten = (
        (
            "over",
            "pairs",
            r"\sum_{(a,p,n)}\Big([d_{ap}-\beta+\alpha]_++[\beta-d_{an}+\alpha]_+\Big)",
            r"\Big(\sum_{(a,p)}[d_{ap}-\beta+\alpha]_++\sum_{(a,n)}[\beta-d_{an}+\alpha]_+\Big)",
        ),
        ("over", "pairs", r"|\mathcal N_a|", "1"),
        ("over", "pairs", r"|\mathcal P_a|", "1"),
        ("learn_beta", True, r"-\beta+\alpha]", r"-\beta_{y_a}+\alpha]"),
        ("learn_beta", True, r"[\beta-d", r"[\beta_{y_a}-d"),
    )
    reference = "Wu, Manmatha, Smola, Krähenbühl: Sampling Matters in Deep Embedding Learning, ICCV 2017, arXiv:1706.07567"
    families = ("pairs",)
    learnable = (LearntTensor("beta", Shape.PER_CLASS, "the boundary of each class", "β", switch="learn_beta"),)
    elsewhere = (
        "pytorch-metric-learning's MarginLoss (margin = α) and MXNet's example take triplets too; the former keeps β in "
        "float32, and its nu above 0 adds to the loss."
    )
    traps = (
        "The paper draws one negative per positive, by distance; here all negatives of the batch count.",
        "The mean over active terms does not fall as easy pairs drop out.",
        "In triplets a pair counts once for each partner of its anchor; counted once each, the many negatives outweigh the few "
        "positives.",
        "A learnt boundary moves until as many positives as negatives are active; the paper adds a term that keeps it small.",
        "A pair at distance 0 has no gradient: no direction leads apart.",
    )

    beta: float = param(
        1.2,
        "boundary between positives and negatives; where it is learnt, its start",
        r"\beta",
        domain="[0, 4] distance",
        slider=(0.4, 1.6, 0.05),
        source="MXNet's example, pytorch-metric-learning",
    )
    alpha: float = param(
        0.2,
        "margin on either side of the boundary",
        r"\alpha",
        domain="[0, 4] distance",
        slider=(0.0, 0.6, 0.02),
        source="MXNet's example, pytorch-metric-learning",
    )
    over: str = param(
        "triplets",
        "whether a pair counts in every triplet of its anchor, or once",
        r"\mathcal A",
        choices=("triplets", "pairs"),
        source="MXNet's example; Wu et al. 2017 define the loss of a pair",
    )
    learn_beta: bool = param(False, "learn a boundary per class", r"\beta_c", source="Wu et al. 2017")

    @property
    def variant_text(self) -> str:
        boundary = "A boundary learnt for each class, the anchor's applies" if self.learn_beta else "One fixed boundary"
        return f"{boundary}; the sum over the {self.over} of the batch, divided by the number of active terms."

    @property
    def distance_bounds(self) -> tuple[float, float] | None:
        return None if self.learn_beta else (self.beta - self.alpha, self.beta + self.alpha)

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        return {"beta": torch.full((classes,), self.beta)} if self.learn_beta else {}

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        terms: list[Number] = []
        for a in everyone:
            beta = numbers(learnt["beta"][:, None])[labels[a]][0] if self.learn_beta else self.beta
            d = [_scalar.root(squared_distance(points[a], points[k])) for k in everyone]
            pulls = [hinge(d[p] - beta + self.alpha) for p in everyone if labels[p] == labels[a] and p != a]
            pushes = [hinge(beta - d[n] + self.alpha) for n in everyone if labels[n] != labels[a]]
            if self.over == "pairs":
                terms += pulls + pushes
            else:
                terms += [term for pull in pulls for push in pushes for term in (pull, push)]
        active = [term for term in terms if term > 0]
        return total(active) / len(active) if active else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        beta, times = self._boundary(pairs), _times(pairs.y, self.over, pairs.d.dtype)
        hinges = torch.where(pairs.positive, pairs.d - beta + self.alpha, beta - pairs.d + self.alpha).relu()
        return (hinges * times).sum() / ((hinges > 0) * times).sum().clamp(min=1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        value, slopes = self._value_and_slopes(pairs)
        return value, weights_of_distance_slopes(pairs, slopes)

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        value, slopes = self._value_and_slopes(pairs)
        learnt_gradients = {}
        if self.learn_beta:
            # The derivative of a hinge by its boundary is minus that by its distance.
            zeros = torch.zeros_like(learnt["beta"])
            learnt_gradients["beta"] = zeros.index_add_(0, pairs.y.long(), slopes.sum(1), alpha=-1)
        return Gradients(value, pairs.gradient_at_rows(weights_of_distance_slopes(pairs, slopes)), learnt_gradients)

    def _boundary(self, pairs: Pairs) -> Tensor | float:
        """The boundary of every pair; where it is learnt, a column (N, 1) with that of each anchor's class."""
        return pairs.learnt["beta"][pairs.y.long()][:, None] if self.learn_beta else self.beta

    def _value_and_slopes(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """The value, and the slopes dL/dd (N, N)."""
        sign = pairs.layout.of(_signs, pairs.d.dtype)
        hinges = (pairs.d - self._boundary(pairs)).mul_(sign).add_(self.alpha).clamp_(min=0)
        active = torch.gt(hinges, 0, out=torch.empty_like(hinges)).mul_(pairs.layout.of(_times, self.over, pairs.d.dtype))
        count = active.sum().clamp_(min=1)
        value = hinges.mul_(active).sum() / count
        return value, active.mul_(sign).div_(count)


def _signs(y: Tensor, dtype: torch.dtype) -> Tensor:
    """1 for pairs of one class, -1 for the others (N, N)."""
    return (y[:, None] == y).to(dtype).mul_(2).sub_(1)


def _times(y: Tensor, over: str, dtype: torch.dtype) -> Tensor:
    """The number of times (N, N) that every pair counts."""
    same = y[:, None] == y
    sizes = same.sum(1, keepdim=True)
    times = torch.where(same, len(y) - sizes, sizes - 1) if over == "triplets" else torch.ones_like(same)
    return times.to(dtype).fill_diagonal_(0)
