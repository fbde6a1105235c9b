"""Embeddings as FastAP sees them: one query and the whole batch, each number computed when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dml_viz.embedding.embeddings import EmbeddingsModel
from dml_viz.embedding.fastap_batch import Batch, batch, descent
from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.soft_bins import Binning
from dml_viz.explain.fastap.model_query import Anatomy, against_bins, arrows, dissect
from dml_viz.losses.fastap import FastAP

COUNTS = np.unique(np.round(np.geomspace(4, 1000, 70)).astype(int))


@dataclass(frozen=True)
class Settings:
    """The point that ranks all others, the bins of the histograms, and whether arrows are of that query alone."""

    query: int
    binning: Binning
    of_query: bool = True

    @property
    def whole(self) -> Binning:
        """As many soft bins over all squared distances."""
        return Binning(self.binning.bins)


class Model(EmbeddingsModel[Settings]):
    """Embeddings as FastAP ranks them: from the query, ``one``, and as a whole batch; ``d2`` (N, N) are squared distances."""

    @property
    def loss(self) -> FastAP:
        """The loss with as many bins, whatever the binning."""
        return FastAP(bins=self.settings.binning.bins)

    @property
    def d2(self) -> np.ndarray:
        return self.embeddings.d2.numpy()

    @cached_property
    def one(self) -> Anatomy:
        return self.of(self.settings.query)

    def of(self, query: int) -> Anatomy:
        """The anatomy of any query."""
        return dissect(self.d2[query], self.y, query, self.settings.binning)

    @cached_property
    def batch(self) -> Batch:
        return batch(self.d2, self.y, self.settings.binning)

    @cached_property
    def average_precision(self) -> np.ndarray:
        """Exact AP (N,) of every query, NaN without positives."""
        return retrieval(self.embeddings.z, self.embeddings.y).ap

    @cached_property
    def against_bins(self) -> np.ndarray:
        """The query's FastAP (2, K) with soft and with hard bins, for each of the ``counts`` (K,) of bins, ascending."""
        one = self.one
        return np.stack([against_bins(one.d2, one.relevant, COUNTS, hard=hard) for hard in (False, True)])

    @property
    def counts(self) -> np.ndarray:
        return COUNTS

    @property
    def arrows(self) -> np.ndarray:
        """Arrows (N, d) that raise the query's FastAP, or lower the loss of the batch."""
        return self.of_query if self.settings.of_query else self.of_batch

    @cached_property
    def of_query(self) -> np.ndarray:
        return arrows(self.z, self.settings.query, self.one)

    @cached_property
    def of_batch(self) -> np.ndarray:
        return descent(self.z, self.d2, self.y, self.settings.binning)

    @cached_property
    def positive_pairs(self) -> np.ndarray:
        """Squared distances of all ordered pairs of one class."""
        return self.d2[(self.y[:, None] == self.y) & ~np.eye(len(self.y), dtype=bool)]
