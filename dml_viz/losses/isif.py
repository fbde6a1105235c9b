"""Invariant and spreading instance features: every image is a class of its own, with two views."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from dml_viz.losses._base import Loss
from dml_viz.losses._logsumexp import log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, constant, dot, exp, log, numbers, total
from dml_viz.params import param


@dataclass(frozen=True)
class ISIF(Loss):
    """Invariant and spreading instance features (Ye et al. 2019): a loss without classes, of two views per image.

    A view should be classified as its image's other view, and as no other image; labels name images.
    A row without another of its label has no term of its own, but is a negative of all others. Where a label has more than two
    rows, the first logarithm is averaged over them.
    """

    title = "ISIF"
    sentence = "A view of an image should be taken for the image's other view, and for no other image."
    formula = (
        r"L = -\frac1M\sum_{i:\,\mathcal P_i\neq\emptyset}\Big[\frac{1}{|\mathcal P_i|}\sum_{p\in\mathcal P_i}\log P_{ip}"
        r"+\sum_{j\in\mathcal N_i}\log(1-P_{ij})\Big],\quad "
        r"P_{ij} = \frac{e^{x_i^\top\bar x_j/\tau}}{\sum_{k\neq i}e^{x_i^\top\bar x_k/\tau}},\quad \bar x\ \text{held constant}"
    )
    weight_formula = (
        r"w_{ij} = \frac{1}{M\,\tau}\Big(P_{ij}\big(1-\sum_{n\in\mathcal N_i}o_{in}\big)+\mathbb 1[j\in\mathcal N_i]\,o_{ij}"
        r"-\frac{\mathbb 1[j\in\mathcal P_i]}{|\mathcal P_i|}\Big)\ \text{on}\ x_i\ \text{alone},\quad "
        r"o_{ij} = \frac{P_{ij}}{1-P_{ij}}"
    )
    reference = (
        "Ye, Zhang, Yuen, Chang: Unsupervised Embedding Learning via Invariant and Spreading Instance Feature, CVPR 2019, "
        "arXiv:1904.03436"
    )
    families = ("unsupervised", "tuples")
    variant_text = "Every view reads all others, itself left out; the mean over views; gradients reach the reading view alone."
    one_sided = True
    held_constant = "The other end of every pair is held constant, as the official code detaches it."
    elsewhere = (
        "pytorch-metric-learning has no such loss. The official code is this for two views per image, both of which read; "
        "the mean is over all views. Without the second sum and with both ends moving it is SupCon on images."
    )
    traps = (
        "Only the view that reads moves, the other end of every pair is detached: the gradient is not that of the value.",
        "Classes play no part: two images of one class push each other like any others.",
        "Where one other image takes nearly all of a view, 1 − P rounds to 0; the sum of the rest has to be added up without it.",
        "The second sum can pull an image nearer: raising its share lowers that of an image in front of it.",
    )
    views = True

    tau: float = param(
        0.1,
        "temperature: how far ahead in similarity is clearly ahead",
        r"\tau",
        domain="[0.0001, inf) cosine",
        slider=(0.05, 0.5, 0.01),
        source="Ye et al. 2019, section 4; 0.1 in the official code",
    )

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        fixed = [[constant(x) for x in point] for point in points]
        terms: list[Number] = []
        for i in everyone:
            e = {j: exp(dot(points[i], fixed[j]) / self.tau) for j in everyone if j != i}
            positives = [j for j in e if labels[j] == labels[i]]
            if positives:
                known = total(log(e[p] / total(e.values())) for p in positives) / len(positives)
                # 1 - P as the sum of all other shares, which is right however near to 1 P is.
                others = ([e[k] for k in e if k != n] for n in e if labels[n] != labels[i])
                spread = total(log(total(rest) / total(e.values())) for rest in others)
                terms.append(-known - spread)
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        rows = pairs.positive_counts > 0
        # The lowest number and not -inf: the logarithm of an empty sum would have no derivative.
        lowest = torch.finfo(pairs.s.dtype).min
        scores = (pairs.s / self.tau).fill_diagonal_(lowest)[rows]
        everyone = scores.logsumexp(1, keepdim=True)
        log_shares = scores - everyone
        known = torch.where(pairs.positive[rows], log_shares, 0).sum(1) / pairs.positive_counts[rows]
        # 1 less a share near 1 is computed as the sum of all others.
        largest = scores.argmax(1, keepdim=True)
        rest = scores.scatter(1, largest, lowest).logsumexp(1, keepdim=True)
        log_rest = torch.log1p(-log_shares.exp().scatter(1, largest, 0)).scatter(1, largest, rest - everyone)
        spread = torch.where(pairs.negative[rows], log_rest, 0).sum(1)
        return -(known + spread).sum() / rows.sum().clamp(min=1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        rows = pairs.positive_counts > 0
        each = rows / rows.sum(dtype=pairs.d2.dtype).clamp(min=1)
        target = pairs.positive_ones * (each / pairs.positive_counts.clamp(min=1))[:, None]
        # Similarity less 1: the shares are the same, and near points differ.
        scores = pairs.d2.mul(-0.5 / self.tau).fill_diagonal_(-torch.inf)
        highest, largest = scores.max(1, keepdim=True)
        rest = log_sum(scores.scatter_(1, largest, -torch.inf))
        # The logarithm of the largest share over the sum of all others, none of which is above 1/2.
        ahead = torch.where(rows[:, None], highest - rest.value[:, None], 0)
        behind, taken = torch.sigmoid(-ahead), torch.sigmoid(ahead)
        by_another = pairs.negative.gather(1, largest)
        shares = rest.shares * behind
        odds = shares.div_(1 - shares).mul_(pairs.negative_ones)  # P / (1 - P)
        free = 1 - odds.sum(1, keepdim=True)
        spread = odds.log1p().sum(1, keepdim=True) - torch.where(by_another, logsigmoid(-ahead), 0)
        everyone = torch.where(rows[:, None], highest - logsigmoid(ahead), 0)
        value = each @ (everyone + spread) + torch.dot(target.view(-1), pairs.d2.reshape(-1)) * (0.5 / self.tau)
        weights = rest.shares.mul_(behind * free - taken * by_another).add_(odds)
        weights.scatter_(1, largest, taken * (free + by_another))
        return value[0], weights.mul_(each[:, None]).sub_(target).div_(self.tau)
