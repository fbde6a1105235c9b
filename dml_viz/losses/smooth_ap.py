"""Smooth-AP: average precision, with ranks counted by sigmoids."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, exp, numbers, squared_distance, total
from dml_viz.params import param

TOGETHER = 2**17  # numbers that one operation may work on, in tables of at most four positives
NEAR = 2**18  # bytes of tables that stay in the processor's cache, for any number of positives


@dataclass(frozen=True)
class SmoothAP(Loss):
    """1 less the mean over queries of average precision, where a sigmoid counts how far one point ranks before another.

    With ``itself`` a query is in its own ranking, a positive at similarity 1, as in the official code.
    """

    title = "Smooth-AP"
    sentence = "Every point queries the batch; the loss is 1 less the mean average precision, its ranks counted by sigmoids."
    formula = (
        r"L = 1-\frac1M\sum_{i:\,\mathcal P_i\neq\emptyset}\frac{1}{|\mathcal P_i|}"
        r"\sum_{j\in\mathcal P_i}\frac{R_{ij}^+}{R_{ij}},\quad "
        r"R_{ij} = 1+\sum_{k\neq j}\sigma_{jk},\quad R_{ij}^+ = 1+\sum_{k\in\mathcal P_i,\,k\neq j}\sigma_{jk},\quad "
        r"\sigma_{jk} = \frac{1}{1+e^{-(s_{ik}-s_{ij})/\tau}}"
    )
    weight_formula = (
        r"w_{ik} = \sum_{j\in\mathcal P_i} v_{jk}-\mathbb 1[k\in\mathcal P_i]\sum_{l} v_{kl},\quad "
        r"v_{jk} = \frac{\sigma_{jk}(1-\sigma_{jk})}{M\,\tau\,|\mathcal P_i|}"
        r"\Big(\frac{R_{ij}^+}{R_{ij}^2}-\frac{\mathbb 1[k\in\mathcal P_i]}{R_{ij}}\Big)"
    )
    rewritten = (
        ("itself", False, r"\sum_{k\neq j}", r"\sum_{k\neq i,j}"),
        ("itself", True, "R_{ij} =", r"i\in\mathcal P_i,\quad R_{ij} ="),
    )
    reference = (
        "Brown, Xie, Kalogeiton, Zisserman: Smooth-AP: Smoothing the Path Towards Large-Scale Image Retrieval, ECCV 2020, "
        "arXiv:2007.12163"
    )
    families = ("ranking",)
    elsewhere = (
        "pytorch-metric-learning 2.9's SmoothAPLoss (its temperature is τ) takes rows in order, and the number of samples per "
        "class for that of classes. It is this, a query ranking itself, only if both are equal and each class's rows adjoin."
    )
    traps = (
        "At small τ a sigmoid is flat but for a narrow step: a pair far out of order is not moved at all.",
        "A larger τ gives more pairs a gradient, but the softly counted ranks, and the loss, drift from the true ones.",
        "A query that ranks itself has a sure positive at rank 1: the loss is smaller, the ranking no better.",
        "A query without another point of its class is left out; where none is left the loss is 0.",
    )

    tau: float = param(
        0.01,
        "temperature: how far ahead in similarity is clearly ahead",
        r"\tau",
        domain="[0.0001, inf) cosine",
        slider=(0.005, 0.1, 0.005),
        source="Brown et al. 2020",
    )
    itself: bool = param(
        True,
        "a query is in its own ranking, as a positive",
        r"i\in\mathcal P_i",
        source="on in the official code",
        label="ranks itself",
    )

    @property
    def variant_text(self) -> str:
        ranking = "A query ranks itself as well, as in the official code" if self.itself else "A query does not rank itself"
        return f"{ranking}; cosine similarity; the mean over queries that have another point of their class."

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        scores: list[Number] = []
        for i in everyone:
            s = {k: 1 - squared_distance(points[i], points[k]) / 2 for k in everyone if k != i}
            if not any(labels[k] == labels[i] for k in s):
                continue
            if self.itself:
                s[i] = 1.0
            positives = [k for k in s if labels[k] == labels[i]]
            precisions: list[Number] = []
            for j in positives:
                ahead = {k: _sigmoid((s[k] - s[j]) / self.tau) for k in s if k != j}
                rank = 1 + total(ahead.values())
                rank_among_positives = 1 + total(ahead[k] for k in positives if k != j)
                precisions.append(rank_among_positives / rank)
            scores.append(total(precisions) / len(positives))
        return 1 - total(scores) / len(scores) if scores else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        queries = pairs.positive_counts > 0
        myself = torch.eye(len(pairs.y), dtype=torch.bool, device=pairs.y.device)
        s = pairs.s.masked_fill(myself, 1)
        ranked = torch.ones_like(myself) if self.itself else ~myself
        positive = pairs.same & ranked
        ahead = torch.sigmoid((s[:, None, :] - s[:, :, None]) / self.tau)  # (query, j, k)
        ahead = ahead * (ranked[:, None, :] & ~myself)
        rank = 1 + ahead.sum(2)
        rank_among_positives = 1 + (ahead * positive[:, None, :]).sum(2)
        precision = (rank_among_positives / rank * positive).sum(1) / positive.sum(1).clamp(min=1)
        return (1 - precision)[queries].sum() / queries.sum().clamp(min=1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Compute some positives of every query at a time: O(N^2 P) for P positives per query, in a few arrays of N x N."""
        queries = (pairs.positive_counts > 0).to(pairs.d2.dtype)
        columns, exists = pairs.layout.of(_positives, self.itself)
        each = exists / (exists.sum(1) * queries.sum()).clamp(min=1)[:, None] * queries[:, None]  # (N, P)
        # Similarity less 1 in units of tau; a query that is not in its own ranking is at -inf, behind all others.
        s = pairs.d2.mul(-0.5 / self.tau).fill_diagonal_(0 if self.itself else -torch.inf)
        of_positives = torch.where(exists, s.gather(1, columns), 0)
        average, weights, of_columns = s.new_zeros(()), torch.zeros_like(s), torch.zeros_like(of_positives)
        some = max(1, min(4, TOGETHER // max(1, s.numel())), NEAR // max(1, s.nbytes))
        tables = [s.new_empty(*each[:, :some].shape, len(s)) for _ in range(2)]
        for weight, positives, of_own in zip(*(table.split(some, 1) for table in (each, of_positives, of_columns)), strict=True):
            ahead, steep = (table[:, : positives.shape[1]] for table in tables)  # (N, some, N)
            torch.sub(s[:, None], positives[:, :, None], out=ahead).sigmoid_()
            torch.addcmul(ahead, ahead, ahead, value=-1, out=steep)
            among = columns[:, None].expand(-1, positives.shape[1], -1)  # (N, some, P)
            # The sums contain the point itself with sigmoid(0) = 0.5, and its rank counts it as 1.
            rank = ahead.sum(2).add_(0.5)
            rank_among_positives = ahead.gather(2, among).mul_(exists[:, None]).sum(2).add_(0.5)
            precision = rank_among_positives / rank
            average += (weight * precision).sum()
            for_all, for_positives = weight * precision / rank, weight / rank
            of_steep = steep.gather(2, among).mul_(exists[:, None]).mul_(for_positives[:, :, None])
            weights[:, None].baddbmm_(for_all[:, None], steep)
            of_columns -= of_steep.sum(1)
            of_own += of_steep.sum(2).sub_(steep.sum(2).mul_(for_all))
        weights.scatter_add_(1, columns, of_columns)
        if self.itself:
            weights.fill_diagonal_(0)
        return queries.sum().clamp(max=1) - average, weights.div_(self.tau)


def _sigmoid(x: Number) -> Number:
    return 1 / (1 + exp(-x)) if x > 0 else exp(x) / (1 + exp(x))


def _positives(y: Tensor, itself: bool) -> tuple[Tensor, Tensor]:
    """The columns (N, P) of every query's positives, with itself or without, and a mask (N, P) of those that exist."""
    rows = torch.arange(len(y), device=y.device)
    order = y.argsort(stable=True)
    ordered = y[order]
    first, last = torch.searchsorted(ordered, y), torch.searchsorted(ordered, y, right=True)
    rank = first[:, None] + torch.arange(int((last - first).max()), device=y.device)
    # A row of a smaller class is filled up with the query's own column.
    exists = rank < last[:, None]
    columns = torch.where(exists, order[rank.clamp(max=len(y) - 1)], rows[:, None])
    return columns, exists if itself else exists & (columns != rows[:, None])
