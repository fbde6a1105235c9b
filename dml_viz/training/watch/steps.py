"""The loss's value at each step of a loop, without waiting for the device, its last batch, and the curve of its values."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from threading import RLock

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dml_viz.training.watch.tensors import rows_and_labels

TOGETHER, MOST_VALUES = 1024, 2**20  # values that are put into one tensor; that are kept at most until they are delivered
LARGEST_BATCH = 2**22  # numbers of a batch that is held at most
UNKNOWN = torch.tensor(torch.nan)
WORTH = 0.003  # seconds of a step from which on the gradients of each are held
BUCKETS = 512  # at most twice as many, of 1, 2, 4, 8 ... steps


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

    def forget_delivered(self, step: int) -> None:
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

    ``grad`` is the gradient at the first tensor, if it is known already. With ``columns`` it was given rows in several tensors,
    and labels in the last.
    """

    __slots__ = ("_given", "_slopes", "_versions", "columns", "seed", "step", "value")

    def __init__(self, step: int, given: Sequence[Tensor], value: Tensor | None, grad: Tensor | None, *, columns: bool) -> None:
        self.step, self.columns = step, columns
        self._given = [tensor.detach() for tensor in given if tensor.numel() <= LARGEST_BATCH]
        self._versions = [tensor._version for tensor in self._given]
        self.value = value if value is None else value.detach()
        self._slopes: dict[int, Tensor] = {} if grad is None else {0: grad}
        self.seed: Tensor | None = None

    def hold_coming_gradients(self, given: Sequence[Tensor], value: Tensor | None) -> None:
        """Hold the gradients that come at the rows and at the loss."""
        small = [tensor for tensor in given if tensor.numel() <= LARGEST_BATCH]
        for index, tensor in enumerate(small):
            if tensor.requires_grad and tensor.ndim == 2:
                tensor.register_hook(partial(self._slopes.__setitem__, index))
        if value is not None and value.requires_grad and value.numel() == 1:
            value.register_hook(partial(setattr, self, "seed"))

    def batch(self) -> tuple[list[Tensor], Tensor, Tensor | None] | None:
        """The rows, labels and gradient (None if it never came); None if they were too large, or were written into since."""
        if self._versions != [tensor._version for tensor in self._given]:
            return None
        try:
            rows, y = (self._given[:-1], self._given[-1]) if self.columns else rows_and_labels(self._given)
        except ValueError:
            return None  # the rows are not among the tensors that are held
        if len(y) != sum(map(len, rows)):
            return None
        indices = [next(k for k, tensor in enumerate(self._given) if tensor is part) for part in rows]
        slopes = [self._slopes[index].detach() for index in indices if index in self._slopes]
        return rows, y, torch.cat(slopes) if len(slopes) == len(rows) else None


def _stacked(values: Sequence[Tensor]) -> Tensor:
    first = values[0]
    if all(value.device == first.device and value.dtype == first.dtype for value in values):
        return torch.stack(list(values)).float()
    return torch.tensor([float(value) for value in values])


@dataclass(frozen=True, eq=False)
class Losses:
    """Values of the loss (m,) at the steps from ``first`` on; NaN or infinite where the loss was."""

    first: int
    values: NDArray[np.float32]


class LossEnvelope:
    """The least and the largest loss in each bucket of steps, and at how many steps it is known, and not finite."""

    def __init__(self) -> None:
        self.last = 0  # step that is known
        self.known = self.not_finite = 0
        self.first_not_finite = 0  # step; 0 without any
        self._size = 1  # steps of a bucket
        self._low, self._high = (np.full(2 * BUCKETS, np.nan, np.float32) for _ in range(2))

    def add(self, new: Losses) -> NDArray[np.float32]:
        """Add the values at steps after the last one that is known, and return those that are finite."""
        skipped = max(0, self.last + 1 - new.first)
        values, first = new.values[skipped:], new.first + skipped
        if not len(values):
            return values
        good = np.isfinite(values)
        self.last = first + len(values) - 1
        self.known += len(values)
        self.not_finite += int((~good).sum())
        if not self.first_not_finite and not good.all():
            self.first_not_finite = first + int(np.argmin(good))
        while (self.last - 1) // self._size >= 2 * BUCKETS:
            self._halve()
        bucket = (np.arange(first, self.last + 1) - 1)[good] // self._size
        finite = values[good]
        np.fmin.at(self._low, bucket, finite)
        np.fmax.at(self._high, bucket, finite)
        return finite

    def min_max_by_bucket(self) -> NDArray[np.float32]:
        """Rows (m, 3): the first step of each bucket, and the least and the largest finite value; NaN without any."""
        count = -(-self.last // self._size)
        steps = np.arange(count, dtype=np.float32) * self._size + 1
        return np.stack([steps, self._low[:count], self._high[:count]], 1)

    def _halve(self) -> None:
        self._size *= 2
        for values, joined in ((self._low, np.fmin), (self._high, np.fmax)):
            values[:BUCKETS] = joined(values[::2], values[1::2])
            values[BUCKETS:] = np.nan
