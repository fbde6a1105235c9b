"""Triplet loss, with three ways of mining triplets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.sphere import root, wide
from dml_viz.losses import _scalar
from dml_viz.losses._base import Loss
from dml_viz.losses._pairs import Pairs, weights_of_distance_slopes
from dml_viz.losses._results import Gradients
from dml_viz.losses._scalar import Number, hinge, numbers, squared_distance, total
from dml_viz.params import param


class Hardest(NamedTuple):
    """The farthest positive (N,) and the nearest negative (N,) of each anchor, and whether it has both (N,)."""

    positive: Tensor
    negative: Tensor
    both: Tensor


@dataclass(frozen=True)
class Triplet(Loss):
    """An anchor should be nearer to its positive than to a negative, by a margin.

    With mining "all" every triplet counts. "semi-hard": for every pair of anchor and positive, all negatives farther than the
    positive by less than the margin, d_ap < d_an < d_ap + m. "batch-hard": for every anchor its farthest positive and its
    nearest negative, of equally far points the first in the batch; a tie changes which point moves, not the value.
    """

    title = "Triplet"
    sentence = "Every anchor wants its positive nearer than its negative, by a margin."
    formula = r"L = \frac{1}{|\mathcal T|}\sum_{(a,p,n)\in\mathcal T}\big[d_{ap}-d_{an}+m\big]_+"
    weight_formula = (
        r"w_{ap} = -\frac{c}{|\mathcal T|}\,\#\{n:\text{active}\},\quad w_{an} = +\frac{c}{|\mathcal T|}\,\#\{p:\text{active}\},"
        r"\quad c = 2\ (d^2)\ \text{or}\ \tfrac1d\ (d)"
    )
    rewritten = (
        ("squared", True, "d_{ap}-d_{an}", "d_{ap}^2-d_{an}^2"),
        ("squared", True, r"c = 2\ (d^2)\ \text{or}\ \tfrac1d\ (d)", "c = 2"),
        ("squared", False, r"c = 2\ (d^2)\ \text{or}\ \tfrac1d\ (d)", r"c = \tfrac1d"),
    )
    reference = (
        "Schroff, Kalenichenko, Philbin: FaceNet, CVPR 2015, arXiv:1503.03832; "
        "batch-hard: Hermans, Beyer, Leibe: In Defense of the Triplet Loss, 2017, arXiv:1703.07737"
    )
    families = ("triplets",)
    elsewhere = (
        "pytorch-metric-learning's TripletMarginLoss is this with mining all, unsquared distances, m = 0.05 and the mean over "
        "triplets above 0; its miners choose the others. FaceNet squares, with m = 0.2."
    )
    traps = (
        "Batch-hard can collapse: all points at one place cost exactly the margin. Near there the gradient of squared distances "
        "fades, that of unsquared ones does not, so the squared form is the one that cannot leave.",
        "The mean over triplets above 0 does not fall as easy triplets drop out; the mean over all fades to nothing.",
        "Semi-hard leaves out a negative nearer than the positive, however wrong it is.",
        "A margin means something else for squared distances, which reach 4, than for distances, which reach 2.",
    )

    margin: float = param(
        0.2,
        "how much nearer the positive should be, in units of the distance used",
        "m",
        domain="[0, 4] distance",
        slider=(0.0, 1.0, 0.01),
        source="0.2 on squared distances in Schroff et al. 2015, section 3.1",
    )
    mining: str = param(
        "all",
        "which triplets count",
        r"\mathcal T",
        choices=("all", "semi-hard", "batch-hard"),
        training="semi-hard",
        source="Schroff et al. 2015, section 3.2; Hermans et al. 2017, equation 5",
    )
    squared: bool = param(True, "squared distances", "d^2", source="Schroff et al. 2015 squares, Hermans et al. 2017 does not")
    reduction: str = param(
        "all",
        "the mean is over all these triplets, or over those above 0",
        r"|\mathcal T|",
        choices=("all", "nonzero"),
        source="Hermans et al. 2017, section 2",
    )

    @property
    def variant_text(self) -> str:
        which = {
            "all": "every triplet of the batch",
            "semi-hard": "for every positive pair all negatives beyond the positive and within the margin (FaceNet)",
            "batch-hard": "the farthest positive and the nearest negative of every anchor",
        }[self.mining]
        distance = "Squared" if self.squared else "Unsquared"
        over = "all of them" if self.reduction == "all" else "those above 0"
        return f"{distance} distances; {which}; the mean over {over}."

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        terms: list[Number] = []
        for a in everyone:
            d = [squared_distance(points[a], points[k]) for k in everyone]
            if not self.squared:
                d = [_scalar.root(square) for square in d]
            positives = [k for k in everyone if labels[k] == labels[a] and k != a]
            negatives = [k for k in everyone if labels[k] != labels[a]]
            if self.mining == "batch-hard" and positives and negatives:
                positives = [max(positives, key=d.__getitem__)]
                negatives = [min(negatives, key=d.__getitem__)]
            for p in positives:
                for n in negatives:
                    if self.mining == "semi-hard" and not d[p] < d[n] < d[p] + self.margin:
                        continue
                    terms.append(hinge(d[p] - d[n] + self.margin))
        if self.reduction == "nonzero":
            terms = [term for term in terms if term > 0]
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        d, y = pairs.d2 if self.squared else pairs.d, pairs.y
        violation = (d + self.margin)[:, :, None] - d[:, None, :]  # (N, P, N)
        counts = pairs.positive[:, :, None] & pairs.negative[:, None, :]
        if self.mining == "semi-hard":
            counts = counts & (d[:, :, None] < d[:, None, :]) & (violation > 0)
        if self.mining == "batch-hard":
            hardest, everyone = _hardest(d, pairs), torch.arange(len(y), device=y.device)
            counts = torch.zeros_like(counts)
            counts[everyone, hardest.positive, hardest.negative] = hardest.both
        if self.reduction == "nonzero":
            counts = counts & (violation > 0)
        return violation.relu()[counts].sum() / counts.sum().clamp(min=1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        d = pairs.d2 if self.squared else pairs.d
        value, slopes = self._of_hardest(d, pairs) if self.mining == "batch-hard" else self._of_many(d, pairs)
        return value, slopes.mul_(-2) if self.squared else weights_of_distance_slopes(pairs, slopes)

    def can_evaluate_from_weights(self, pairs: Pairs) -> bool:
        return self.mining != "batch-hard"

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        if self.can_evaluate_from_weights(pairs):
            return super().evaluate(pairs, learnt)
        z, hardest = pairs.z, _hardest(pairs.d2, pairs)
        # One triplet per anchor: its distances are computed anew from differences, which are exact, without an N x N table.
        to_positive, to_negative = z - z[hardest.positive], z - z[hardest.negative]  # (N, d)
        pull, push = to_positive.square().sum(1), to_negative.square().sum(1)
        if not self.squared:
            pull, push = root(pull), root(push)
        value, over = self._mean(pull - push + self.margin, hardest.both)
        for arrows, distance in ((to_positive, pull), (to_negative, push)):
            arrows *= (2 * over if self.squared else torch.where(distance > 0, over / distance, 0))[:, None]
        gradient = to_positive - to_negative
        gradient.index_add_(0, hardest.positive, to_positive, alpha=-1).index_add_(0, hardest.negative, to_negative)
        return Gradients(value, gradient, {})

    def _mean(self, violation: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """The mean hinge of the triplets that count, and the weight in it of each triplet, 0 where its hinge is 0."""
        active = (violation > 0) & counts
        triplets = (active if self.reduction == "nonzero" else counts).sum().clamp(min=1)
        weight = active / triplets.to(violation.dtype)
        return (violation * weight).sum(), weight

    def _of_hardest(self, d: Tensor, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """The value and dL/dd (N, N) of batch-hard triplets."""
        hardest = _hardest(d, pairs)
        positive, negative = hardest.positive[:, None], hardest.negative[:, None]
        violation = (d.gather(1, positive) - d.gather(1, negative))[:, 0] + self.margin
        value, weight = self._mean(violation, hardest.both)
        slopes = torch.zeros_like(d).scatter_add_(1, positive, weight[:, None])
        return value, slopes.scatter_add_(1, negative, -weight[:, None])

    def _of_many(self, d: Tensor, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """The value and dL/dd (N, N) of all or of semi-hard triplets, which are counted and not listed.

        Time O(N^2 log N) for any number of triplets; memory nine arrays of N x N (9 MB at N = 512 in float32).
        """
        if self.mining == "all":
            slopes = _crossed(d, d + self.margin, pairs.negative)
        else:
            # Negatives as far as the positive, or nearer, do not count; the end of the range is never before its beginning.
            beyond = d.nextafter(torch.full_like(d, torch.inf))
            slopes = _crossed(d, torch.maximum(d + self.margin, beyond), pairs.negative)
            slopes -= _crossed(d, beyond, pairs.negative)
        # In float64, because the difference of two large sums is computed.
        exact = wide(slopes)
        active = triplets = exact.clamp(min=0).sum()
        violation = torch.dot(exact.view(-1), wide(d).reshape(-1)) + self.margin * active
        if self.mining == "all" and self.reduction == "all":
            triplets = wide(pairs.positive_counts) @ wide(pairs.negative_counts)
        over = triplets.clamp(min=1)
        return (violation / over).to(d), slopes.div_(over.to(d))


def _hardest(d: Tensor, pairs: Pairs) -> Hardest:
    """The hardest positive and negative by distances d (N, N) of any kind; of equal distances the first."""
    far, positive = _largest(d + pairs.only_positives)
    near, negative = _largest(pairs.only_negatives - d)
    return Hardest(positive, negative, (far >= 0) & (near > -torch.inf))


def _largest(table: Tensor) -> tuple[Tensor, Tensor]:
    """The largest number (N,) of each row of ``table`` (N, M), and its column (N,); of equal numbers the first."""
    if not _on_host(table):
        largest, column = table.max(1)
        return largest, column
    # NumPy's argmax is ten times as fast as torch's.
    column = torch.from_numpy(table.detach().numpy().argmax(1))
    return table.gather(1, column[:, None])[:, 0], column


def _crossed(d: Tensor, ends: Tensor, negative: Tensor) -> Tensor:
    """The number of negatives nearer than a positive's end; for negatives, minus the number of ends farther than the negative.

    Distances d, ends, the mask of negatives and the result are (N, N); 0 for a point with itself.
    """
    order, passed = _ordered(torch.where(negative, d, ends).fill_diagonal_(torch.inf), negative)
    negatives = passed.cumsum(1).to(d.dtype)
    # A place less the negatives up to it is the number of ends up to it; the row's other ends are behind.
    position = torch.arange(2 - len(d), 2, device=d.device)
    counts = (negatives[:, -1:] + position).sub_(negatives, alpha=2).mul_(passed).add_(negatives)
    return torch.empty_like(d).scatter_(1, order, counts).fill_diagonal_(0)


def _ordered(values: Tensor, negative: Tensor) -> tuple[Tensor, Tensor]:
    """The columns of each row of ``values`` (N, N) sorted by value, negatives last among equals, and ``negative`` in this order.

    The bits of numbers from 0 on, read as integers, have the same order. The integer is extended by the bit that decides ties,
    and in float32 by the column, so that one sort of integers is enough. ``negative`` comes back as 0 or 1.
    """
    on_host = _on_host(values)  # where NumPy sorts several times as fast as torch
    if values.dtype == torch.float32:
        keys = negative.long().bitwise_left_shift_(31).add_(torch.arange(len(values), device=values.device))
        keys += values.view(torch.int32).long().bitwise_left_shift_(32)
        keys = torch.from_numpy(np.sort(keys.numpy(), axis=1)) if on_host else keys.sort(1).values
        return keys & 0x7FFFFFFF, keys.bitwise_right_shift_(31).bitwise_and_(1)
    keys = (values.view(torch.int64) - 2**62).mul_(2).add_(negative)
    order = torch.from_numpy(np.argsort(keys.numpy(), axis=1)) if on_host else keys.argsort(1)
    return order, negative.long().gather(1, order)


def _on_host(table: Tensor) -> bool:
    """Whether NumPy reads the table where it lies."""
    return table.device.type == "cpu"
