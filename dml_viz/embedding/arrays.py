"""What every page's look at a subject begins with: its rows and labels as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dml_viz.embedding.embeddings import Subject


@dataclass(frozen=True)
class LookedAt:
    """A subject of unit rows z (N, d) float64 with labels y (N,); each number is computed when it is first asked for."""

    subject: Subject

    @cached_property
    def z(self) -> np.ndarray:
        """Unit rows (N, d)."""
        return self.subject.z.numpy()

    @cached_property
    def y(self) -> np.ndarray:
        """Labels (N,)."""
        return self.subject.y.numpy()
