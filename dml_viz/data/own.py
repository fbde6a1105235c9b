"""Embeddings of a visitor's own, scored on all rows; a balanced part of them is drawn."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.data.datasets._base import EVALUATED_PER_GROUP, balanced
from dml_viz.data.files import OwnEmbeddings
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.metrics import Retrieval
from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.embedding.query_gallery import retrieval_of_queries
from dml_viz.embedding.ranking import unit_rows

DRAWN = 2 * EVALUATED_PER_GROUP
KS = (1, 2, 4, 8)


@dataclass(frozen=True, eq=False)
class Scored:
    """A file's embeddings with the metrics of all of its rows, and the rows that are drawn, at most 500.

    ``class_ap`` (C,) is the mean average precision of the queries of each class, NaN for a class without one.
    """

    file: OwnEmbeddings
    score: Retrieval
    class_ap: NDArray[np.float64]
    drawn: NDArray[np.int64]
    embeddings: Embeddings

    def __repr__(self) -> str:
        """Equal for equal files, as the caches of figures need it."""
        return f"Scored({self.file.fingerprint})"

    @property
    def images(self) -> np.ndarray | None:
        """The images of the rows drawn, (N, H, W) uint8."""
        return None if self.file.images is None else self.file.images[self.drawn]

    @property
    def as_asked(self) -> str:
        """Which rows are ranked, in words."""
        file = self.file
        if file.query is None and file.gallery is None:
            return "each row queries all others"
        asks, searched = (len(file.y) if mask is None else int(mask.sum()) for mask in (file.query, file.gallery))
        return f"{asks:,} queries in a gallery of {searched:,}"


def scored(file: OwnEmbeddings, progress: Callable[[float], object] = lambda _: None) -> Scored:
    """The metrics of ``file``, exact over all rows; ``progress`` is given the share done."""
    score = retrieval_of_queries(file.z, file.y, file.query, file.gallery, KS, progress)
    asked = file.y if file.query is None else file.y[file.query]
    found = np.isfinite(score.ap)
    sums = np.bincount(asked[found], score.ap[found], minlength=len(file.names))
    counts = np.bincount(asked[found], minlength=len(file.names))
    class_ap = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    rows = np.arange(len(file.y)) if len(file.y) <= DRAWN else balanced(np.arange(len(file.y)), file.y, DRAWN, 0)
    return Scored(file, score, class_ap, rows, _embeddings(file, rows))


def _embeddings(file: OwnEmbeddings, rows: NDArray[np.int64]) -> Embeddings:
    """The rows drawn, of length 1, and the plane that shows most of their variance."""
    z = torch.from_numpy(unit_rows(file.z[rows], file.y[rows]).points)
    part = f"{len(rows):,} of the {len(file.y):,} rows" if len(rows) < len(file.y) else f"The {len(rows):,} rows"
    where = f"{part} of {file.title}, each divided by its length"
    if z.shape[1] <= DRAWN_UP_TO:
        return Embeddings(z, torch.from_numpy(file.y[rows]), where)
    # By the rows drawn, which are fewer than the dimensions may be.
    _, _, axes = torch.linalg.svd(z - z.mean(0), full_matrices=False)
    plane = axes[:2].T.numpy()  # (d, 2)
    plane = plane * np.sign(np.take_along_axis(plane, np.abs(plane).argmax(0)[None], 0))
    return Embeddings(z, torch.from_numpy(file.y[rows]), where, plane=plane)
