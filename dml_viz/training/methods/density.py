"""Density-aware centres: the anchor of a class is the place where its points are dense, so that outliers do not move it."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise, squared_chords
from dml_viz.losses import Gradients, Loss
from dml_viz.params import param
from dml_viz.training.methods._base import Mark, Method, Response, StepBatch, Survey, class_mean_directions, times, with_term

MOST_MOVES = 50  # moves of a centre, more than it needs to come to rest


@dataclass(frozen=True)
class Density(Method):
    """The mean loss of triplets whose anchors are dense centres of classes, held constant: [|c - x_p|² - |c - x_n|² + m]_+.

    A centre begins at its class's mean and moves to the mean of its points within a radius until it rests. A share of the
    run's own loss may be added.
    """

    title = "Density-aware centres"
    sentence = "The anchor of a triplet is the dense region of a class, not a point, so an outlier pulls no point towards itself."
    reference = "Ghosh, Singh, Vatsa: On Learning Density Aware Embeddings, CVPR 2019, arXiv:1904.03911"
    faithful = "reconstructed from the abstract; radius and margin are ours; unless λ > 0 the run's own loss has no effect"
    every = 10

    radius: float = param(
        0.8, "how far from a centre points count for where it moves", "r", domain="(0, 2] distance", slider=(0.1, 2.0, 0.05)
    )
    margin: float = param(
        0.5, "how much farther from the centre a negative must be", "m", domain="[0, 4] squared distance", slider=(0.0, 1.0, 0.05)
    )
    own: float = param(
        0.0,
        "what is added of the run's own loss",
        r"\lambda",
        label="share of the loss",
        domain="[0, 10]",
        slider=(0.0, 1.0, 0.05),
    )

    @property
    def replaces_loss(self) -> bool:
        return self.own == 0

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {"centres": self.dense_centres(seen.z, seen.y, int(seen.y.max()) + 1)}

    def dense_centres(self, z: Tensor, y: Tensor, classes: int) -> Tensor:
        """The dense centre (classes, d) of the unit rows z (N, d) of each class: its mean direction, moved by mean shift."""
        centres, same = class_mean_directions(z, y, classes), y[:, None] == torch.arange(classes, device=y.device)
        for _ in range(MOST_MOVES):
            near = (same & (squared_chords(z, centres) < self.radius**2)).to(z.dtype)  # (N, C)
            centres = torch.where((near.sum(0) > 0)[:, None], normalise(near.T @ z), centres)
        return centres

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        centres, margin = batch.memory["centres"], self.margin
        d2 = squared_chords(centres[batch.y], batch.z)  # (B, B), from the centre of each row's class to every row
        same = batch.y[:, None] == batch.y
        present, counts = batch.y.unique(return_counts=True)
        first = torch.stack([(batch.y == label).nonzero()[0, 0] for label in present])  # one row for each class
        to, positive = d2[first], same[first]  # (P, B)
        short = to[:, :, None] - to[:, None, :] + margin  # (P, B, B) of positive and negative
        active = (short > 0) & positive[:, :, None] & ~positive[:, None, :]
        triplets = (counts * (len(batch.y) - counts)).sum().clamp(min=1)
        value = (short * active).sum() / triplets
        weights = (active.sum(2) - active.sum(1)).to(d2.dtype) / triplets  # dL/d d2 of a centre and a row
        slope = -2 * weights.T @ centres[present]
        nothing = Gradients(value, torch.zeros_like(batch.z), batch.learnt)  # when multiplied by 0
        own = super().response(loss, batch).gradients if self.own else nothing
        return Response(with_term(times(self.own, own), 1.0, value, slope, batch.z))

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        means = class_mean_directions(batch.z, batch.y, int(batch.y.max()) + 1)
        return (
            Mark("the mean of a class", "points", means.numpy(), "negative"),
            Mark("its dense centre", "points", batch.memory["centres"].numpy(), "query"),
        )
