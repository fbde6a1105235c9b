"""A visitor's own embeddings: metrics of all rows, and a balanced part of them to draw."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.data.bounded import mapped_bounded, nearest_bounded, placed_bounded, ranked_bounded
from dml_viz.data.datasets._base import EVALUATED_PER_GROUP, balanced
from dml_viz.data.files import OwnEmbeddings
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.metrics import Retrieval
from dml_viz.embedding.pca import DRAWN_UP_TO, main_plane
from dml_viz.embedding.query_gallery import QueryScores, score_queries
from dml_viz.embedding.ranking import unit_rows
from dml_viz.embedding.rows_map import EXACT_UP_TO, NEIGHBOURS, can_map, places_in_map
from dml_viz.embedding.rows_plane import places_in_plane
from dml_viz.embedding.search import NEAREST, Nearest, Search, cores, nearest_rows, search_of

DRAWN = 2 * EVALUATED_PER_GROUP
KS = (1, 2, 4, 8)
QUICK = 1 << 31  # products that take less time than a process to start


@dataclass(frozen=True, eq=False)
class Scored:
    """The embeddings of a file, and the rows that the pages of the losses draw, at most 500."""

    file: OwnEmbeddings
    drawn_rows: NDArray[np.int64]
    embeddings: Embeddings

    @property
    def content_key(self) -> str:
        """The fingerprint of the file."""
        return self.file.fingerprint

    @cached_property
    def nearest(self) -> Nearest:
        """The nearest rows of all queries, found when they are first asked for: the pages of the losses need none."""
        return nearest_rows(self._search, threads=cores())

    @cached_property
    def ranked(self) -> QueryScores:
        """All queries, ranked when they are first asked for."""
        return score_queries(self._search, self.file.y, threads=cores())

    @property
    def stages(self) -> tuple[str, ...]:
        """What there is to find out about the rows, in the order in which a page needs it, as names of properties of this."""
        mapped = ("map",) * (self.file.z.shape[1] > DRAWN_UP_TO and can_map(len(self.file.y)))
        return ("nearest", "ranked", *mapped) if self.file.labelled else mapped

    def knows(self, *stages: str) -> bool:
        """Whether these ``stages``, or all that there are, are known by now."""
        return all(stage in vars(self) for stage in stages or self.stages)

    def find_out(self, stage: str, progress: Callable[[float], object]) -> None:
        """Find out a stage in a child process; FileError beyond its bounds. ``progress`` is called with the share done."""
        file, known = self.file, vars(self)
        whole = file.query is None and file.gallery is None
        if stage != "map" and len(file.y) <= DRAWN:
            getattr(self, stage)  # takes less than a process to start
        elif stage == "nearest":
            near = nearest_bounded(file, NEIGHBOURS if whole and len(file.y) > EXACT_UP_TO else NEAREST, progress)
            known.update(nearest=near.up_to(NEAREST), nearest_for_map=near)
        elif stage == "ranked":
            known["ranked"] = ranked_bounded(file, progress)
        else:
            known["map"] = mapped_bounded(file, known.get("nearest_for_map"), progress)
            known.pop("nearest_for_map", None)

    @cached_property
    def _search(self) -> Search:
        return search_of(self.file.z, self.file.query, self.file.gallery)

    @cached_property
    def plane(self) -> tuple[NDArray[np.float32], float]:
        """Where all rows are in the plane, and the share of their variance that is seen; see `places_in_plane`."""
        return places_in_plane(self.file.z)

    @cached_property
    def map(self) -> NDArray[np.float32]:
        """The places (N, 2) of all rows in a neighbour map; see `places_in_map`."""
        return places_in_map(self.file.z, threads=cores())

    @cached_property
    def scored_queries(self) -> int:
        """How many queries have a positive: the metrics are means over these."""
        return int((self.file.positives[self.nearest.queries] > 0).sum())

    @property
    def first_right(self) -> NDArray[np.float64]:
        """The rank (Q,) of the first row of each query's class, behind others as near; NaN where not known, inf without one."""
        return self.ranked.first if self.knows("ranked") else self.nearest.first_right(self.file.y)

    @property
    def recall(self) -> dict[int, float]:
        """The share of queries with a positive that have one among the nearest 1, 2, 4 and 8 rows."""
        first = self.first_right[self.file.positives[self.nearest.queries] > 0]
        return {k: float(np.mean(first <= k)) for k in KS}

    @property
    def knows_recall(self) -> bool:
        """Whether `recall` can be told by now: among rows that are as near as others it takes the ranks of all."""
        return self.knows("ranked") or (self.knows("nearest") and not np.isnan(self.first_right).any())

    @cached_property
    def score(self) -> Retrieval:
        """The exact metrics of all queries that have a positive."""
        ranked, valid = self.ranked, np.isfinite(self.ranked.ap)
        near = np.zeros((len(valid), 0), np.uint16)
        return Retrieval(ranked.ap, float(ranked.ap[valid].mean()), self.recall, float(ranked.at_r[valid].mean()), near)

    @cached_property
    def _lengths(self) -> NDArray[np.float64]:
        return np.sqrt(np.einsum("nd,nd->n", self.file.z, self.file.z, dtype=np.float64))

    def nearest_to(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The nearest rows (k,) of the gallery to any ``row``, itself left out, and their cosines (k,); of one row at once."""
        file = self.file
        if self.knows("nearest") and file.queries[row]:
            place = int(np.searchsorted(self.nearest.queries, row))
            return self.nearest.near[place].astype(np.int64), self.nearest.cosine[place]
        unit = (file.z[row] / self._lengths[row]).astype(np.float32)
        cosines = (file.z @ unit / self._lengths).astype(np.float32)
        cosines[row] = -np.inf
        searched = np.flatnonzero(file.searched)
        searched = searched[searched != row]
        rows = searched[np.argpartition(-cosines[searched], min(NEAREST, len(searched)) - 1)[:NEAREST]]
        rows = rows[np.argsort(-cosines[rows], kind="stable")]
        return rows, cosines[rows]

    @property
    def class_ap(self) -> NDArray[np.float64]:
        """The mean average precision (C,) of the queries of each class, NaN for a class without one."""
        ap = self.ranked.ap
        labels, valid = self.file.y[self.ranked.queries], np.isfinite(ap)
        sums = np.bincount(labels[valid], ap[valid], minlength=len(self.file.names))
        counts = np.bincount(labels[valid], minlength=len(self.file.names))
        return np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)

    @property
    def queries_in_words(self) -> str:
        """The queries and the gallery, in words."""
        file = self.file
        if file.query is None and file.gallery is None:
            return "each row queries all others"
        return f"{file.queries.sum():,} queries in a gallery of {file.searched.sum():,}"


def scored(file: OwnEmbeddings) -> Scored:
    """The rows of ``file`` with those that are drawn, normalised, and the plane that shows most of the variance of these."""
    rows = np.arange(len(file.y)) if len(file.y) <= DRAWN else balanced(np.arange(len(file.y)), file.y, DRAWN)
    part = f"{len(rows):,} of the {len(file.y):,} rows" if len(rows) < len(file.y) else f"The {len(rows):,} rows"
    z, y = torch.from_numpy(unit_rows(file.z[rows], file.y[rows]).points), torch.from_numpy(file.y[rows])
    plane = main_plane(z).numpy() if z.shape[1] > DRAWN_UP_TO else None
    return Scored(file, rows, Embeddings(z, y, f"{part} of {file.title}, each divided by its length", plane=plane))


def placed_in_child(file: OwnEmbeddings) -> Scored:
    """The rows of ``file``, placed, in a child process where they are many, else ranked, too; FileError beyond its bounds."""
    embedded = scored(file)
    if file.z.size * file.z.shape[1] > QUICK:
        vars(embedded)["plane"] = placed_bounded(file)
    if len(file.y) <= DRAWN and file.labelled:
        embedded.find_out("ranked", lambda share: None)
        embedded.find_out("nearest", lambda share: None)
    return embedded
