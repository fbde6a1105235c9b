"""The loss's value at each step of a loop, without waiting for the device, and its last batch."""

from collections import deque
from collections.abc import Sequence
from functools import partial
from threading import RLock

import numpy as np
import torch
from torch import Tensor

from dml_viz.training.watch.tensors import batch_of

TOGETHER, MOST_VALUES = 1024, 2**20  # values that are put into one tensor; that are kept at most until they are delivered
LARGEST_BATCH = 2**22  # numbers of a batch that is held at most
UNKNOWN = torch.tensor(torch.nan)
WORTH = 0.003  # seconds of a step from which on the gradients of each are held


class Values:
    """The loss's values at all steps after the delivered ones, on the device that computed them."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._chunks: deque[Tensor] = deque()
        self._open: list[Tensor] = []
        self._first = 1  # the step of the first one

    def add(self, value: Tensor | None) -> None:
        """Add the value of the next step; the oldest are left out where too many wait."""
        # A copy, as the loop may write into it.
        copy = UNKNOWN if value is None else value.detach().clone() if value.ndim == 0 else value.detach().float().mean()
        with self._lock:
            self._open.append(copy)
            if len(self._open) >= TOGETHER:
                self._close()

    def _close(self) -> None:
        self._chunks.append(_stacked(self._open))
        self._open = []
        while len(self._chunks) * TOGETHER > MOST_VALUES:
            self._first += len(self._chunks.popleft())

    def undelivered(self) -> tuple[int, np.ndarray]:
        """The step of the first value, and all values (m,) float32; waits for the device."""
        with self._lock:
            first, chunks, newest = self._first, list(self._chunks), list(self._open)
        parts = [*chunks, *([_stacked(newest)] if newest else [])]
        return first, np.concatenate([part.float().cpu().numpy() for part in parts] or [np.zeros(0, np.float32)])

    def delivered(self, step: int) -> None:
        """Forget the values up to ``step``."""
        with self._lock:
            count = step + 1 - self._first
            self._first = max(self._first, step + 1)
            while self._chunks and count > 0:
                chunk = self._chunks.popleft()
                if len(chunk) > count:
                    self._chunks.appendleft(chunk[count:])
                count -= len(chunk)
            if count > 0:
                del self._open[:count]


class Last:  # with slots: it is made at every step
    """The newest batch of a loop: references to the arguments of its loss, and its gradients, if they come.

    With ``columns`` it was given rows in several tensors, and labels in the last.
    """

    __slots__ = ("_given", "_slopes", "_versions", "columns", "seed", "step", "value")

    def __init__(self, step: int, given: Sequence[Tensor], value: Tensor | None, *, columns: bool = False) -> None:
        self.step, self.columns = step, columns
        self._given = [tensor.detach() for tensor in given if tensor.numel() <= LARGEST_BATCH]
        self._versions = [tensor._version for tensor in self._given]
        self.value = value if value is None else value.detach()
        self._slopes: dict[int, Tensor] = {}
        self.seed: Tensor | None = None

    def follow(self, given: Sequence[Tensor], value: Tensor | None) -> None:
        """Hold the gradients that come at the rows and at the loss."""
        small = [tensor for tensor in given if tensor.numel() <= LARGEST_BATCH]
        for index, tensor in enumerate(small):
            if tensor.requires_grad and tensor.ndim == 2:
                tensor.register_hook(partial(self._slopes.__setitem__, index))
        if value is not None and value.requires_grad and value.numel() == 1:
            value.register_hook(partial(setattr, self, "seed"))

    def slope(self, grad: Tensor) -> None:
        """Hold the gradient at the first tensor."""
        self._slopes[0] = grad

    def batch(self) -> tuple[list[Tensor], Tensor, Tensor | None] | None:
        """The rows, labels and gradient (None if it never came); None if the loop has written into them since."""
        if self._versions != [tensor._version for tensor in self._given]:
            return None
        rows, y = (self._given[:-1], self._given[-1]) if self.columns else batch_of(self._given)
        indices = [next(k for k, tensor in enumerate(self._given) if tensor is part) for part in rows]
        slopes = [self._slopes[index].detach() for index in indices if index in self._slopes]
        return rows, y, torch.cat(slopes) if len(slopes) == len(rows) else None


def _stacked(values: Sequence[Tensor]) -> Tensor:
    first = values[0]
    if all(value.device == first.device and value.dtype == first.dtype for value in values):
        return torch.stack(list(values)).float()
    return torch.tensor([float(value) for value in values])
