"""The loss of a watched loop at every step, in bounded memory."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BUCKETS = 512  # at most twice as many, of 1, 2, 4, 8 ... steps


@dataclass(frozen=True, eq=False)
class Losses:
    """Values of the loss (m,) at the steps from ``first`` on; NaN or infinite where the loss was."""

    first: int
    values: NDArray[np.float32]


class LossCurve:
    """The least and the largest value in each bucket of steps, and at how many steps the loss is known, and finite."""

    def __init__(self) -> None:
        self.last = 0  # step that is known
        self.known = self.not_finite = 0
        self.first_not_finite = 0  # step; 0 without any
        self._size = 1  # steps of a bucket
        self._low, self._high = (np.full(2 * BUCKETS, np.nan, np.float32) for _ in range(2))

    def add(self, new: Losses) -> None:
        """Add the values at steps after the last one that is known."""
        skipped = max(0, self.last + 1 - new.first)
        values, first = new.values[skipped:], new.first + skipped
        if not len(values):
            return
        good = np.isfinite(values)
        self.last = first + len(values) - 1
        self.known += len(values)
        self.not_finite += int((~good).sum())
        if not self.first_not_finite and not good.all():
            self.first_not_finite = first + int(np.argmin(good))
        while (self.last - 1) // self._size >= 2 * BUCKETS:
            self._halve()
        bucket = (np.arange(first, self.last + 1) - 1)[good] // self._size
        np.fmin.at(self._low, bucket, values[good])
        np.fmax.at(self._high, bucket, values[good])

    def array(self) -> NDArray[np.float32]:
        """Rows (m, 3): the first step of each bucket, and the least and the largest finite value; NaN without any."""
        count = -(-self.last // self._size)
        steps = np.arange(count, dtype=np.float32) * self._size + 1
        return np.stack([steps, self._low[:count], self._high[:count]], 1)

    def _halve(self) -> None:
        self._size *= 2
        for values, joined in ((self._low, np.fmin), (self._high, np.fmax)):
            values[:BUCKETS] = joined(values[::2], values[1::2])
            values[BUCKETS:] = np.nan
