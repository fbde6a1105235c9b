"""Divide and conquer: clusters of images train slices of the embedding; at the end all images train the whole."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Gradients, Loss
from dml_viz.params import param
from dml_viz.training.methods._base import Mark, Method, Response, StepBatch, Survey, gradients_of_slice, sample_classes

DIGITS = 9  # in which features must differ to be in different clusters


@dataclass(frozen=True)
class Divide(Method):
    """A batch comes from one of K clusters, which take turns, and trains that cluster's slice of the embedding.

    Each slice has the length 1 / √K. Clusters are found anew every 50 steps and matched to the last ones, so that a slice keeps
    its images; or they are the known categories, category c mod K. After the share ``joint`` of the steps a cluster trains the
    whole embedding; after the share ``together`` batches are of all images. A slice has at least 2 dimensions, so few dimensions
    have few slices.
    """

    title = "Divide and conquer"
    sentence = "Images fall into clusters; each cluster trains a slice of the embedding, and at the end all train all of it."
    reference = (
        "Sanakoyeu, Tschernezki, Büchler, Ommer: Divide and Conquer the Embedding Space for Metric Learning, CVPR 2019, "
        "https://openaccess.thecvf.com/content_CVPR_2019/papers/"
        "Sanakoyeu_Divide_and_Conquer_the_Embedding_Space_for_Metric_Learning_CVPR_2019_paper.pdf"
    )
    faithful = (
        "as the official code: k-means of normalised features, matched clusters that take turns, slices of equal length, the "
        "same shares of the steps. Other than there: the run's own loss, and new clusters every 50 steps, not every 2 epochs"
    )
    in_slices = True
    every = 50

    clusters: int = param(
        4, "clusters, and slices of the embedding", "K", domain="[2, 16]", slider=(2, 8, 1), source="8 in the official code"
    )
    joint: float = param(
        0.2,
        "share of the steps after which a cluster trains the whole embedding",
        label="whole rows from",
        domain="[0, 1]",
        slider=(0, 1, 0.05),
        source="epoch 43 of 200 in the official code",
    )
    together: float = param(
        0.5,
        "share of the steps after which a batch is of all images",
        label="all images from",
        domain="[0, 1]",
        slider=(0, 1, 0.05),
        source="epoch 100 of 200 in the official code",
    )

    by: str = param(
        "features",
        "what decides on an image's cluster: k-means of features, or its category",
        label="clustering",
        choices=("features", "categories"),
        source="features in the paper; categories are the question of a survey",
    )

    def disjoint_widths(self, dim: int) -> tuple[int, ...]:
        count = max(1, min(self.clusters, dim // 2))
        ends = [dim * k // count for k in range(count + 1)]
        return tuple(last - first for first, last in pairwise(ends))

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        known = None if seen.categories is None else seen.categories.unique(return_inverse=True)
        if self.by == "categories" and known and len(known[0]) > 1:
            clusters = known[1] % self.clusters
        else:
            clusters = torch.from_numpy(self._clusters(seen, memory)).to(seen.y.device)
        return {"cluster": clusters, "turn": memory.get("turn", torch.zeros((), dtype=torch.int64, device=clusters.device))}

    def _clusters(self, seen: Survey, memory: Mapping[str, Tensor]) -> NDArray[np.int64]:
        """The cluster (n,) of each image by its features, with the number of the last cluster that shares most images."""
        from scipy.optimize import linear_sum_assignment  # takes longer to import than all that most workers need
        from sklearn.cluster import KMeans

        rows = normalise(seen.features).double().cpu().numpy()
        count = min(self.clusters, len(np.unique(rows.round(DIGITS), axis=0)))
        clusters = KMeans(count, n_init=1, random_state=seen.seed).fit_predict(rows)
        if "cluster" in memory:
            before = memory["cluster"].cpu().numpy()
            shared = np.zeros((self.clusters, self.clusters))
            np.add.at(shared, (clusters, before), 1)
            new, old = linear_sum_assignment(-shared)
            matched = np.empty(self.clusters, np.int64)
            matched[new] = old
            clusters = matched[clusters]
        return np.asarray(clusters, np.int64)

    def draw(self, sample: Tensor, y: Tensor, memory: Mapping[str, Tensor], generator: torch.Generator, done: float) -> Tensor:
        if done >= self.together:
            return sample
        turns = list[tuple[Tensor, Tensor]]()  # of each cluster that a batch can be drawn from: its labels, else -1; its classes
        for cluster in range(self.clusters):
            masked = torch.where(memory["cluster"] == cluster, y, -1)
            labels, sizes = masked[masked >= 0].unique(return_counts=True)
            labels = labels[sizes > 1]  # a single image has no positive
            if len(labels) > 1:
                turns.append((masked, labels))
        if not turns:
            return sample
        masked, labels = turns[int(memory["turn"]) % len(turns)]
        count = len(y[sample].unique())
        classes = labels[torch.randperm(len(labels), generator=generator)[:count]]
        return sample_classes(classes.tolist(), masked, len(sample) // len(classes), generator)

    def trained_coordinates(self, batch: StepBatch) -> slice:
        """The coordinates that a batch trains: the slice of its cluster, or all if its images are of several clusters."""
        dim, clusters = batch.z.shape[1], batch.memory["cluster"][batch.images]
        widths = self.disjoint_widths(dim)
        if batch.done >= self.joint or len(widths) < 2 or bool((clusters != clusters[0]).any()):
            return slice(0, dim)
        number = int(clusters[0]) % len(widths)
        return slice(sum(widths[:number]), sum(widths[: number + 1]))

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        part, memory = self.trained_coordinates(batch), {"turn": batch.memory["turn"] + 1}
        rows = batch.z[:, part]
        if rows.shape[1] == batch.z.shape[1]:
            return replace(super().response(loss, batch), memory=memory)
        gradients, slope = gradients_of_slice(loss, batch, rows), torch.zeros_like(batch.z)
        slope[:, part] = gradients.z
        return Response(Gradients(gradients.value, slope, gradients.learnt), memory=memory)

    def extra_search_rows(self, z: Tensor, parameters: Mapping[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
        parts = z.split(self.disjoint_widths(z.shape[1]), 1)
        return {f"slice {number}": (rows, rows) for number, rows in enumerate(parts, 1)} if len(parts) > 1 else {}

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        clusters = batch.memory["cluster"]
        in_batch = clusters[batch.images].unique()
        marks = []
        for cluster in clusters.unique():
            rows = z[clusters == cluster]
            ends = torch.stack([rows, rows.mean(0).expand_as(rows)], 1).numpy()
            only = len(in_batch) == 1 and bool(cluster == in_batch[0])
            name, role = ("the cluster of this batch", "positive") if only else ("another cluster", "exact")
            marks.append(Mark(name, "edges", ends, role))
        return (*marks, Mark("drawn for this batch", "rings", batch.z.numpy()))
