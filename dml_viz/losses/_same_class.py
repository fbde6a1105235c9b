"""Classmates of every row, as a table to go through column by column: triplets then need no array of all of them."""

import torch
from torch import Tensor


def classmates(y: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers (N, P) of every row's classmates, P those of the largest class, and the sizes (N,) of the classes.

    Column r - 1 holds the r-th next of the class by its order in the batch, beginning anew after the last, so that every
    column is a permutation of the batch; a class of K begins to repeat itself with column K - 1, where a row meets itself.
    """
    order = y.argsort(stable=True)
    ordered = y[order]
    first, last = torch.searchsorted(ordered, y), torch.searchsorted(ordered, y, right=True)
    size = last - first
    place = torch.empty_like(order).index_copy_(0, order, torch.arange(len(y), device=y.device)) - first
    steps = torch.arange(1, int(size.max()), device=y.device)
    return order[first[:, None] + (place[:, None] + steps) % size[:, None]], size
