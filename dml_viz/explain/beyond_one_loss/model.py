"""What a method does to a few points beside the plain loss: the batch that it draws, and how these points move."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from dml_viz.data.samplers._base import ClassTable
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.embedding.embeddings import EmbeddingsModel
from dml_viz.embedding.pca import DRAWN_UP_TO, main_plane
from dml_viz.explain.beyond_one_loss.model_compared import Comparison
from dml_viz.explain.beyond_one_loss.model_training import STEPS, Settings
from dml_viz.training.methods._base import Mark as Mark
from dml_viz.training.methods._base import Method, Response, StepBatch, Survey
from dml_viz.training.methods.learnt_sampler import LearntSampler
from dml_viz.training.methods.plain import Plain

IMAGES = 4  # images of a class in a batch drawn by a method
MOVED = 0.25  # standard deviation of what moves a scene's points in each slice
MANY = 64  # slices, of which a method says how many it has
RATE = 0.5  # the learning rate at which a method learns from the points


class PointsUnderLoss(NamedTuple):
    """One of the two losses: the points in its batch, its value, the arrow (N, d) of each point, marks, and what it remembers."""

    in_batch: np.ndarray
    value: float
    arrows: np.ndarray
    marks: tuple[Mark, ...]
    memory: Mapping[str, Tensor]


class ClassPairSampling(NamedTuple):
    """What a learnt sampler does with pairs of classes (C, C), the first class in rows, the other in columns; NaN for itself.

    ``shares`` say how often the other is drawn next, ``active`` how many triplets with it as negative are active.
    """

    shares: np.ndarray
    active: np.ndarray


@dataclass(frozen=True, eq=False)
class Model(EmbeddingsModel[Settings]):
    """The points under the plain loss and with the method, and the scores of trained runs."""

    @cached_property
    def labels(self) -> Tensor:
        """The classes (N,) of the points, numbered from 0 like classes in training."""
        return torch.unique(self.embeddings.y, return_inverse=True)[1]

    @cached_property
    def class_table(self) -> ClassTable:
        """The indices of the points of each class."""
        return ClassTable.of(self.labels)

    @property
    def draws_batches(self) -> bool:
        """Whether the method draws batches itself, in place of the sampler alone."""
        return type(self.settings.method).draw is not Method.draw

    @cached_property
    def method_rows(self) -> Tensor:
        """The points (N, d) as the method sees them; for a method of slices, each point of a scene once in every slice.

        A scene has no slices. In each, its points are moved a little, by another draw, as slices of an embedding differ.
        """
        z, slices = self.embeddings.z, len(self.settings.method.pictured_widths(MANY * self.dim))
        if slices == 1 or self.dim > DRAWN_UP_TO:
            return z
        noise = torch.randn(slices, *z.shape, generator=torch.Generator().manual_seed(0), dtype=z.dtype)
        return torch.cat([*normalize(z + MOVED * noise, dim=2)], 1) / slices**0.5

    @cached_property
    def slices(self) -> tuple[np.ndarray, ...]:
        """The columns of `method_rows` in each slice; for a method without slices, all columns."""
        widths = self.settings.method.pictured_widths(self.method_rows.shape[1])
        return tuple(np.split(np.arange(sum(widths)), np.cumsum(widths)[:-1]))

    def slice_rows_and_plane(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The rows (N, w) of a slice, scaled to length 1 where slices are equal, and the plane (w, 2) drawn, None up to w = 3."""
        rows = self.method_rows[:, columns] * len(self.slices) ** 0.5
        return rows.numpy(), main_plane(rows).numpy() if len(columns) > DRAWN_UP_TO else None

    @cached_property
    def under_plain_loss(self) -> PointsUnderLoss:
        """The points under the loss alone."""
        return self._side(Plain(), self.embeddings.z)

    @cached_property
    def method_rows_under_plain_loss(self) -> PointsUnderLoss:
        """What `under_plain_loss` is of the points, of the `method_rows`: for a method of slices, of all slices."""
        return self.under_plain_loss if len(self.slices) == 1 else self._side(Plain(), self.method_rows)

    @cached_property
    def plain_arrows_of_all(self) -> np.ndarray:
        """The arrows (N, d) of the loss alone on all points, as the scene shows them."""
        loss = self.settings.loss
        return -loss.gradients_of_pairs(loss.pairs(self.embeddings.z, self.labels, {}), {}).z.numpy()

    @cached_property
    def under_method(self) -> PointsUnderLoss:
        """The points under the loss with the method."""
        return self._side(self.settings.method, self.method_rows)

    @cached_property
    def learnt_class_sampling(self) -> ClassPairSampling | None:
        """What a learnt sampler has learnt of the points; None for another method."""
        method = self.settings.method
        if not isinstance(method, LearntSampler):
            return None
        preferences = self.under_method.memory["policy"].clone().fill_diagonal_(-torch.inf)
        active = torch.full_like(preferences, torch.nan)
        for first in range(len(active)):
            order = (self.labels != first).to(torch.int64).argsort(stable=True)  # anchors are of the first row's class
            for other, share in method.active_triplet_shares(self.embeddings.z[order], self.labels[order]).items():
                active[first, other] = share
        return ClassPairSampling(preferences.softmax(1).fill_diagonal_(torch.nan).numpy(), active.numpy())

    @cached_property
    def mean_losses_over_draws(self) -> tuple[float, float]:
        """The mean loss over the batches of `STEPS` steps, drawn by the sampler alone and drawn by the method."""

        def mean(method: Method) -> float:
            steps = islice(self._steps(method, self.method_rows, 0), STEPS)
            return float(np.mean([response.gradients.value for *_, response in steps]))

        return mean(Plain()), mean(self.settings.method)

    def _side(self, method: Method, z: Tensor) -> PointsUnderLoss:
        """What a loss with a method says of rows z (N, d)."""
        steps = self._steps(method, z, self.settings.step)
        batch, response = next((batch, answer) for step, batch, answer in steps if step == self.settings.step)
        arrows = torch.zeros_like(z).index_add_(0, batch.images, -response.gradients.z).numpy()
        in_batch = np.unique(batch.images.numpy())
        return PointsUnderLoss(in_batch, float(response.gradients.value), arrows, method.marks(batch, z), batch.memory)

    def _steps(self, method: Method, z: Tensor, first: int) -> Iterator[tuple[int, StepBatch, Response]]:
        """Each step on rows z (N, d), which stay as they are: its batch, and what a loss with a method says of it.

        They begin with step ``first`` where nothing is remembered or learnt, so that all are alike, else with 0.
        """
        memory = method.survey(Survey(self.labels, z, z, 0, self._teacher_rows), {}) if method.every else {}
        classes, dim = int(self.labels.max()) + 1, z.shape[1]
        first_learnt = (
            self.settings.loss.initial_tensors(classes, dim, torch.Generator().manual_seed(0)),
            method.initial_tensors(classes, dim, dim, torch.Generator().manual_seed(0)),
        )
        learnt, method_learnt = ({name: tensor.double() for name, tensor in each.items()} for each in first_learnt)
        for step in count(0 if memory or method_learnt else first):
            images = self._batch_rows(method, memory, step)
            batch = StepBatch(z[images], self.labels[images], images, learnt, method_learnt, memory, step / STEPS)
            response = method.response(self.settings.loss, batch)
            yield step, batch, response
            memory = {**memory, **response.memory}
            method_learnt = {name: tensor - RATE * response.parameters[name] for name, tensor in method_learnt.items()}

    def _teacher_rows(self, steps: int, dim: int) -> Tensor:
        """A teacher with separated classes: it has each point half way to the mean of its class."""
        del steps, dim
        y, z = self.labels, self.embeddings.z
        means = torch.stack([z[y == label].mean(0) if (y == label).any() else z[0] for label in range(int(y.max()) + 1)])
        return normalize(z + means[y], dim=1)

    def _batch_rows(self, method: Method, memory: dict[str, Tensor], step: int) -> Tensor:
        """The batch of a step: all points, or a draw of some classes if the method draws batches."""
        if not self.draws_batches:
            return torch.arange(len(self.labels))
        classes = max(2, len(self.class_table.sizes) - 1)
        sampler = PByK(classes, max(2, min(IMAGES, int(self.class_table.sizes.min()))))
        rows = sampler.batch_indices(self.class_table, 0, step, 1)[0]
        generator = torch.Generator().manual_seed(step)
        return method.draw(rows, self.labels, memory, generator, step / STEPS)

    @cached_property
    def comparison(self) -> Comparison:
        """The recorded runs with the method, beside the runs without it."""
        return Comparison(self.settings)

    @property
    def moves_as_plain_loss(self) -> bool:
        """Whether the method moves every point exactly as the plain loss does."""
        plain = self.method_rows_under_plain_loss
        same = np.array_equal(plain.in_batch, self.under_method.in_batch)
        return same and np.allclose(plain.arrows, self.under_method.arrows, rtol=1e-9, atol=1e-12)
