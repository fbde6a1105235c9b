"""Triplet loss, with its ways of choosing triplets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from dml_viz import literal
from dml_viz.geometry import Cap, Mark
from dml_viz.literal import Number, hinge, numbers, squared_distance, total
from dml_viz.loss import Gradients, Loss
from dml_viz.pairs import Pairs, slope_in_distance
from dml_viz.params import param
from dml_viz.sphere import LARGEST, root
from dml_viz.subject import Subject


class Hardest(NamedTuple):
    """Per anchor the farthest positive and the nearest negative (N,), and whether it has both (N,)."""

    positive: Tensor
    negative: Tensor
    both: Tensor


@dataclass(frozen=True)
class Triplet(Loss):
    """An anchor is to be nearer to its positive than to a negative, by a margin.

    With mining "all" every triplet counts. "semi-hard": for every pair of anchor and positive, all negatives farther than the
    positive by less than the margin, d_ap < d_an < d_ap + m. "batch-hard": for every anchor its farthest positive and its
    nearest negative, of equally far ones the first in the batch; that tie decides where the gradient goes, not the value.
    """

    title = "Triplet"
    sentence = "Every anchor wants its positive nearer than its negative, by a margin."
    formula = r"L = \frac{1}{|\mathcal T|}\sum_{(a,p,n)\in\mathcal T}\big[d_{ap}-d_{an}+m\big]_+"
    weight_formula = (
        r"w_{ap} = -\frac{c}{|\mathcal T|}\,\#\{n:\text{active}\},\quad w_{an} = +\frac{c}{|\mathcal T|}\,\#\{p:\text{active}\},"
        r"\quad c = 2\ (d^2)\ \text{or}\ \tfrac1d\ (d)"
    )
    reference = (
        "Schroff, Kalenichenko, Philbin: FaceNet, CVPR 2015; "
        "batch-hard: Hermans, Beyer, Leibe: In Defense of the Triplet Loss, 2017"
    )
    families = ("triplets",)
    elsewhere = (
        "pytorch-metric-learning's TripletMarginLoss is this with mining all, unsquared distances, m = 0.05 and the mean over "
        "triplets above 0; its miners choose the others. FaceNet squares, with m = 0.2."
    )
    traps = (
        "Batch-hard with unsquared distances can collapse: all points at one place cost exactly the margin.",
        "The mean over triplets above 0 does not fall as easy triplets drop out; the mean over all fades to nothing.",
        "Semi-hard leaves out a negative nearer than the positive, however wrong it is.",
        "A margin means something else for squared distances, which reach 4, than for distances, which reach 2.",
    )

    margin: float = param(
        0.2, "m", meaning="how much nearer the positive is to be, in units of the distance used", unit="distance",
        domain="[0, 4]", slider=(0.0, 1.0), step=0.01, source="0.2 on squared distances in Schroff et al. 2015, section 3.1",
    )  # fmt: skip
    mining: str = param(
        "semi-hard", r"\mathcal T", meaning="which triplets count", choices=("all", "semi-hard", "batch-hard"),
        source="Schroff et al. 2015, section 3.2; Hermans et al. 2017, equation 5",
    )  # fmt: skip
    squared: bool = param(
        True, "d^2", meaning="squared distances", source="Schroff et al. 2015 squares, Hermans et al. 2017 does not"
    )
    reduction: str = param(
        "all", r"|\mathcal T|", meaning="the mean is over all these triplets, or over those above 0", choices=("all", "nonzero"),
        source="Hermans et al. 2017, section 2",
    )  # fmt: skip

    @property
    def variant(self) -> str:
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
                d = [literal.root(square) for square in d]
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
            hardest, everyone = _hardest(d, y), torch.arange(len(y), device=y.device)
            counts = torch.zeros_like(counts)
            counts[everyone, hardest.positive, hardest.negative] = hardest.both
        if self.reduction == "nonzero":
            counts = counts & (violation > 0)
        return violation.relu()[counts].sum() / counts.sum().clamp(min=1)

    def weigh(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        d = pairs.d2 if self.squared else pairs.d
        value, slopes = self._of_hardest(d, pairs.y) if self.mining == "batch-hard" else self._of_many(d, pairs.y)
        return value, slopes.mul_(-2) if self.squared else slope_in_distance(pairs, slopes)

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        if self.mining != "batch-hard":
            return super().evaluate(pairs, learnt)
        z, hardest = pairs.z, _hardest(pairs.d2, pairs.y)
        # One triplet per anchor: its distances again from differences, which lose nothing, and no N x N gradient.
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

    def geometry(self, subject: Subject, query: int) -> tuple[Mark, ...]:
        positives = (subject.y == subject.y[query]).nonzero()[:, 0]
        farthest = float((subject.z[positives] - subject.z[query]).norm(dim=1).max())
        bound = (farthest**2 + self.margin) ** 0.5 if self.squared else farthest + self.margin
        centre = tuple(subject.z[query].tolist())
        caps = (
            Cap(f"farthest positive, d = {farthest:.3g}", "positive", centre, farthest),
            Cap(f"margin, d = {bound:.3g}", "bound", centre, min(bound, LARGEST**0.5)),
        )
        return (*caps, *super().geometry(subject, query))

    def _mean(self, violation: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """The mean hinge of the triplets that count, and what each distance of an active one weighs in it."""
        active = (violation > 0) & counts
        triplets = (active if self.reduction == "nonzero" else counts).sum().clamp(min=1)
        weight = active / triplets.to(violation.dtype)
        return (violation * weight).sum(), weight

    def _of_hardest(self, d: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """The value and dL/dd (N, N) of batch-hard triplets."""
        hardest = _hardest(d, y)
        positive, negative = hardest.positive[:, None], hardest.negative[:, None]
        violation = (d.gather(1, positive) - d.gather(1, negative))[:, 0] + self.margin
        value, weight = self._mean(violation, hardest.both)
        slopes = torch.zeros_like(d).scatter_add_(1, positive, weight[:, None])
        return value, slopes.scatter_add_(1, negative, -weight[:, None])

    def _of_many(self, d: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """The value and dL/dd (N, N) of all or of semi-hard triplets, one positive of every anchor at a time.

        Time O(N^2 P) for P positives per anchor; memory about twelve arrays of N x N (12 MB at N = 512 in float32).
        """
        columns, there = _positives(y)
        # Infinity takes part in no triplet: what is no negative is too far, what is no positive too near.
        other = y[:, None] != y
        to_negative = torch.where(other, d, torch.inf)
        to_positive = torch.where(there, d.gather(1, columns), -torch.inf)  # (N, P)
        value, triplets = d.new_zeros(()), (there.sum(1) * other.sum(1)).sum()
        from_negatives, from_positives = torch.zeros_like(d), torch.zeros_like(to_positive)
        for rank, near in enumerate(to_positive.unbind(1)):
            violation = (near[:, None] + self.margin - to_negative).clamp_(min=0)
            # In numbers rather than truth values, which torch compares and adds up several times slower.
            active = torch.gt(violation, 0, out=torch.empty_like(d))
            if self.mining == "semi-hard":
                active *= torch.gt(to_negative, near[:, None], out=torch.empty_like(d))
                violation *= active
            value += violation.sum()
            from_negatives -= active
            from_positives[:, rank] = active.sum(1)
        slopes = from_negatives.scatter_(1, columns, from_positives)
        if self.mining == "semi-hard" or self.reduction == "nonzero":
            triplets = from_positives.sum()
        return value / triplets.clamp(min=1), slopes / triplets.clamp(min=1)


def _hardest(d: Tensor, y: Tensor) -> Hardest:
    """The hardest positive and negative by distances d (N, N) of any kind; of equal ones the first."""
    beyond = 2 * LARGEST
    # Numbers again, and distances that do not count put out of the way by more than any distance.
    other = torch.ne(y[:, None], y, out=torch.empty(d.shape, dtype=y.dtype, device=y.device)).to(d.dtype)
    far, positive = torch.sub(d, other, alpha=beyond).fill_diagonal_(-1).max(1)
    near, negative = torch.add(d, 1 - other, alpha=beyond).min(1)
    return Hardest(positive, negative, (far >= 0) & (near < beyond))


def _positives(y: Tensor) -> tuple[Tensor, Tensor]:
    """Every point's positives as columns (N, P), P those of the largest class, and which of them are there (N, P).

    Where a point has fewer, its own column stands in.
    """
    itself = torch.arange(len(y), device=y.device)
    order = y.argsort(stable=True)
    ordered = y[order]
    first, last = torch.searchsorted(ordered, y), torch.searchsorted(ordered, y, right=True)
    place = first[:, None] + torch.arange(int((last - first).max()), device=y.device)
    columns = order[place.clamp(max=len(y) - 1)]
    there = (place < last[:, None]) & (columns != itself[:, None])
    return torch.where(there, columns, itself[:, None]), there
