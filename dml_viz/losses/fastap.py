"""FastAP: average precision, made differentiable by histograms."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import has_float64
from dml_viz.losses._base import Loss
from dml_viz.losses._layout import SHARED_UP_TO, Layout, as_int32
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._results import Gradients
from dml_viz.losses._scalar import Number, absolute, hinge, numbers, squared_distance, total
from dml_viz.losses._soft_histogram import (
    PairBins,
    add_transpose_,
    cumulative_histograms_and_columns,
    cumulative_histograms_and_indices,
    entries_at,
)
from dml_viz.params import param


@dataclass(frozen=True)
class FastAP(Loss):
    """1 less the mean over queries of average precision, with ranks computed from soft histograms of squared distance."""

    title = "FastAP"
    sentence = "Every point queries all others; the loss is 1 less the mean average precision, made smooth by histograms."
    formula = (
        r"h_j = \sum_k \Big[1-\frac{|d_{ik}^2-z_j|}{\Delta}\Big]_+,\quad H_j = \sum_{l\le j} h_l,\quad "
        r"\mathrm{FastAP}_i = \frac{1}{|\mathcal P_i|}\sum_j \frac{h_j^+ H_j^+}{H_j},\quad "
        r"L = 1-\frac1M\sum_{i:\,\mathcal P_i\neq\emptyset}\mathrm{FastAP}_i"
    )
    weight_formula = (
        r"w_{ik} = \frac{2}{M\,\Delta\,|\mathcal P_i|}\begin{cases}\frac{h_j^+H_j^+}{H_j^2} & k\in\mathcal N_i\\"
        r"\frac{H_{j+1}^+}{H_{j+1}}-\frac{H_j^+}{H_j}-\frac{h_j^+H_j^-}{H_j^2} & k\in\mathcal P_i\end{cases}"
        r"\quad z_j\le d_{ik}^2<z_{j+1}"
    )
    reference = "Cakir, He, Xia, Kulis, Sclaroff: Deep Metric Learning to Rank, CVPR 2019, doi:10.1109/CVPR.2019.00196"
    families = ("ranking",)
    elsewhere = (
        "pytorch-metric-learning's FastAPLoss (num_bins = bins) computes the same. The official MATLAB code gives the gradient "
        "another scale."
    )
    traps = (
        "1 − loss is no mean average precision: on average it lies below, more so with few bins and a little with any number. A "
        "positive is split over two bins, and its first share is ranked without the rest.",
        "The bins are a margin: the loss is 0, with no gradient, once every negative is two bins past the last positive.",
        "Centres are evenly spaced in squared distance: the first of 10 bins reaches to distance 0.63.",
        "A query without another point of its class is left out; where none is left the loss is 0.",
        "A hand-written backward in circulation is M/2 times the true gradient, M queries, and ignores what follows the loss.",
    )

    bins: int = param(
        10,
        "intervals of squared distance, between bins + 1 centres",
        "B",
        domain="[1, 1000]",
        slider=(4, 100, 1),
        source="Cakir et al. 2019, section 4; 10 in the official code",
    )

    @property
    def variant_text(self) -> str:
        return (
            f"Squared distances in [0, 4] at {self.bins + 1} centres {4 / self.bins:.3g} apart, as in the official code; "
            "mean over the queries that have a positive; the exact gradient."
        )

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        width = 4 / self.bins
        fastaps: list[Number] = []
        for i in everyone:
            distance = {k: squared_distance(points[i], points[k]) for k in everyone if k != i}
            positives = [k for k in distance if labels[k] == labels[i]]
            if not positives:
                continue
            precisions: list[Number] = []
            so_far: Number = 0.0
            positives_so_far: Number = 0.0
            for j in range(self.bins + 1):
                share = {k: hinge(1 - absolute(d - j * width) / width) for k, d in distance.items()}
                so_far = so_far + total(share.values())
                in_bin = total(share[k] for k in positives)
                positives_so_far = positives_so_far + in_bin
                if so_far > 0:
                    precisions.append(in_bin * positives_so_far / so_far)
            fastaps.append(total(precisions) / len(positives))
        return 1 - total(fastaps) / len(fastaps) if fastaps else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        up_to, _ = cumulative_histograms_and_columns(pairs.d2, pairs.y, self.bins)
        return loss_of_histograms(up_to, up_to[:, 0, -1])

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        up_to, indices = cumulative_histograms_and_indices(pairs, self.bins)
        value, slopes = _value_and_slopes(up_to, pairs.layout)
        return value, entries_at(slopes.permute(2, 0, 1).contiguous(), indices)

    def can_evaluate_from_weights(self, pairs: Pairs) -> bool:
        return len(pairs.z) <= SHARED_UP_TO and has_float64(pairs.z.device)

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        if self.can_evaluate_from_weights(pairs):
            value, weights = self.value_and_weights(pairs)
            return Gradients(value, pairs.gradient_at_rows(add_transpose_(weights), one_sided=True), {})
        bins = PairBins(pairs.z, pairs.layout.of(as_int32), self.bins)
        value, slopes = _value_and_slopes(bins.cumulative().permute(1, 2, 0).contiguous(), pairs.layout)
        return Gradients(value.to(pairs.z.dtype), bins.gradient_at_rows(slopes.permute(2, 0, 1)), {})


def loss_of_histograms(up_to: Tensor, positive_counts: Tensor) -> Tensor:
    """The loss of queries with cumulative histograms (N, 2, L), of positives and negatives, and ``positive_counts`` (N,)."""
    of_positives, of_all = up_to[:, 0], up_to.sum(1)
    precision = of_positives / torch.where(of_all > 0, of_all, 1)
    queries = positive_counts > 0
    fastap = (of_positives.diff(dim=1) * precision[:, 1:]).sum(1) / torch.where(queries, positive_counts, 1)
    return (1 - fastap)[queries].sum() / queries.sum().clamp(min=1)


def _queries(y: Tensor, dtype: torch.dtype) -> tuple[Tensor, int]:
    """The share (N,) of one positive of each query in the loss, and 1 if any query has a positive, else 0."""
    positives = torch.bincount(y)[y] - 1
    queries = int((positives > 0).sum())
    return 1 / (positives.clamp(min=1) * max(queries, 1)).to(dtype), min(queries, 1)


def _value_and_slopes(up_to: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
    """The loss, and dL/ds of queries' positives and negatives by bin (2, L, N), from cumulative histograms (2, L, N).

    With P = H+/H and q = h+/H, a pair that moves from bin m to m + 1 changes FastAP, times the number of positives, by q P for a
    negative and by P' - P - q (1 - P) for a positive, where P' is P of the next bin. Overwrites ``up_to``.
    """
    each, any_query = layout.of(_queries, up_to.dtype)
    of_positives, of_all = up_to
    of_all.add_(of_positives).clamp_(min=torch.finfo(up_to.dtype).tiny)
    precision = of_positives / of_all
    # A query without positives has shares 0, so it needs no mask.
    share = (of_positives[1:] - of_positives[:-1]).div_(of_all[1:]).mul_(each)
    value = any_query - torch.dot(share.flatten(), of_positives[1:].flatten())
    # Distances are clamped at the last centre, so no pair moves on from there.
    share, current, following = share[:-1], precision[1:-1], precision[2:]
    slopes = torch.zeros_like(up_to)
    positive, negative = slopes[:, 1:-1]
    torch.mul(share, current, out=negative)
    torch.sub(following, current, out=positive).mul_(each).add_(negative).sub_(share)
    return value, slopes.mul_((len(of_all) - 2) / 2)
