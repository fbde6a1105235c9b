"""The change of every sample's gradient when one sample moves, under losses of proxies and of samples alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import LossResponse

MOST_SAMPLES = 40  # samples moved at most
STEP = 1e-5  # radians to either side
COUNTED_SHARE = 0.01  # of the largest change: a smaller one is not counted


@dataclass(frozen=True, eq=False)
class Influence:
    """A loss by its ``title``; ``changes`` (N, N) of the gradient at i, per radian that sample j moves."""

    title: str
    changes: np.ndarray

    @cached_property
    def largest(self) -> float:
        """The largest change of a gradient."""
        return float(self.changes.max(initial=0))

    @cached_property
    def others(self) -> np.ndarray:
        """The changes (N * (N - 1),) of gradients at samples that do not move."""
        return np.asarray(self.changes[~np.eye(len(self.changes), dtype=bool)])

    @property
    def share(self) -> float:
        """The share of `others` above `COUNTED_SHARE` of the largest change; 0 if there are none."""
        return float((self.others > COUNTED_SHARE * self.largest).mean()) if self.largest and len(self.others) else 0.0


def influence(response: LossResponse, plane: np.ndarray | None) -> Influence:
    """Move every sample of ``response`` a little along the sphere: above three dimensions, along the ``plane`` (d, 2) drawn."""
    z = response.inputs.z
    changes = np.zeros((len(z), len(z)))
    for j in range(len(z)):
        for along in _ways(z[j], plane):
            forth, back = (_moved(response, j, along, step) for step in (STEP, -STEP))
            changes[:, j] += (((forth - back) / (2 * STEP)) ** 2).sum(1)
    return Influence(response.loss.name, np.sqrt(changes))


def sample_rows(y: np.ndarray) -> np.ndarray:
    """Indices of at most `MOST_SAMPLES` samples, sorted by class; from more samples, the same random draw every time."""
    rows = np.arange(len(y)) if len(y) <= MOST_SAMPLES else np.random.default_rng(0).permutation(len(y))[:MOST_SAMPLES]
    return np.asarray(rows[np.lexsort((rows, y[rows]))])


def _moved(response: LossResponse, j: int, along: Tensor, step: float) -> np.ndarray:
    z = response.inputs.z.clone()
    z[j] = np.cos(step) * z[j] + np.sin(step) * along
    return response.with_rows(z, response.inputs.learnt).tangent


def _ways(row: Tensor, plane: np.ndarray | None) -> Iterator[Tensor]:
    """The perpendicular unit tangents (d,) at a unit row: one on the circle, else two."""
    if len(row) == 2:
        yield torch.stack((-row[1], row[0]))
        return
    axes = torch.eye(len(row), dtype=row.dtype) if plane is None else torch.from_numpy(plane)
    yield from torch.linalg.svd(axes - torch.outer(row, row @ axes))[0].T[:2]
