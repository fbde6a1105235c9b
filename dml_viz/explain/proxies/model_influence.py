"""The change of every sample's gradient when one sample moves; and the structure that recorded runs give the classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from scipy.stats import rankdata
from torch import Tensor

from dml_viz.analysis import LossResponse
from dml_viz.data.wire import messages, unpack
from dml_viz.embedding.class_directions import means
from dml_viz.embedding.sphere import normalise
from dml_viz.engine.messages import FULL
from dml_viz.engine.recordings import FOLDER, RACE
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.threads import once

MOST_SAMPLES = 40  # samples moved at most
STEP = 1e-5  # radians to either side
COUNTED_SHARE = 0.01  # of the largest change: a smaller one is not counted
RECORDED = "race"
ROUND = 9  # decimals to which equal cosines are equal


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
    def share_changed(self) -> float:
        """The share of `others` that change: by more than `COUNTED_SHARE` of the largest change; 0 if there are none."""
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


def subset_indices(y: np.ndarray) -> np.ndarray:
    """Indices of all samples, sorted by class; of more than `MOST_SAMPLES`, those of so many, the same random draw every time."""
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
    if len(row) == 3 and plane is None:
        across = torch.linalg.cross(row, torch.eye(3, dtype=row.dtype)[int(row.abs().argmin())])
        yield across / across.norm()
        yield torch.linalg.cross(row, across / across.norm())
        return
    axes = torch.eye(len(row), dtype=row.dtype) if plane is None else torch.from_numpy(plane)
    yield from torch.linalg.svd(axes - torch.outer(row, row @ axes))[0].T[:2]


class Structure(NamedTuple):
    """Spearman's correlation, over ``pairs`` of classes, of the cosines of their proxies and of their means; NaN if undefined."""

    correlation: float
    pairs: int


def structure(z: Tensor, rows: Tensor, proxies: Tensor) -> Structure:
    """Correlate the cosines of ``proxies`` (C, d) with those of class means of z (N, d); ``rows`` (N,) is each sample's proxy."""
    there = rows.unique()
    first, second = np.triu_indices(len(there), 1)
    directions = means(z, rows, len(proxies))[there], proxies[there]
    ranks = [rankdata((rank @ rank.T).numpy()[first, second].round(ROUND)) for rank in directions]
    if any(len(rank) < 2 or np.ptp(rank) == 0 for rank in ranks):
        return Structure(float("nan"), len(first))
    return Structure(float(np.corrcoef(ranks)[0, 1]), len(first))


@once
def recorded_structure() -> Structure:
    """The structure of Proxy-NCA's proxies at the end of its recorded run on the circle."""
    member = next(k for k, racer in enumerate(RACE.racers) if isinstance(racer.loss, ProxyNCA))
    subject, *_, end = map(unpack, messages((FOLDER / f"{RECORDED}.bin").read_bytes()))
    # The run is on the circle, so that its view is all there is.
    z, proxies = (normalise(torch.from_numpy(end[1][f"{member}.{name}"] * (2 / FULL) - 1)) for name in ("view", "proxies"))
    return structure(z, torch.from_numpy(subject[1]["y"].astype(np.int64)), proxies)
