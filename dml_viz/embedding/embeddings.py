"""Embeddings: unit rows with labels, be they a scene of a few points or a step of a live run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from torch import Tensor

from dml_viz.embedding.content_key import content_key
from dml_viz.embedding.sphere import root, squared_chords

S = TypeVar("S")


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Unit rows z (N, d) float64 with labels y (N,), learnt tensors by name, and a sentence on their origin."""

    z: Tensor
    y: Tensor
    provenance: str
    learnt: Mapping[str, Tensor] = field(default_factory=dict)
    plane: np.ndarray | None = None  # (d, 2); embeddings of more than three dimensions are drawn in it

    @cached_property
    def d2(self) -> Tensor:
        """Squared distances (N, N) of the rows."""
        return squared_chords(self.z, self.z)

    @cached_property
    def d(self) -> Tensor:
        """Distances (N, N) of the rows."""
        return root(self.d2)

    def part(self, rows: Tensor) -> "Embeddings":
        """The embeddings of the rows with these indices."""
        return replace(self, z=self.z[rows], y=self.y[rows])

    @cached_property
    def content_key(self) -> str:
        """A hash of rows, labels, learnt tensors and plane: equal for equal numbers, wherever they come from."""
        return content_key(self.z, self.y, dict(self.learnt), self.plane)


@dataclass(frozen=True, eq=False)
class EmbeddingsModel(Generic[S]):
    """Base of a page's model: ``embeddings`` under its ``settings``; a subclass computes each number when it is first read."""

    embeddings: Embeddings
    settings: S

    @property
    def z(self) -> np.ndarray:
        """Unit rows (N, d)."""
        return self.embeddings.z.numpy()

    @property
    def y(self) -> np.ndarray:
        """Labels (N,)."""
        return self.embeddings.y.numpy()

    @property
    def dim(self) -> int:
        """The number of dimensions d."""
        return int(self.z.shape[1])
