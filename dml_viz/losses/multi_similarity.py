"""Multi-Similarity: soft sums over positives and negatives of every anchor, after a mining that compares the two kinds."""

import math
from dataclasses import dataclass

from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._logsumexp import log_mask_above_zero, log_one_and_sum, log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, dot, exp, log, numbers, total
from dml_viz.params import param

BOUND = 60.0  # largest exponent for which the sum of a batch fits into float32
_MINED = (
    r",\quad \mathcal P_i'=\{s_{ij}-\epsilon<\max_{\mathcal N_i}s\},"
    r"\ \mathcal N_i'=\{s_{ij}+\epsilon>\min_{\mathcal P_i}s\}"
)


@dataclass(frozen=True)
class MultiSimilarity(Loss):
    """Every anchor pulls its positives and pushes its negatives, the worst most; mining leaves out well ordered pairs.

    Mining keeps a negative that is more similar than the least similar positive less epsilon, and a positive that is less
    similar than the most similar negative plus epsilon: it keeps pairs of both kinds or of neither.
    """

    title = "Multi-Similarity"
    sentence = "Every anchor weighs its pairs by how similar they are and by how they compare with its other pairs."
    formula = (
        r"L=\frac1N\sum_i\frac1\alpha\log\Big(1+\sum_{\mathcal P_i'}e^{-\alpha(s_{ij}-\lambda)}\Big)"
        r"+\frac1\beta\log\Big(1+\sum_{\mathcal N_i'}e^{\beta(s_{ij}-\lambda)}\Big)"
    ) + _MINED
    weight_formula = (
        r"w_{ij}=-\frac1N\frac{e^{-\alpha(s-\lambda)}}{1+\sum_{\mathcal P_i'}e^{-\alpha(s-\lambda)}}\ (j\in\mathcal P_i'),\quad "
        r"+\frac1N\frac{e^{\beta(s-\lambda)}}{1+\sum_{\mathcal N_i'}e^{\beta(s-\lambda)}}\ (j\in\mathcal N_i')"
    )
    rewritten = (("mining", False, _MINED, ""), ("mining", False, "_i'", "_i"))
    reference = (
        "Wang, Han, Huang, Dong, Scott: Multi-Similarity Loss with General Pair Weighting for Deep Metric Learning, "
        "CVPR 2019, arXiv:1904.06627"
    )
    families = ("pairs",)
    masked = True
    elsewhere = (
        "pytorch-metric-learning's MultiSimilarityLoss (base = λ) is this without mining. With its MultiSimilarityMiner "
        "it is this with mining, but for a batch that keeps one pair of each kind in all, which it counts as 0. "
        "The official code computes the same with mining."
    )
    traps = (
        "pytorch-metric-learning's loss mines nothing unless its miner is handed to it: that is another loss.",
        "The official code drops the anchor itself by value, s < 1 − 10⁻⁵, so an anchor without positives, or with duplicates "
        "alone, raises an error there.",
        "The sum is over the anchors that keep pairs, the division by all N: the gradient fades as anchors drop out.",
        "The official configuration has β 40, the paper 50; the official code has λ 0.5.",
        "Mining is not differentiated: the value jumps where a pair enters or leaves.",
    )

    alpha: float = param(
        2.0,
        "how strongly the least similar positive outweighs the others",
        r"\alpha",
        domain="(0, 256]",
        slider=(0.5, 10.0, 0.5),
        source="Wang et al. 2019, and the official code",
    )
    beta: float = param(
        50.0,
        "how strongly the most similar negative outweighs the others",
        r"\beta",
        domain="(0, 256]",
        slider=(1.0, 80.0, 1.0),
        source="Wang et al. 2019; 40 in the official configuration",
    )
    base: float = param(
        0.5,
        "similarity at which a pair weighs as much as the 1 in its sum",
        r"\lambda",
        domain="[-1, 1] cosine",
        slider=(0.0, 1.0, 0.05),
        label="lambda",
        source="the official code",
    )
    mining: bool = param(
        True,
        "keep only the pairs that compare badly with the other kind",
        r"\mathcal P',\mathcal N'",
        source="Wang et al. 2019, and the official code",
    )
    epsilon: float = param(
        0.1,
        "by how much a pair may be in order and still be kept by mining",
        r"\epsilon",
        domain="[0, 4] cosine",
        slider=(0.0, 0.5, 0.01),
        source="Wang et al. 2019, and the official code",
        only=("mining", (True,)),
    )

    @property
    def variant_text(self) -> str:
        if self.mining:
            return "Anchors that keep a positive and a negative after mining, summed, over all N, as in the official code."
        return "All pairs of all anchors, divided by N; an anchor without positives or without negatives has the other sum alone."

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        terms: list[Number] = []
        for i in everyone:
            positives = [dot(points[i], points[j]) for j in everyone if labels[j] == labels[i] and j != i]
            negatives = [dot(points[i], points[j]) for j in everyone if labels[j] != labels[i]]
            if self.mining:
                if not positives or not negatives:
                    continue
                least, most = min(positives), max(negatives)
                positives = [s for s in positives if s - self.epsilon < most]
                negatives = [s for s in negatives if s + self.epsilon > least]
            terms.append(log(1 + total(exp(-self.alpha * (s - self.base)) for s in positives)) / self.alpha)
            terms.append(log(1 + total(exp(self.beta * (s - self.base)) for s in negatives)) / self.beta)
        return total(terms) / len(points)

    def of_pairs(self, pairs: Pairs) -> Tensor:
        pull, push = self._exponents(pairs)
        return (log_one_and_sum(pull) / self.alpha + log_one_and_sum(push) / self.beta).mean()

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        if max(self.alpha * (1 + self.base), self.beta * (1 - self.base)) < BOUND:
            return self._weigh_bounded(pairs)
        pulls, pushes = (log_sum(exponents, plus_one=True) for exponents in self._exponents(pairs))
        weights = pushes.shares.sub_(pulls.shares).div_(len(pairs.y))
        return (pulls.value / self.alpha + pushes.value / self.beta).mean(), weights

    def _weigh_bounded(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Value and weights where no sum of exponentials overflows, so that the largest need not be factored out."""
        log_e, offset = 1 / math.log(2), 1 - self.base
        pulls = pairs.d2.mul(self.alpha / 2 * log_e).sub_(self.alpha * offset * log_e).add_(pairs.only_positives).exp2_()
        pushes = pairs.d2.mul(-self.beta / 2 * log_e).add_(self.beta * offset * log_e).add_(pairs.only_negatives).exp2_()
        if self.mining:
            farthest, nearest = _extremes(pairs)
            pulls.mul_((pairs.d2 - (nearest - 2 * self.epsilon)[:, None]).sign_().clamp_(min=0))
            pushes.mul_(((farthest + 2 * self.epsilon)[:, None] - pairs.d2).sign_().clamp_(min=0))
        pulled, pushed = (terms.sum(1, keepdim=True).add_(1) for terms in (pulls, pushes))
        weights = pushes.div_(pushed * len(pairs.y)).sub_(pulls.div_(pulled * len(pairs.y)))
        return (pulled.log() / self.alpha + pushed.log() / self.beta).mean(), weights

    def _exponents(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Exponents (N, N) of positives and of negatives, -inf for other pairs and for those that mining leaves out."""
        positive, negative = pairs.only_positives, pairs.only_negatives
        if self.mining:
            # Squared distances differ between near points whose similarities round to 1.
            farthest, nearest = _extremes(pairs)
            positive = positive + log_mask_above_zero(pairs.d2 - nearest[:, None] + 2 * self.epsilon)
            negative = negative + log_mask_above_zero(farthest[:, None] + 2 * self.epsilon - pairs.d2)
        away = pairs.s - self.base
        return positive - self.alpha * away, negative + self.beta * away


def _extremes(pairs: Pairs) -> tuple[Tensor, Tensor]:
    """Squared distances (N,) to the farthest positive, -inf without one, and to the nearest negative, inf without one."""
    return (pairs.d2 + pairs.only_positives).amax(1), (pairs.d2 - pairs.only_negatives).amin(1)
