"""Numbers for `Loss.by_hand`: plain floats, or scalar tensors where autograd differentiates the sums."""

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor

Number: TypeAlias = float | Tensor


def numbers(t: Tensor) -> list[list[Number]]:
    """The entries of ``t`` (N, d), row by row: floats, or scalar tensors where ``t`` requires grad."""
    return [list(row) for row in t] if t.requires_grad else t.tolist()


def scalar(t: Tensor) -> Number:
    """The number in ``t`` (): a float, or ``t`` where it requires grad."""
    return t if t.requires_grad else float(t)


def total(terms: Iterable[Number]) -> Number:
    """The sum of the terms, 0 where there are none; floats are added without rounding in between."""
    listed = list(terms)
    if any(isinstance(term, Tensor) for term in listed):
        return torch.stack([torch.as_tensor(term, dtype=torch.float64) for term in listed]).sum()
    return math.fsum(float(term) for term in listed)


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """The inner product of two rows."""
    return total(p * q for p, q in zip(a, b, strict=True))


def squared_distance(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """The squared Euclidean distance of two rows."""
    return total((p - q) * (p - q) for p, q in zip(a, b, strict=True))


def centred(row: Sequence[Number]) -> list[Number]:
    """The row less the mean of its numbers."""
    mean = total(row) / len(row)
    return [x - mean for x in row]


def root(x: Number) -> Number:
    """The square root, with derivative 0 at 0."""
    return x**0.5 if x > 0 else 0.0


def absolute(x: Number) -> Number:
    """The absolute value."""
    return x if x > 0 else -x


def hinge(x: Number) -> Number:
    """The positive part, with derivative 0 at 0."""
    return x if x > 0 else 0.0


def exp(x: Number) -> Number:
    """The exponential."""
    return x.exp() if isinstance(x, Tensor) else math.exp(x)


def log(x: Number) -> Number:
    """The natural logarithm."""
    return x.log() if isinstance(x, Tensor) else math.log(x)


def constant(x: Number) -> Number:
    """The same number, detached: constant in a gradient."""
    return x.detach() if isinstance(x, Tensor) else x


def log_of_sum(exponents: Sequence[Number]) -> Number:
    """The logarithm of the sum of e^x, with the largest factored out, because e^1000 is no float."""
    largest = constant(max(exponents))
    return largest + log(total(exp(x - largest) for x in exponents))
