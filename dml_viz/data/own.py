"""A visitor's own embeddings: metrics of all rows, and a balanced part of them to draw."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.data.bounded import placed_bounded, ranked_bounded
from dml_viz.data.datasets._base import EVALUATED_PER_GROUP, balanced
from dml_viz.data.files import OwnEmbeddings
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.metrics import Retrieval
from dml_viz.embedding.neighbour_map import Places, map_of
from dml_viz.embedding.pca import DRAWN_UP_TO, main_plane
from dml_viz.embedding.query_gallery import Ranked, rank_queries
from dml_viz.embedding.ranking import unit_rows
from dml_viz.embedding.rows_plane import places_in_plane

DRAWN = 2 * EVALUATED_PER_GROUP
KS = (1, 2, 4, 8)


@dataclass(frozen=True, eq=False)
class Scored:
    """The embeddings of a file, and the rows that are drawn, at most 500."""

    file: OwnEmbeddings
    drawn_rows: NDArray[np.int64]
    embeddings: Embeddings

    @property
    def content_key(self) -> str:
        """The fingerprint of the file."""
        return self.file.fingerprint

    @cached_property
    def ranked(self) -> Ranked:
        """All queries, ranked when they are first asked for: the pages of the losses need none."""
        return rank_queries(self.file.z, self.file.y, self.file.query, self.file.gallery)

    @property
    def is_ranked(self) -> bool:
        """Whether the queries are ranked by now."""
        return "ranked" in vars(self)

    @cached_property
    def places(self) -> tuple[NDArray[np.float32], float]:
        """Where all rows are drawn, and the share of their variance that is seen; see `places_in_plane`."""
        return places_in_plane(self.file.z)

    @cached_property
    def score(self) -> Retrieval:
        """The exact metrics of all queries that have a positive."""
        ranked, valid = self.ranked, np.isfinite(self.ranked.ap)
        recall = {k: float(np.mean(ranked.first[valid] <= k)) for k in KS}
        near = np.zeros((len(valid), 0), np.uint16)
        return Retrieval(ranked.ap, float(ranked.ap[valid].mean()), recall, float(ranked.at_r[valid].mean()), near)

    @cached_property
    def map(self) -> Places | None:
        """The places (n, 2) of the rows drawn in a neighbour map; None where their dimensions are drawn as they are."""
        return None if self.embeddings.plane is None else map_of(self.embeddings.z.numpy())

    @property
    def class_ap(self) -> NDArray[np.float64]:
        """The mean average precision (C,) of the queries of each class, NaN for a class without one."""
        ap = self.ranked.ap
        labels, valid = self.file.y[self.ranked.queries], np.isfinite(ap)
        sums = np.bincount(labels[valid], ap[valid], minlength=len(self.file.names))
        counts = np.bincount(labels[valid], minlength=len(self.file.names))
        return np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)

    @property
    def images(self) -> np.ndarray | None:
        """The images (N, H, W) uint8 of the rows drawn."""
        return None if self.file.images is None else self.file.images[self.drawn_rows]

    @property
    def queries_in_words(self) -> str:
        """The queries and the gallery, in words."""
        file = self.file
        if file.query is None and file.gallery is None:
            return "each row queries all others"
        queries, searched = (len(file.y) if mask is None else int(mask.sum()) for mask in (file.query, file.gallery))
        return f"{queries:,} queries in a gallery of {searched:,}"


def scored(file: OwnEmbeddings) -> Scored:
    """The rows of ``file`` with those that are drawn."""
    rows = np.arange(len(file.y)) if len(file.y) <= DRAWN else balanced(np.arange(len(file.y)), file.y, DRAWN)
    return Scored(file, rows, _embeddings(file, rows))


def scored_bounded(file: OwnEmbeddings, progress: Callable[[float], object]) -> Scored:
    """The rows of ``file`` with those that are drawn, ranked and mapped in a child process; FileError beyond its bounds.

    ``progress`` is called with the share of queries that are ranked.
    """
    embedded = scored(file)
    rank_bounded(embedded, progress)
    return embedded


def placed_in_child(file: OwnEmbeddings) -> Scored:
    """The rows of ``file``, placed in a child process and not ranked; FileError beyond its bounds."""
    embedded = scored(file)
    vars(embedded)["places"] = placed_bounded(file)
    return embedded


def rank_bounded(embedded: Scored, progress: Callable[[float], object]) -> None:
    """Rank the queries, and map the rows that are drawn, in a child process; as `scored_bounded`."""
    drawn = None if embedded.embeddings.plane is None else embedded.embeddings.z.numpy()
    vars(embedded)["ranked"], vars(embedded)["map"] = ranked_bounded(embedded.file, drawn, progress)


def _embeddings(file: OwnEmbeddings, rows: NDArray[np.int64]) -> Embeddings:
    """The rows drawn, normalised, and the plane that shows most of their variance."""
    z = torch.from_numpy(unit_rows(file.z[rows], file.y[rows]).points)
    part = f"{len(rows):,} of the {len(file.y):,} rows" if len(rows) < len(file.y) else f"The {len(rows):,} rows"
    where = f"{part} of {file.title}, each divided by its length"
    if z.shape[1] <= DRAWN_UP_TO:
        return Embeddings(z, torch.from_numpy(file.y[rows]), where)
    return Embeddings(z, torch.from_numpy(file.y[rows]), where, plane=main_plane(z).numpy())
