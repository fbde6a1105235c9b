"""Histogram loss: the chance that a negative pair is more similar than a positive one."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, constant, numbers, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class Histogram(Loss):
    """The chance that a random negative pair is at least as similar as a random positive pair, from two soft histograms.

    The nodes of the histograms are ``bins`` + 1 similarities from -1 to 1; the pairs are ordered, so each counts twice. At a
    node the derivative is the one towards less similarity, at equal points 0. Without positive pairs, or without negative
    pairs, the loss is 0.
    """

    title = "Histogram"
    sentence = "A random negative pair should be less similar than a random positive pair, even of other points."
    formula = (
        r"L = \sum_r h_r^-\sum_{q\le r}h_q^+,\quad "
        r"h_r^\pm = \frac{1}{|\mathcal S^\pm|}\sum_{(i,j)\in\mathcal S^\pm}\Big[1-\frac{|s_{ij}-t_r|}{\Delta}\Big]_+,\quad "
        r"t_r = -1+r\Delta,\ \Delta=\frac2B"
    )
    weight_formula = (
        r"w_{ij} = \frac{h_r^+}{\Delta\,|\mathcal S^-|}\ \big((i,j)\in\mathcal S^-\big),\quad "
        r"-\frac{h_{r-1}^-}{\Delta\,|\mathcal S^+|}\ \big((i,j)\in\mathcal S^+\big)\qquad t_{r-1}<s_{ij}\le t_r"
    )
    reference = "Ustinova, Lempitsky: Learning Deep Embeddings with Histogram Loss, NeurIPS 2016, arXiv:1611.00822"
    families = ("pairs",)
    elsewhere = (
        "pytorch-metric-learning's HistogramLoss (n_bins = bins) computes the same in float32. It leaves out negative pairs of "
        "two points that both have no positive, and fails on points that float32 cannot tell apart."
    )
    traps = (
        "All pairs of the batch are thrown together: a pair is compared with pairs of other points, not with its anchor's own.",
        "Many nodes and few pairs leave a pair without gradient: it feels only pairs of the other kind next to its own node.",
        "Once no negative is above a positive or shares a node with one, the loss is 0: the width of an interval is the margin.",
        "The gradient is constant between two nodes and jumps at them.",
    )

    bins: int = param(
        100,
        "intervals of similarity, between bins + 1 nodes",
        "B",
        domain="[1, 1000]",
        slider=(10, 200, 1),
        source="Ustinova, Lempitsky 2016, section 4; 100 in pytorch-metric-learning",
    )

    @property
    def variant_text(self) -> str:
        return (
            f"Cosine similarity at {self.bins + 1} nodes {2 / self.bins:.3g} apart; every pair shared by the two "
            "nodes next to it; all pairs of the batch."
        )

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels = numbers(z), y.tolist()
        nodes = range(self.bins + 1)  # of squared distances from 0, which are those of similarities from 1 downwards
        positives: list[list[Number]] = [[] for _ in nodes]
        negatives: list[list[Number]] = [[] for _ in nodes]
        for i in range(len(y)):
            for j in range(i):
                t = squared_distance(points[i], points[j]) * (self.bins / 4)
                node = min(math.floor(constant(t)), self.bins - 1)
                share = t - node if t > 0 else 0.0  # equal points have no direction in which to move apart
                of = positives if labels[i] == labels[j] else negatives
                of[node].append(1 - share)
                of[node + 1].append(share)
        many_positives, many_negatives = (sum(len(shares) for shares in kind) / 2 for kind in (positives, negatives))
        if not many_positives or not many_negatives:
            return 0.0
        terms: list[Number] = []
        so_far: Number = 0.0
        for node in range(self.bins, -1, -1):
            so_far = so_far + total(positives[node]) / many_positives
            terms.append(total(negatives[node]) / many_negatives * so_far)
        return total(terms)

    def of_pairs(self, pairs: Pairs) -> Tensor:
        (of_positives, of_negatives), _, _ = self._histograms(pairs)
        return (of_positives * of_negatives.cumsum(0)).sum()

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        (of_positives, of_negatives), many, node = self._histograms(pairs)
        slopes = many.new_zeros(2, self.bins + 1)
        slopes[0, :-1], slopes[1, :-1] = -of_negatives[1:], of_positives[:-1]
        slopes.mul_(self.bins / 2).div_(many)
        table = torch.cat((slopes.view(-1), many.new_zeros(1)))
        weights = table.index_select(0, node.view(-1)).view_as(node)
        return (of_positives * of_negatives.cumsum(0)).sum(), weights.mul_(pairs.d2 > 0)

    def _histograms(self, pairs: Pairs) -> tuple[Tensor, Tensor, Tensor]:
        """Histograms of positives and of negatives (2, bins + 1), the numbers of pairs (2, 1), and each pair's place (N, N).

        The histograms are over squared distance, from 0: they have the same nodes, in the opposite order.
        """
        nodes = self.bins + 1
        t = pairs.d2 * (self.bins / 4)
        node = t.long().clamp_(max=self.bins - 1)
        # Equal points have no direction in which to move apart, so their pair has no derivative.
        fraction = (t - node) * (t > 0)
        # The last place, behind both histograms, is for a point with itself.
        node.add_(pairs.negative, alpha=nodes).fill_diagonal_(2 * nodes)
        # Summed row by row, because one sum of all pairs would be less precise.
        empty = t.new_zeros(len(t), 2 * nodes + 1)
        counts, moved = (empty.scatter_add(1, node, added).sum(0)[:-1].view(2, nodes) for added in (torch.ones_like(t), fraction))
        many = counts.sum(1, keepdim=True).clamp(min=1)
        return (counts - moved.diff(dim=1, prepend=torch.zeros_like(many))) / many, many, node
