"""Classmates of every row as a table: going through its columns, a loss of triplets needs no array of all triplets."""

import torch
from torch import Tensor


def classmates(y: Tensor) -> tuple[Tensor, Tensor]:
    """The indices (N, P) of every row's classmates, as many as in the largest class, and the sizes (N,) of the classes.

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
