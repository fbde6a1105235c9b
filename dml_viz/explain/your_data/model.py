"""The model of one file or two, with metrics, class by class, and distances between drawn rows; or of images."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dml_viz.data.datasets._base import evaluation_sample, split
from dml_viz.data.files import OwnImages
from dml_viz.data.own import Scored
from dml_viz.embedding.metrics import distance_histograms, raw_pixel_recall
from dml_viz.embedding.ranking import unit_rows
from dml_viz.explain.your_data.failures import Failures
from dml_viz.room.source import Picture

BINS = 40
LETTERS = 30  # of a title in a figure
CLASSES, EACH = 6, 8  # classes shown of each side of the split, and images of each class


@dataclass(frozen=True)
class Settings:
    """The first file and perhaps another to compare, or images to train on; ``picture`` is that of more than three dimensions.

    ``ranked`` says whether nearest rows are known, ``mapped`` whether maps are; where they are not, rows are only placed.
    """

    files: tuple[Scored, ...]
    images: OwnImages | None = None
    picture: Picture = "map"
    ranked: bool = True
    mapped: bool = True


class Model(Settings):
    """What is shown of the files or of the images."""

    @cached_property
    def classes_by_side(self) -> dict[str, tuple[tuple[str, np.ndarray], ...]]:
        """The first classes on each side of the split, trained on and unseen: their names and some images (n, side, side)."""
        assert self.images is not None
        images = self.images.images
        parts = split(images, "unseen classes")
        sides = {}
        for title, rows in (("trained on", parts.train), ("never seen in training", parts.unseen)):
            y = images.y[rows]
            largest = np.unique(y)[np.argsort(-np.unique(y, return_counts=True)[1], kind="stable")][:CLASSES]
            sides[title] = tuple((images.names[c], images.x[rows[y == c][:EACH]]) for c in largest.tolist())
        return sides

    @cached_property
    def by_pixels(self) -> float:
        """R@1 of the raw pixels among images of unseen classes, as `evaluation_subset` chooses them."""
        assert self.images is not None
        images = self.images.images
        sample, held_out = evaluation_sample(images, split(images, "unseen classes"))
        rows = sample[held_out]
        return raw_pixel_recall(images.greys(rows), images.y[rows])

    @cached_property
    def failures(self) -> tuple[Failures, ...]:
        """What fails in each file."""
        return tuple(map(Failures, self.files))

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the files, numbered if both are the same."""
        titles = tuple(scored.file.title for scored in self.files)
        return titles if len(set(titles)) == len(titles) else tuple(f"{t} ({k})" for k, t in enumerate(titles, 1))

    @property
    def short_titles(self) -> tuple[str, ...]:
        """The titles as a figure has room for them: long ones without their middle, for files differ at their ends."""
        half = LETTERS // 2
        return tuple(title if len(title) <= LETTERS else f"{title[: half - 1]}…{title[-half:]}" for title in self.titles)

    @cached_property
    def metrics(self) -> dict[str, tuple[float, ...]]:
        """The metrics of all rows by name, a number for each file."""
        scores = [scored.score for scored in self.files]
        recall = {f"R@{k}": tuple(score.recall[k] for score in scores) for k in scores[0].recall}
        return {**recall, "MAP@R": tuple(s.map_at_r for s in scores), "mAP": tuple(s.map for s in scores)}

    @cached_property
    def classes(self) -> tuple[tuple[str, ...], np.ndarray]:
        """Names and mean average precision (files, classes) of the classes that every file has, worst of the first file first."""
        by_name = [dict(zip(scored.file.names, scored.class_ap.tolist(), strict=True)) for scored in self.files]
        common = [name for name in by_name[0] if all(np.isfinite(each.get(name, np.nan)) for each in by_name)]
        common.sort(key=lambda name: by_name[0][name])
        return tuple(common), np.array([[each[name] for name in common] for each in by_name])

    @cached_property
    def distances(self) -> tuple[np.ndarray, tuple[tuple[np.ndarray, np.ndarray], ...]]:
        """Edges (bins + 1,) and, per file, the densities of the distances of positive and of negative pairs of drawn rows."""
        histograms = [distance_histograms(unit_rows(scored.embeddings.z, scored.embeddings.y), BINS) for scored in self.files]
        return histograms[0][0], tuple((positive, negative) for _, positive, negative in histograms)
