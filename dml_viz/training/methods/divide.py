"""Divide and conquer: clusters of images train slices of the embedding; at the end all images train the whole."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from torch import Tensor

from dml_viz.losses import Gradients, Loss
from dml_viz.losses._base import through_length
from dml_viz.params import param
from dml_viz.training.methods._base import Batch, Mark, Method, Response, Survey, batch_of


@dataclass(frozen=True)
class Divide(Method):
    """A batch comes from one of K clusters and trains that cluster's slice of the embedding, normalised by itself.

    Clusters are found anew every 50 steps and matched to the last ones, so that a slice keeps its images. After the share
    ``joint`` of the steps, batches are of all images and train the whole embedding. A slice has at least 2 dimensions, so few
    dimensions have few slices.
    """

    title = "Divide and conquer"
    sentence = (
        "Images fall into clusters; each cluster trains a slice of the embedding, and at the end all train all of it."
    )
    reference = (
        "Sanakoyeu, Tschernezki, Büchler, Ommer: Divide and Conquer the Embedding Space for Metric Learning, CVPR 2019"
    )
    faithful = "as the official code: k-means, matched clusters, slices; here every 50 steps, not every 2 epochs"
    in_slices = True
    every = 50

    clusters: int = param(
        4, "K", meaning="clusters, and slices of the embedding", unit="count", domain="[2, 16]", slider=(2, 8), step=1,
        source="8 in the official code",
    )  # fmt: skip
    joint: float = param(
        0.7, "", meaning="share of the steps after which all images train the whole embedding", domain="[0, 1]", slider=(0, 1),
        step=0.05, source="in the official code the slices are joined after epoch 42 of 200",
    )  # fmt: skip

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        rows = seen.features.double().cpu().numpy()
        count = min(self.clusters, len(np.unique(rows, axis=0)))
        clusters = KMeans(count, n_init=1, random_state=seen.seed).fit_predict(rows)
        if "cluster" in memory:
            before = memory["cluster"].cpu().numpy()
            shared = np.zeros((self.clusters, self.clusters))
            np.add.at(shared, (clusters, before), 1)
            new, old = linear_sum_assignment(-shared)
            matched = np.empty(self.clusters, np.int64)
            matched[new] = old
            clusters = matched[clusters]
        return {"cluster": torch.from_numpy(clusters.astype(np.int64)).to(seen.y.device)}

    def draw(
        self, drawn: Tensor, y: Tensor, memory: Mapping[str, Tensor], generator: torch.Generator, done: float
    ) -> Tensor:
        clusters = memory["cluster"]
        wanted = len(y[drawn].unique())
        cluster = clusters[torch.randint(len(clusters), (1,), generator=generator)]
        if done >= self.joint:
            return drawn
        alone = torch.where(clusters == cluster, y, -1)  # labels of the cluster's images
        labels, sizes = alone[alone >= 0].unique(return_counts=True)
        labels = labels[sizes > 1]  # a single image has no positive
        if len(labels) < 2:
            return drawn
        chosen = labels[torch.randperm(len(labels), generator=generator)[:wanted]]
        return batch_of(chosen.tolist(), alone, len(drawn) // len(chosen), generator)

    def part(self, batch: Batch) -> slice:
        """The coordinates that a batch trains: the slice of its cluster, or all if its images are of several clusters."""
        dim, clusters = batch.z.shape[1], batch.memory["cluster"][batch.images]
        count = min(self.clusters, dim // 2)
        if batch.done >= self.joint or count < 2 or bool((clusters != clusters[0]).any()):
            return slice(0, dim)
        first = int(clusters[0]) % count
        return slice(dim * first // count, dim * (first + 1) // count)

    def response(self, loss: Loss, batch: Batch) -> Response:
        part = self.part(batch)
        rows = batch.z[:, part]
        if rows.shape[1] == batch.z.shape[1]:
            return super().response(loss, batch)
        unit = rows / torch.linalg.vector_norm(rows, dim=1, keepdim=True).clamp_min(1e-12)
        found = loss.gradients_of_pairs(loss.pairs(unit, batch.y, batch.learnt, batch.layout), batch.learnt)
        slope = torch.zeros_like(batch.z)
        slope[:, part] = through_length(found.z, rows)
        return Response(Gradients(found.value, slope, found.learnt))

    def marks(self, batch: Batch, z: Tensor) -> tuple[Mark, ...]:
        clusters = batch.memory["cluster"]
        drawn = clusters[batch.images].unique()
        marks = []
        for cluster in clusters.unique():
            rows = z[clusters == cluster]
            ends = torch.stack([rows, rows.mean(0).expand_as(rows)], 1).numpy()
            own = len(drawn) == 1 and bool(cluster == drawn[0])
            name, role = ("the cluster of this batch", "positive") if own else ("another cluster", "exact")
            marks.append(Mark(name, "edges", ends, role))
        return (*marks, Mark("drawn for this batch", "rings", batch.z.numpy()))
