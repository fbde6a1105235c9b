"""What fails in the retrieval of a file: which class is taken for which, the worst queries, and rows to look at again."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from sklearn.cluster import KMeans

from dml_viz.data.own import Scored

Table: TypeAlias = dict[str, list[Any]]

PICTURE = "data:image/png;base64,"  # the beginning of a picture in a table
LISTED = 50  # rows of a list
SHOWN = 5  # neighbours of a query
SUSPECT = 0.8  # of the nearest rows that are of one other class, for a row to be suspected
TWIN = 1 - 1e-4  # least cosine of near duplicates
HUB = 5  # times the mean number of queries that find a row
FAILS, APART, BOTH = 0.1, 0.99, 0.9  # R@1, share of nearest rows of the same half, and share of classes in both halves
FEWEST = 20  # rows of which that is said


@dataclass(frozen=True)
class Failures:
    """The tables of what fails in a file. Rows are numbered as in the file, from 0."""

    scored: Scored

    @cached_property
    def taken_for(self) -> dict[int, tuple[int, float]]:
        """By class: the other class that is nearest to most of its queries, and the share of its queries; none without such.

        Of the queries that have a positive: no other could have a row of its class nearest.
        """
        scored = self.scored.file.positives[self.scored.nearest.queries] > 0
        labels, near, first = self._labels[scored], self._classes_near[scored], self.scored.first_right[scored]
        others, shares, last = near != labels[:, None], self.scored.nearest.shares[scored], near.shape[1] - 1
        every, first_other = np.arange(len(near)), others.argmax(1)
        nearest, as_near = near[every, first_other], shares[every, first_other]
        # Of rows that are as near, the one of another class counts as nearer, as in R@1. Where such rows are of several other
        # classes, as in a collapse, or more of them may follow, no class is the one.
        clear = ~(others & (shares <= as_near[:, None]) & (near != nearest[:, None])).any(1)
        clear &= (shares[:, last] > as_near) | (first_other == last) | (last + 2 == len(self.scored.file.y))
        wrong = (first > 1) & others.any(1) & clear
        pairs, counts = np.unique(np.stack((labels[wrong], nearest[wrong])), axis=1, return_counts=True)
        queries, most = np.bincount(labels), dict[int, tuple[int, float]]()
        for (label, other), count in zip(pairs.T.tolist(), counts.tolist(), strict=True):
            if count / queries[label] > most.get(label, (-1, 0.0))[1]:
                most[label] = other, count / queries[label]
        return most

    @cached_property
    def worst_confusion(self) -> tuple[str, str, float] | None:
        """The class that is most often taken for one other class, that class, and the share of queries; None without failures."""
        if not self.taken_for:
            return None
        label, (other, share) = max(self.taken_for.items(), key=lambda item: item[1][1])
        return self._names[label], self._names[other], share

    @cached_property
    def worst_queries(self) -> Table:
        """The queries of lowest average precision, worst first, with their nearest rows."""
        ranked = self.scored.ranked
        order = np.argsort(ranked.ap, kind="stable")  # queries without a positive, NaN, come last
        order = order[np.isfinite(ranked.ap[order]) & (ranked.ap[order] < 1)][:LISTED]
        rows = ranked.queries[order]
        table = self._named("", rows) | {
            "AP": ranked.ap[order].tolist(),
            "first right at rank": ranked.first[order].astype(int).tolist(),
        }
        for k in range(min(SHOWN, self.scored.nearest.near.shape[1])):
            table |= self._named(f"{k + 1}.", self.scored.nearest.near[order, k])
        return table

    @cached_property
    def suspects(self) -> tuple[NDArray[np.integer[Any]], NDArray[np.int64], NDArray[np.integer[Any]]]:
        """The queries (S,) whose nearest rows agree on one other class, that class (S,), and how many rows are of it (S,)."""
        near, labels = self._classes_near, self._labels
        others = np.where(near == labels[:, None], -1, near)
        ordered = np.sort(others, axis=1)
        # In a row of k sorted classes, the share of one class is at least s where two that lie s * k - 1 apart are equal.
        reach = int(np.ceil(SUSPECT * near.shape[1])) - 1
        agree = (ordered[:, reach:] == ordered[:, : ordered.shape[1] - reach]) & (ordered[:, reach:] >= 0)
        queries = np.flatnonzero(agree.any(1))
        classes = ordered[queries, agree[queries].argmax(1) + reach]
        counts = (near[queries] == classes[:, None]).sum(1)
        return queries, classes, counts

    @cached_property
    def right_near(self) -> NDArray[np.int64]:
        """How many (Q,) of the nearest rows of each query are of its class."""
        return np.asarray((self._classes_near == self._labels[:, None]).sum(1))

    @cached_property
    def suspected_labels(self) -> Table:
        """The suspected queries, those whose nearest rows agree most first."""
        queries, classes, counts = self.suspects
        order = np.argsort(-counts, kind="stable")[:LISTED]
        return self._named("", self.scored.nearest.queries[queries[order]]) | {
            "looks like": [self._names[label] for label in classes[order].tolist()],
            "nearest rows of that class": [f"{count} of {self._classes_near.shape[1]}" for count in counts[order].tolist()],
        }

    @cached_property
    def near_duplicates(self) -> Table:
        """Pairs of rows whose cosine is above 0.9999, those of two classes first."""
        nearest = self.scored.nearest
        query, rank = np.nonzero(nearest.cosine >= TWIN)
        pairs = np.sort(np.stack((nearest.queries[query], nearest.near[query, rank]), axis=1), axis=1)
        pairs = np.unique(pairs, axis=0)
        labels = self.scored.file.y[pairs]
        order = np.argsort(labels[:, 0] == labels[:, 1], kind="stable")[:LISTED]
        first, second = pairs[order].T
        return self._named("", first) | self._named("twin", second)

    @cached_property
    def hubs(self) -> Table:
        """The rows that are among the nearest of many more queries than the mean row, most first."""
        near = self.scored.nearest.near
        found = np.bincount(near.ravel(), minlength=len(self.scored.file.y))
        rows = np.argsort(-found, kind="stable")[:LISTED]
        rows = rows[found[rows] >= HUB * near.size / self.scored.file.searched.sum()]
        right = [float((self._labels[(near == row).any(1)] == self.scored.file.y[row]).mean()) for row in rows.tolist()]
        return self._named("", rows) | {"queries that find it": found[rows].tolist(), "of its own class": right}

    @cached_property
    def modality_gap_sizes(self) -> tuple[int, int] | None:
        """The sizes of the two sides of a modality gap among the drawn rows; None without one.

        Texts and images, say, of the same classes may lie in two clusters: a query finds rows of its cluster, not its class.
        """
        z, y = self.scored.embeddings.z.numpy(), self.scored.embeddings.y.numpy()
        if self.scored.recall[1] > FAILS or len(y) < FEWEST:
            return None
        half = KMeans(2, n_init=3, random_state=0).fit_predict(z)
        cosines = z @ z.T
        np.fill_diagonal(cosines, -np.inf)
        classes, inverse = np.unique(y, return_inverse=True)
        in_both = np.minimum(*(np.bincount(inverse[half == k], minlength=len(classes)) for k in (0, 1))) > 0
        if (half[cosines.argmax(1)] == half).mean() < APART or in_both.mean() < BOTH:
            return None
        return int((half == 0).sum()), int((half == 1).sum())

    def _named(self, title: str, rows: NDArray[np.integer[Any]]) -> Table:
        """Columns with number, class and, if the file has images, image of ``rows``, under ``title``."""
        prefix = f"{title} " if title else ""
        images = self.scored.file.images
        pictures = {} if images is None else {title or "image": [_picture(images[row]) for row in rows.tolist()]}
        names = [self._names[label] for label in self.scored.file.y[rows].tolist()]
        return {**pictures, f"{prefix}row": rows.tolist(), f"{prefix}class": names}

    @property
    def _names(self) -> tuple[str, ...]:
        return self.scored.file.names

    @cached_property
    def _labels(self) -> NDArray[np.int64]:
        """The classes (Q,) of the queries."""
        return np.asarray(self.scored.file.y[self.scored.nearest.queries])

    @cached_property
    def _classes_near(self) -> NDArray[np.int64]:
        """The classes (Q, k) of the nearest rows of the queries."""
        return np.asarray(self.scored.file.y[self.scored.nearest.near])


def by_class(failures: Sequence[Failures], titles: Sequence[str]) -> Table:
    """A row for each class of the first file: its rows and queries, and per file its mAP and the class that it is taken for."""
    first = failures[0].scored
    names = first.file.names
    rows, queries = (np.bincount(y, minlength=len(names)) for y in (first.file.y, first.file.y[first.nearest.queries]))
    table: Table = {"class": list(names), "rows": rows.tolist()}
    if (rows != queries).any():
        table["queries"] = queries.tolist()
    for found, title in zip(failures, titles, strict=True):
        scored = found.scored
        of = f" in {title}" if len(failures) > 1 else ""
        label_of, ap, taken_for = ({name: k for k, name in enumerate(scored.file.names)}, scored.class_ap, found.taken_for)
        labels = [label_of.get(name, -1) for name in names]
        table[f"mAP{of}"] = [float(ap[label]) if label >= 0 and np.isfinite(ap[label]) else None for label in labels]
        confused = [taken_for.get(label) for label in labels]
        table[f"taken for{of}"] = [scored.file.names[each[0]] if each else None for each in confused]
        table[f"share of queries{of}"] = [each[1] if each else None for each in confused]
    if len(failures) == 2:
        before, after = (table[f"mAP in {title}"] for title in titles)
        table["change"] = [None if a is None or b is None else b - a for a, b in zip(before, after, strict=True)]
    return table


def _picture(image: NDArray[np.uint8]) -> str:
    """The image (H, W) as the address of a PNG that holds it."""
    content = io.BytesIO()
    Image.fromarray(image).save(content, "PNG")
    return PICTURE + base64.b64encode(content.getvalue()).decode()
