"""Losses over the same two similarities, be they of pairs, or of a sample with its own and another class's proxy."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from dml_viz.analysis.triplet_plane import GRID, NEAR, plane
from dml_viz.losses import Loss
from dml_viz.losses.circle import Circle
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.multi_similarity import MultiSimilarity
from dml_viz.losses.triplet import Triplet

COMPARED: tuple[Loss, ...] = (Circle(), MarginSoftmax(form="AM-softmax"), MultiSimilarity(), Triplet())
COSINES, DEGREES = AXES = ("cosines", "degrees")


@dataclass(frozen=True, eq=False)
class Field:
    """A loss by its ``title`` over ``at`` (G,), ascending cosines or degrees of the negative in rows and the positive in columns.

    ``value`` (G, G), and a step down its gradient along both axes, ``across`` and ``up`` (G, G); NaN without a batch.
    """

    title: str
    at: np.ndarray
    value: np.ndarray
    across: np.ndarray
    up: np.ndarray


def fields(losses: Sequence[Loss], axes: str) -> tuple[Field, ...]:
    """The fields of the losses `COMPARED`, with the knobs of ``losses`` where the kind is the same."""
    by_class = {type(loss): loss for loss in losses}
    return tuple(field(by_class.get(type(loss), loss), axes) for loss in COMPARED)


@lru_cache(maxsize=64)
def field(loss: Loss, axes: str) -> Field:
    """The field of ``loss`` in its smallest batch; a loss of proxies has one sample and two proxies."""
    if "proxies" in loss.learns:
        s, triple = _of_proxies(loss)
    else:
        seen = plane(loss)
        s, triple = seen.s, np.stack((seen.value, seen.of_positive, seen.of_negative))
    value, of_positive, of_negative = triple
    if axes == COSINES:
        return Field(loss.name, s, value, -of_positive, -of_negative)
    angle = np.arccos(s)
    # An angle grows as its cosine falls: dL/dangle = -sin(angle) dL/ds, and the axes turn round.
    across, up = of_positive * np.sin(angle), of_negative * np.sin(angle)[:, None]
    return Field(loss.name, np.degrees(angle)[::-1], value[::-1, ::-1], across[::-1, ::-1], up[::-1, ::-1])


def _of_proxies(loss: Loss) -> tuple[np.ndarray, np.ndarray]:
    """Similarities (G,), and the value, dL/ds_p and dL/ds_n (3, G, G) of one sample between two proxies."""
    s = np.linspace(-1, 1, GRID)
    s[-1] = NEAR
    y, rows = torch.zeros(1, dtype=torch.int64), torch.eye(2, dtype=torch.float64)
    pairs = loss.pairs(rows[:1], y, {"proxies": rows})
    table = np.empty((3, GRID, GRID))
    for row, column in np.ndindex(GRID, GRID):
        value, weights = loss.value_and_weights(pairs.at(2 - 2 * torch.tensor([[s[column], s[row]]])))
        table[:, row, column] = float(value), *weights[0].tolist()
    return s, table
