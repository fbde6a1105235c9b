"""All pairs of a batch, with the distances, similarities and masks that losses need, each computed once."""

import copy
from collections.abc import Mapping
from functools import cached_property

import torch
from torch import Tensor

from dml_viz.embedding.sphere import DIFFERENCES_UP_TO, LARGEST_D2, differences, pair_gradient, root, squared_chords, tangent
from dml_viz.losses._layout import Layout, layout_of


class Pairs:
    """Pairs of rows z (N, d), labels y (N,), with each other or with other rows ``to`` (M, d) of classes ``owners`` (M,).

    A row makes no pair with itself: it is neither positive nor negative to itself. Where ``ends_constant``, the other ends of
    the pairs are detached. ``learnt`` are the learnt tensors of the loss other than proxies. A table is computed when it is first
    read; distances are those of unit rows.
    """

    def __init__(
        self,
        z: Tensor,
        y: Tensor,
        to: Tensor | None = None,
        owners: Tensor | None = None,
        *,
        ends_constant: bool = False,
        learnt: Mapping[str, Tensor] | None = None,
    ) -> None:
        self.z, self.y, self.learnt = z, y, learnt or {}
        self.among_themselves = to is None
        ends = z if to is None else to
        self.to = ends.detach() if ends_constant else ends
        self.owners = y if owners is None else owners

    def at(self, d2: Tensor) -> "Pairs":
        """The same pairs at squared distances d2 (N, M)."""
        # Masks depend on labels alone, so they stay; tables computed from the old distances go.
        other = copy.copy(self)
        for name in ("d", "s"):
            vars(other).pop(name, None)
        vars(other)["d2"] = d2
        return other

    def with_learnt(self, learnt: Mapping[str, Tensor]) -> "Pairs":
        """The same pairs with other learnt tensors."""
        other = copy.copy(self)
        other.learnt = learnt
        return other

    @cached_property
    def d2(self) -> Tensor:
        """Squared distances (N, M), in [0, 4]."""
        if self.among_themselves or self.z.shape[1] > DIFFERENCES_UP_TO:
            return squared_chords(self.z, self.to)
        return self.row_differences.square().sum(0).clamp(max=LARGEST_D2).T

    @cached_property
    def row_differences(self) -> Tensor:
        """The differences (d, M, N) of the other rows from the rows; with few other rows this order of axes is fastest."""
        return differences(self.to, self.z)

    @cached_property
    def d(self) -> Tensor:
        """Distances (N, M), with derivative 0 at 0."""
        return root(self.d2)

    @cached_property
    def s(self) -> Tensor:
        """Cosine similarities (N, M)."""
        return torch.rsub(self.d2, 1, alpha=0.5)

    @cached_property
    def same(self) -> Tensor:
        """Whether a pair is of one class (N, M); true for a row with itself."""
        return self.y[:, None] == self.owners

    @cached_property
    def positive(self) -> Tensor:
        """Whether a pair is a positive one (N, M)."""
        if not self.among_themselves:
            return self.same
        return self.same.clone().fill_diagonal_(False)

    @cached_property
    def negative(self) -> Tensor:
        """Whether a pair is a negative one (N, M)."""
        return ~self.same

    @cached_property
    def positive_counts(self) -> Tensor:
        """Number of positives of each row (N,), in the type of z."""
        return self.positive.sum(1, dtype=self.z.dtype)

    @cached_property
    def negative_counts(self) -> Tensor:
        """Number of negatives of each row (N,), in the type of z."""
        return self.negative.sum(1, dtype=self.z.dtype)

    @cached_property
    def positive_ones(self) -> Tensor:
        """1 for a positive pair, else 0 (N, M), in the type of z: a product is several times faster than torch.where."""
        return self.positive.to(self.z.dtype)

    @cached_property
    def negative_ones(self) -> Tensor:
        """1 for a negative pair, else 0 (N, M), in the type of z."""
        return self.negative.to(self.z.dtype)

    @cached_property
    def only_positives(self) -> Tensor:
        """0 for a positive pair, else -inf (N, M): added to exponents, it leaves the terms of positives."""
        return self.positive.to(self.z.dtype).reciprocal_().neg_().add_(1)  # faster than a logarithm

    @cached_property
    def only_negatives(self) -> Tensor:
        """0 for a negative pair, else -inf (N, M): added to exponents, it leaves the terms of negatives."""
        return self.negative.to(self.z.dtype).reciprocal_().neg_().add_(1)  # faster than a logarithm

    @cached_property
    def layout(self) -> Layout:
        """The layout of the labels; unless `Loss.pairs` was given one, the labels are copied to the host."""
        return layout_of(self.y, self.z.device)

    def gradient_at_rows(self, weights: Tensor, *, one_sided: bool = False) -> Tensor:
        """The gradient (N, d) at z from weights dL/ds (N, M); where ``one_sided``, a pair (i, j) moves z_i alone."""
        return pair_gradient(weights, self.to, self.z, both_ends=self.among_themselves and not one_sided)

    def gradients_at_both_ends(self, weights: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients (N, d) at z and (M, d) at the other rows ``to``, from weights dL/ds (N, M)."""
        if self.z.shape[1] > DIFFERENCES_UP_TO:
            return self.gradient_at_rows(weights), pair_gradient(weights.T, self.z, self.to)
        weighted = self.row_differences * weights.T
        return weighted.sum(1).T.contiguous(), weighted.sum(2).neg_().T.contiguous()


def _shared(table: str) -> cached_property[Tensor]:
    return cached_property(lambda pairs: pairs.layout.of(_table, table, pairs.z.dtype))


def _table(y: Tensor, name: str, dtype: torch.dtype) -> Tensor:
    table: Tensor = getattr(Pairs(torch.empty(len(y), 0, dtype=dtype), y), name)
    return table


class BatchPairs(Pairs):
    """Pairs of a batch with itself. Tables that depend on labels alone are shared with other batches: never write into them."""

    same, positive, negative = _shared("same"), _shared("positive"), _shared("negative")
    positive_counts, negative_counts = _shared("positive_counts"), _shared("negative_counts")
    positive_ones, negative_ones = _shared("positive_ones"), _shared("negative_ones")
    only_positives, only_negatives = _shared("only_positives"), _shared("only_negatives")


def weights_of_distance_slopes(pairs: Pairs, slope: Tensor) -> Tensor:
    """Weights dL/ds (N, M) from slopes dL/dd (N, M): -1/d times the slope, and 0 at distance 0."""
    # No distance but 0 is below the root of the smallest number. A threshold is faster than torch.where.
    nowhere = torch.finfo(slope.dtype).tiny ** 0.65
    lengths = torch.threshold(pairs.d, nowhere, torch.inf)
    return torch.div(slope, lengths, out=lengths).neg_()


def gradient_before_normalising(gradient: Tensor, rows: Tensor) -> Tensor:
    """The gradient (M, d) at ``rows`` (M, d) of any length, from the gradient (M, d) at the same rows normalised."""
    lengths = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    return tangent(gradient, rows / lengths) / lengths


def classmates_and_sizes(y: Tensor) -> tuple[Tensor, Tensor]:
    """The indices (N, P) of every row's classmates, P as in the largest class, and the sizes (N,) of the rows' classes.

    Column r - 1 has the r-th next member of the row's class in the order of the batch, beginning anew after the last, so that
    every column is a permutation of the batch. For a class of K rows, column K - 1 is the row itself, and later ones repeat.
    """
    order = y.argsort(stable=True)
    ordered = y[order]
    first, last = torch.searchsorted(ordered, y), torch.searchsorted(ordered, y, right=True)
    size = last - first
    rank = torch.empty_like(order).index_copy_(0, order, torch.arange(len(y), device=y.device)) - first
    steps = torch.arange(1, int(size.max()), device=y.device)
    return order[first[:, None] + (rank[:, None] + steps) % size[:, None]], size
