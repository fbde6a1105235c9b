"""A tensor that a loss learns, as it declares it: its shape, its range, and how its value is drawn over the steps."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import torch
from torch import Tensor


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
