"""Tables that depend on the labels of a batch alone, computed on the host once and shared by batches of the same structure.

Batches of P classes with K samples each, side by side, have the same masks and partners at every step, whichever the classes
are. Labels are on the host before they are on a device, so that nothing needs to be copied back.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Made = TypeVar("Made")

FEW = 4096  # labels below this are looked up in a table, not sorted
SHARED_UP_TO = 512  # rows; the tables of larger batches take megabytes each, and their making a smaller share of a step


class Layout:
    """Labels (N,) on the host, each the index of its class's first row, and the tables computed from them for one device."""

    def __init__(self, labels: Tensor, device: torch.device) -> None:
        self.labels, self.device = labels, device
        self._made: dict[tuple[Any, ...], Any] = {}

    def of(self, make: Callable[..., Made], *arguments: Any) -> Made:
        """The result of ``make(labels, *arguments)``, a function of labels alone, with its tensors on the device.

        It is computed once and shared by batches: never write into it.
        """
        key = (make, *arguments)
        if key not in self._made:
            with torch.inference_mode(False), torch.no_grad():
                self._made[key] = _moved(make(self.labels, *arguments), self.device)
        return cast(Made, self._made[key])


def layout_of(y: Tensor, device: torch.device) -> Layout:
    """The layout of labels y (N,) for rows on ``device``; labels that are not on the host are copied there."""
    labels = y.cpu().numpy()
    if len(labels) > SHARED_UP_TO:
        return _layout(_structure(labels), device)
    return _of_labels(labels.tobytes(), labels.dtype, device)


def common_layout(batches: Tensor, device: torch.device) -> Layout | None:
    """The layout that all rows of labels (steps, N) on the host share, if each has its classes side by side.

    None if their layouts differ, or if N is above `SHARED_UP_TO`.
    """
    labels = batches.numpy()
    if labels.shape[1] > SHARED_UP_TO:
        return None
    begins = np.insert(labels[:, 1:] != labels[:, :-1], 0, True, axis=1)
    classes = np.sort(labels[:, begins[0]], axis=1)
    alike = (begins == begins[0]).all() and (classes[:, 1:] != classes[:, :-1]).all()
    return layout_of(batches[0], device) if alike else None


def _structure(labels: NDArray[np.integer[Any]]) -> bytes:
    """The index of the first row of each label's class, int64 (N,), as bytes."""
    if labels.size and labels.min() >= 0 and labels.max() < FEW:
        rows = np.empty(labels.max() + 1, np.int64)
        rows[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)  # a class's first row is written last
        return rows[labels].tobytes()
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse].astype(np.int64).tobytes()


# Two caches: labels seen before are found by this one, new labels with a known structure by that of `_of_structure`.
@lru_cache(maxsize=128)
def _of_labels(labels: bytes, dtype: np.dtype[Any], device: torch.device) -> Layout:
    return _of_structure(_structure(np.frombuffer(labels, dtype)), device)


def as_int32(y: Tensor) -> Tensor:
    """Labels (N,) as int32, which compare in a third of the time that int64 takes."""
    return y.int()


def _layout(structure: bytes, device: torch.device) -> Layout:
    with torch.inference_mode(False):
        return Layout(torch.frombuffer(bytearray(structure), dtype=torch.int64), device)


_of_structure = lru_cache(maxsize=8)(_layout)


def _moved(made: Any, device: torch.device) -> Any:
    if isinstance(made, Tensor):
        return made.to(device)
    if isinstance(made, tuple):
        parts = [_moved(part, device) for part in made]
        return type(made)(*parts) if hasattr(made, "_fields") else tuple(parts)
    return made
