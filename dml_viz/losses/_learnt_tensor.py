"""A tensor that a loss learns, as it declares it (shape, range, how its value is drawn), and the check of a loss's batch."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import torch
from torch import Tensor

UNIT_TOLERANCE = 1e-3
# The types of labels: torch cannot compare or sort most other types of whole numbers.
LABELS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


class Shape(Enum):
    """The shape of a learnt tensor."""

    NUMBER = "a number"  # ()
    PER_CLASS = "a number per class"  # (classes,)
    PROXIES = "rows for each class"  # (classes * per_class, d)


@dataclass(frozen=True)
class LearntTensor:
    """A learnt tensor by the ``name`` in `Loss.initial_tensors`; ``switch`` is the knob that makes it learnt, if any.

    Training clamps its entries to ``low`` and ``high`` after each step. A curve over the steps, called ``symbol``, shows
    ``to_curve`` of its value. ``meaning`` says what it is and names its range.
    """

    name: str
    shape: Shape
    meaning: str
    symbol: str = ""
    low: float = -math.inf
    high: float = math.inf
    to_curve: Callable[[Tensor], Tensor] = torch.clone
    switch: str = ""

    @property
    def bounded(self) -> bool:
        """Whether training clamps the tensor."""
        return self.low > -math.inf or self.high < math.inf

    @property
    def curve(self) -> str:
        """The name of the curve over the steps; empty for proxies, which are drawn as points."""
        return "" if self.shape is Shape.PROXIES else f"{'mean ' if self.shape is Shape.PER_CLASS else ''}{self.symbol}"

    def size(self, classes: int, dim: int, per_class: int) -> tuple[int, ...]:
        """The shape for ``classes`` classes in ``dim`` dimensions, with ``per_class`` proxies each."""
        return {Shape.NUMBER: (), Shape.PER_CLASS: (classes,), Shape.PROXIES: (classes * per_class, dim)}[self.shape]


PROXIES = LearntTensor("proxies", Shape.PROXIES, "a learnt point for each class")


def check_batch(
    z: Tensor, y: Tensor, learnt: Mapping[str, Tensor], learns: Mapping[str, LearntTensor], *, unit: bool, per_class: int
) -> None:
    """Refuse a batch on which a loss is not defined, with an error that says what is wrong and how to mend it.

    Allowed are rows z (N, d) in float32 or float64, finite and, where ``unit``, of norm 1; whole-number labels y (N,); and the
    learnt tensors ``learns`` in their shapes, proxies without rows of zeros; where these have rows for C classes, labels are
    from 0 to C - 1. ValueError otherwise, TypeError for what is no tensor.
    """
    for name, tensor in {"z": z, "y": y, **learnt}.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is {type(tensor).__name__}; pass a torch.Tensor")
        if tensor.device != z.device:
            raise ValueError(f"{name} is on {tensor.device}, z on {z.device}; move one of them")
    if z.ndim != 2 or z.numel() == 0:
        raise ValueError(f"z has shape {tuple(z.shape)}; pass (N, d) with N and d at least 1")
    if z.dtype not in (torch.float32, torch.float64):
        raise ValueError(f"z is {z.dtype}; pass float32 or float64")
    if y.shape != z.shape[:1]:
        raise ValueError(f"y has shape {tuple(y.shape)} for z of shape {tuple(z.shape)}; pass ({z.shape[0]},)")
    if y.dtype not in LABELS:
        raise ValueError(f"y is {y.dtype}; pass whole-number labels (int64)")
    _check_rows(z.detach(), unit)
    if set(learnt) != set(learns):
        raise ValueError(f"learnt tensors wanted: {', '.join(learns) or 'none'}; given: {', '.join(learnt) or 'none'}")
    for name, tensor in learnt.items():
        _check_learnt(learns[name], tensor.detach(), z, y, per_class)


def _check_rows(z: Tensor, unit: bool) -> None:
    norms = torch.linalg.vector_norm(z, dim=1)
    shortest, longest = torch.aminmax(norms)
    # NaN compares false, so that it does not pass.
    low, high = (1 - UNIT_TOLERANCE, 1 + UNIT_TOLERANCE) if unit else (0.0, torch.finfo(z.dtype).max)
    if float(shortest) >= low and float(longest) <= high:
        return
    finite = torch.isfinite(z).all(1)
    if not finite.all():
        raise ValueError(f"row {int((~finite).nonzero()[0])} of z has a value that is not finite; look where it was made")
    row = int((norms - 1).abs().argmax())
    if not unit:
        raise ValueError(f"row {row} of z is too long to square; scale the rows down")
    fix = f"pass unit rows, within {UNIT_TOLERANCE} of 1 (torch.nn.functional.normalize)"
    raise ValueError(f"row {row} of z has norm {float(norms[row]):.6g}; {fix}")


def _check_learnt(declared: LearntTensor, tensor: Tensor, z: Tensor, y: Tensor, per_class: int) -> None:
    name, proxies = declared.name, declared.shape is Shape.PROXIES
    each = per_class if proxies else 1
    classes = len(tensor) // each if tensor.ndim else 0
    if tensor.dtype != z.dtype or tuple(tensor.shape) != declared.size(classes, z.shape[1], per_class):
        many = "classes" if each == 1 else f"classes * {each}"
        shape = {Shape.NUMBER: "()", Shape.PER_CLASS: f"({many},)", Shape.PROXIES: f"({many}, {z.shape[1]})"}[declared.shape]
        raise ValueError(f"{name} is {tensor.dtype} {tuple(tensor.shape)}; pass {z.dtype} {shape}")
    if not torch.isfinite(tensor).all():
        raise ValueError(f"{name} has a value that is not finite; look where it was made")
    if proxies and (empty := (tensor == 0).all(1)).any():
        raise ValueError(f"row {int(empty.nonzero()[0])} of {name} is zero and has no direction; draw it anew")
    low, high = int(y.min()), int(y.max())
    if declared.shape is not Shape.NUMBER and (low < 0 or high >= classes):
        raise ValueError(f"labels run from {low} to {high}; {name} has rows for 0 to {classes - 1}")
