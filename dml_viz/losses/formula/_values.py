"""The value of a formula for many anchors at once, differentiable by autograd."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from dml_viz.losses._pairs import Pairs
from dml_viz.losses.formula._grammar import VARIABLES, FormulaError, Node

OF_TORCH = {"+": "add", "-": "sub", "*": "mul", "/": "div", "hinge": "relu", "const": "detach"}  # others have one name
ELEMENTS = 2**20  # numbers in the largest table of a formula; more anchors are computed in turn


class Anchors:
    """The A anchors with every kind of pair that ``formula`` names, their ``rows`` (A,), and their pairs in tables (A, P, M).

    The second axis goes over an anchor's positives, or all its pairs; the third over its negatives.
    """

    def __init__(self, formula: Node, pairs: Pairs) -> None:
        self.formula, self.kinds, named = formula, formula.free_kinds, "".join(sorted(formula.named))
        self.rows, slots, self.same, self._sizes = pairs.layout.of(_places, named)
        self.slots = dict(zip(named, slots, strict=True))
        self.together = max(1, ELEMENTS // max(math.prod(index.shape[1] for index, _ in self.slots.values()), 1))

    @property
    def term_count(self) -> int:
        """The number of terms of the mean, over all anchors."""
        return sum(math.prod(sizes[kind] for kind in self.kinds) for sizes in self._sizes)

    def total(self, d2: Tensor, some: slice, knobs: Mapping[str, float]) -> Tensor:
        """The sum of all terms of the anchors ``some``, from their squared distances d2 (A, N)."""
        values = _Place(self, d2, some, knobs)
        return values.masked(values.value(self.formula), self.kinds, 0.0).sum()


class _Place:
    """The pairs of some anchors, and the value of any part of a formula there."""

    def __init__(self, anchors: Anchors, d2: Tensor, some: slice, knobs: Mapping[str, float]) -> None:
        self._knobs, self._like, self.exists, self._d2 = knobs, d2.new_zeros(()), {}, {}
        for kind, (index, exists) in anchors.slots.items():
            index, exists = index[some], exists[some]
            # A place without a pair gets a distance at which every function is smooth.
            distances = torch.where(exists, d2.gather(1, index), 1.0)
            self._d2[kind], self.exists[kind] = (_axis(table, kind) for table in (distances, exists))
            if kind == "a":
                self._same = _axis(anchors.same[some].gather(1, index), kind).to(d2.dtype)

    def masked(self, x: Tensor, kinds: frozenset[str], instead: float) -> Tensor:
        """``x`` where there is a pair of each of ``kinds``, else ``instead``, expanded over the axes of ``kinds``."""
        for kind in kinds:
            x = torch.where(self.exists[kind], x, instead)
        return x

    def value(self, node: Node) -> Tensor:
        """The value of ``node`` (A, P, M); an axis on which it does not depend has length 1."""
        parts = [self.value(part) for part in node.parts]
        if node.over:
            return self._reduced(node, parts[0])
        match node.op:
            case "number":
                return self._like + node.number
            case "m" | "gamma":
                return self._like + self._knobs[node.op]
            case "y":
                return self._same
            case "s" | "s_p" | "s_n":
                return 1 - self._d2[VARIABLES[node.op]] / 2
            case "d" | "d_p" | "d_n":
                d2 = self._d2[VARIABLES[node.op]]
                return torch.where(d2 > 0, torch.where(d2 > 0, d2, 1.0).sqrt(), 0.0)
        return _computed(node, parts)

    def _reduced(self, node: Node, x: Tensor) -> Tensor:
        axis, over = (2 if node.over == "n" else 1), frozenset(node.over)
        if node.op in ("sum", "mean"):
            summed = self.masked(x, over, 0.0).sum(axis, keepdim=True)
            return summed / self.exists[node.over].sum(axis, keepdim=True) if node.op == "mean" else summed
        if node.op == "min":
            return self.masked(x, over, torch.inf).amin(axis, keepdim=True)
        lowest = self.masked(x, over, -torch.inf)
        return lowest.amax(axis, keepdim=True) if node.op == "max" else lowest.logsumexp(axis, keepdim=True)


def _computed(node: Node, parts: list[Tensor]) -> Tensor:
    x = parts[0]
    match node.op:
        case "^":
            return x ** int(node.number)
        case "softplus":
            return torch.logaddexp(x, torch.zeros_like(x))
        case "step":
            return (x > 0).to(x.dtype)
        case "sqrt":
            return torch.where(x == 0, 0.0, torch.where(x == 0, 1.0, x).sqrt())
        case op:
            result: Tensor = getattr(torch, OF_TORCH.get(op, op))(*parts)
            return result


def refuse_undefined(formula: Node, pairs: Pairs, knobs: Mapping[str, float]) -> None:
    """Raise `FormulaError` for the first part of ``formula`` without a value at some of ``pairs``, or without a slope."""
    anchors, d2 = Anchors(formula, pairs), pairs.d2.clone().requires_grad_()
    everyone = slice(None)
    values = _Place(anchors, d2[anchors.rows], everyone, knobs)

    def check(node: Node) -> None:
        for part in node.parts:
            check(part)
        value = values.masked(values.value(node), node.free_kinds, 0.0)
        if not bool(value.isfinite().all()):
            raise FormulaError(node.at, f"{_called(node)} has no finite value at some similarities from −1 to 1")

    check(formula)
    value = anchors.total(d2[anchors.rows], everyone, knobs)
    slope = torch.autograd.grad(value, d2)[0] if value.requires_grad else torch.zeros(1)
    if not bool(slope.isfinite().all()):
        raise FormulaError(formula.at, f"{_called(formula)} has no finite slope at some similarities from −1 to 1")
    if not bool(slope.any()):
        raise FormulaError(formula.at, "the slope of the formula is 0 at all similarities, so it moves no point")


def _called(node: Node) -> str:
    return {"^": "the power", "/": "the quotient", "*": "the product", "+": "the sum", "-": "the difference"}.get(
        node.op, f"{node.op}{'_' * bool(node.over)}{node.over}"
    )


def _axis(table: Tensor, kind: str) -> Tensor:
    return table[:, None, :] if kind == "n" else table[:, :, None]


def _places(y: Tensor, named: str) -> tuple[Tensor, tuple[tuple[Tensor, Tensor], ...], Tensor, list[dict[str, int]]]:
    """For labels y (N,): the anchors (A,) with pairs of every kind ``named``, and for each kind the places of these pairs.

    A kind has columns (A, K), filled up where an anchor has fewer, and a mask (A, K) of the true ones. Then: whether anchor and
    column are of one class (A, N), and the number of pairs of each kind for each anchor.
    """
    same = y[:, None] == y
    masks = {"p": same.clone().fill_diagonal_(False), "n": ~same, "a": ~torch.eye(len(y), dtype=torch.bool)}
    anchors = torch.stack([masks[kind].any(1) for kind in named]).all(0).nonzero()[:, 0]
    slots, counts = [], {}
    for kind in named:
        mask = masks[kind][anchors]
        counts[kind] = mask.sum(1).tolist()
        index = torch.argsort((~mask).to(torch.uint8), dim=1, stable=True)[:, : max(counts[kind], default=0)]
        slots.append((index, mask.gather(1, index)))
    sizes = [{kind: counts[kind][a] for kind in named} for a in range(len(anchors))]
    return anchors, tuple(slots), same[anchors], sizes
