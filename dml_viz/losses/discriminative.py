"""The discriminative loss: a bound on the sum over triplets, computed from fixed class centroids instead of triplets."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import _scalar
from dml_viz.losses._base import Loss
from dml_viz.losses._learnt_tensor import PROXIES
from dml_viz.losses._pairs import Pairs, weights_of_distance_slopes
from dml_viz.losses._results import Gradients
from dml_viz.losses._scalar import Number, constant, dot, numbers, squared_distance, total
from dml_viz.params import param

# Sharpness of the softmax over cosines while centroids are spread: at first all count, at last nearly the nearest alone.
SHARPNESS = torch.logspace(0.6, 1.6, 200).tolist()


@dataclass(frozen=True)
class Discriminative(Loss):
    """The upper bound of Do et al. (2019) on the triplet loss, which is not the loss of the same name in instance segmentation.

    Every sample should be near the centroid of its class and far from the others; the centroids do not move.
    ``proxies`` (C, d) are the centroids, of any length and normalised inside the loss. Their gradient is 0 unless
    ``learn_centroids``. With one class only the pull is left.
    """

    title = "Discriminative"
    sentence = "Every sample is drawn to a fixed corner of the sphere, its class's own, and pushed off all others."
    formula = (
        r"L = \frac1N\sum_i\Big[\lVert x_i-c_{y_i}\rVert-\frac{1}{3(C-1)}\sum_{m\ne y_i}\lVert x_i-c_m\rVert\Big],\quad "
        r"\sum_{(a,p,n)}(d_{ap}-d_{an}) \le 3(C-1)(n-1)n\,N\,L\ \ (n\ \text{samples of each class})"
    )
    weight_formula = r"w_{iy_i} = -\frac{1}{N\,d(x_i,c_{y_i})},\quad w_{im} = +\frac{1}{3(C-1)\,N\,d(x_i,c_m)}\ (m\ne y_i)"
    reference = (
        "Do, Tran, Reid, Kumar, Hoang, Carneiro: A Theoretically Sound Upper Bound on the Triplet Loss for Improving the "
        "Efficiency of Deep Distance Metric Learning, CVPR 2019, arXiv:1904.08720"
    )
    families = ("proxies", "triplets")
    learnable = (PROXIES,)
    elsewhere = (
        "pytorch-metric-learning has no such loss. The discriminative loss of instance segmentation is another, with hinges and "
        "centres that are means over the batch."
    )
    traps = (
        "It bounds the sum of dₐₚ − dₐₙ over all triplets, without hinge or margin: easy triplets count as much as hard ones.",
        "The bound has the factor 3 (C − 1) (n − 1) n N before this mean, and holds for n samples of every class.",
        "The bound holds for any centroids, and is tight where every sample lies on its own, wherever they are.",
        "The centroids learn nothing, unlike the proxies of Proxy-NCA: similar classes stay as far apart as others.",
        "Distances are not squared: the pull to the centroid is as strong near it as far from it, and stops only on it.",
        "The paper's centroids are one-hot, a dimension per class; where there are fewer dimensions they are spread out here.",
    )

    learn_centroids: bool = param(False, "let the centroids learn, as proxies do", "c", source="Do et al. 2019 fixes them")

    @property
    def variant_text(self) -> str:
        move = "learnt, as proxies are" if self.learn_centroids else "fixed (the paper)"
        return f"Unsquared distances to one centroid per class, {move}; the mean over samples, without the factor."

    @property
    def held_constant(self) -> str:
        return "" if self.learn_centroids else "The centroids are fixed: no gradient moves them."

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        if classes <= dim:
            return {"proxies": torch.eye(classes, dim)}
        centroids = normalise(torch.randn(classes, dim, generator=generator))
        for sharpness in SHARPNESS:
            # A step down the log-sum-exp of the cosines of each centroid with the others.
            nearness = (sharpness * centroids @ centroids.T).fill_diagonal_(-torch.inf).softmax(1)
            centroids = normalise(centroids - nearness @ centroids / sharpness)
        return {"proxies": centroids}

    def pairs(self, z: Tensor, y: Tensor, learnt: Mapping[str, Tensor], layout: object = None) -> Pairs:
        centroids = normalise(learnt["proxies"])
        owners = torch.arange(len(centroids), device=y.device)
        return Pairs(z, y, centroids, owners, ends_constant=not self.learn_centroids)

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        given = numbers(learnt["proxies"])
        if not self.learn_centroids:
            given = [[constant(c) for c in row] for row in given]
        centroids = [[c / _scalar.root(dot(row, row)) for c in row] for row in given]
        losses: list[Number] = []
        for x, label in zip(numbers(z), y.tolist(), strict=True):
            d = [_scalar.root(squared_distance(x, c)) for c in centroids]
            others = total(d_m for m, d_m in enumerate(d) if m != label)
            losses.append(d[label] - others / (3 * max(len(d) - 1, 1)))
        return total(losses) / len(losses)

    def of_pairs(self, pairs: Pairs) -> Tensor:
        others = pairs.d.shape[1] - 1
        return torch.where(pairs.same, pairs.d, -pairs.d / (3 * max(others, 1))).sum() / len(pairs.d)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        n, classes = pairs.d.shape
        slopes = torch.full_like(pairs.d, -1 / (3 * n * max(classes - 1, 1)))
        slopes.scatter_(1, pairs.y.long()[:, None], 1 / n)
        return (slopes * pairs.d).sum(), weights_of_distance_slopes(pairs, slopes)

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        if self.learn_centroids:
            return super().evaluate(pairs, learnt)
        value, weights = self.value_and_weights(pairs)
        return Gradients(value, pairs.gradient_at_rows(weights), {"proxies": torch.zeros_like(learnt["proxies"])})
