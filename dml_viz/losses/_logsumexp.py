"""Logarithms of sums of exponentials over some of a table, and the share of each term, without overflow."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

SHORT = 8  # columns; over a last dimension shorter than this a softmax takes fifteen times as long as over the first


class LogSum(NamedTuple):
    """``value`` is the logarithm of the sum; ``shares``, of the exponents' shape, is each term over the sum."""

    value: Tensor
    shares: Tensor


def log_sum(exponents: Tensor, dim: int = 1, *, plus_one: bool = False) -> LogSum:
    """log(sum of e^exponents) along ``dim``, with ``plus_one`` log(1 + sum), and each term's share of the sum.

    An exponent of -inf adds nothing. An empty sum has the value -inf (0 with ``plus_one``) and shares 0. The shares overwrite the
    exponents. It has no graph; for autograd use torch.logsumexp.
    """
    largest = exponents.amax(dim, keepdim=True)
    largest = largest.clamp_(min=0) if plus_one else largest.clamp_(min=torch.finfo(exponents.dtype).min)
    # Where many terms are -inf or underflow, torch's exp takes five to thirty times as long as its exp2.
    terms = exponents.sub_(largest).mul_(1 / math.log(2)).exp2_()
    total = terms.sum(dim, keepdim=True)
    if plus_one:
        total += largest.neg().exp_()
    value = total.log().add_(largest)
    # A sum is at least its largest term, which is 1, unless it is empty.
    return LogSum(value.squeeze(dim), terms.div_(total.clamp_(min=1 if not plus_one else 0)))


def cross_entropy(logits: Tensor, y: Tensor, times: float = 1.0, own_times: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The mean cross-entropy of logits (N, C) for classes y (N,), and its slopes (N, C) multiplied by ``times``; no graph.

    The slopes at each row's own class are multiplied by ``own_times`` (N, 1), too.
    """
    columns = y.long()[:, None]
    log_shares = logits.T.log_softmax(0).T if logits.shape[1] < SHORT else logits.log_softmax(1)
    value = 0 - log_shares.gather(1, columns).mean()  # a minus sign would make a loss of 0 a -0
    # The own share less 1 is minus the sum of the other shares, which does not cancel where it is small.
    slopes = log_shares.exp_().scatter_(1, columns, 0)
    of_own = slopes.sum(1, keepdim=True).neg_()
    if own_times is not None:
        of_own *= own_times
    return value, slopes.scatter_(1, columns, of_own).mul_(times / len(y))


def log_mask_above_zero(x: Tensor) -> Tensor:
    """0 where x is above 0, else -inf: added to exponents, it removes the terms where x is not above 0. Without a graph."""
    return (x.detach() > 0).to(x.dtype).reciprocal_().neg_().add_(1)  # faster than a logarithm


def log_one_and_sum(exponents: Tensor, dim: int = 1) -> Tensor:
    """log(1 + sum of e^exponents) along ``dim``, differentiable; an exponent of -inf adds nothing."""
    zero = torch.zeros_like(exponents.narrow(dim, 0, 1))
    return torch.cat((exponents, zero), dim).logsumexp(dim)
