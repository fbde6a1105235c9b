"""Embeddings: unit rows with labels, be they a scene of a few points or a step of a live run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from torch import Tensor


@dataclass(frozen=True)
class Embeddings:
    """Unit rows z (N, d) float64 with labels y (N,), learnt tensors by name, and one sentence on where they come from."""

    z: Tensor
    y: Tensor
    provenance: str
    learnt: Mapping[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class EmbeddingsModel:
    """Base of a page's model: ``subject`` with its rows and labels as arrays; a subclass computes each number when asked."""

    subject: Embeddings

    @cached_property
    def z(self) -> np.ndarray:
        """Unit rows (N, d)."""
        return self.subject.z.numpy()

    @cached_property
    def y(self) -> np.ndarray:
        """Labels (N,)."""
        return self.subject.y.numpy()
