"""What a method does to a few points beside the plain loss: the batch that it draws, and how these points move."""

from dataclasses import dataclass, replace
from functools import cached_property
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
from dml_viz.training.methods._base import Batch, Method, Response, Survey
from dml_viz.training.methods._base import Mark as Mark
from dml_viz.training.methods.plain import Plain

IMAGES = 4  # images of a class in a batch drawn by a method
MOVED = 0.25  # standard deviation of what moves a scene's points in each slice
MANY = 64  # slices, of which a method says how many it trains
RATE = 0.5  # the learning rate at which a method learns from the points


class Side(NamedTuple):
    """One of the two losses: the points in its batch, its value, the arrow (N, d) of each point, and marks."""

    drawn: np.ndarray
    value: float
    arrows: np.ndarray
    marks: tuple[Mark, ...]


@dataclass(frozen=True, eq=False)
class Model(EmbeddingsModel[Settings]):
    """The points under the plain loss and with the method, and the scores of trained runs."""

    @cached_property
    def labels(self) -> Tensor:
        """The classes (N,) of the points, numbered from 0 like classes in training."""
        return torch.unique(self.embeddings.y, return_inverse=True)[1]

    @cached_property
    def table(self) -> ClassTable:
        """The points of each class."""
        return ClassTable.of(self.labels)

    @property
    def draws(self) -> bool:
        """Whether the method decides what a batch holds."""
        return type(self.settings.method).draw is not Method.draw

    @cached_property
    def rows(self) -> Tensor:
        """The points (N, d) as the method has them; those of a scene once for each slice of a method that trains slices.

        A scene has no slices. In each, its points are moved a little, by another draw, as slices of an embedding differ.
        """
        z, method = self.embeddings.z, self.settings.method
        if not method.in_slices or self.dim > DRAWN_UP_TO:
            return z
        count = len(method.slices(MANY * self.dim))
        noise = torch.randn(count, *z.shape, generator=torch.Generator().manual_seed(0), dtype=z.dtype)
        return torch.cat([*normalize(z + MOVED * noise, dim=2)], 1) / count**0.5

    @cached_property
    def slices(self) -> tuple[np.ndarray, ...]:
        """The columns of each slice of `rows` that the method trains; those of the whole row for any other method."""
        method, dim = self.settings.method, self.rows.shape[1]
        widths = method.slices(dim) if method.in_slices else (dim,)
        return tuple(np.split(np.arange(dim), np.cumsum(widths)[:-1]))

    def in_slice(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The unit rows (N, w) of a slice, and the plane (w, 2) in which it is drawn; None up to three dimensions."""
        rows = self.rows[:, columns] * len(self.slices) ** 0.5
        return rows.numpy(), main_plane(rows).numpy() if len(columns) > DRAWN_UP_TO else None

    @cached_property
    def plain(self) -> Side:
        """The loss alone."""
        return self._side(Plain(), self.embeddings.z)

    @cached_property
    def plain_in_slices(self) -> Side:
        """The loss alone on the rows that the method has."""
        return self._side(Plain(), self.rows)

    @cached_property
    def of_all(self) -> np.ndarray:
        """The arrows (N, d) of the loss alone on all points, as the scene shows them."""
        loss = self.settings.loss
        return -loss.gradients_of_pairs(loss.pairs(self.embeddings.z, self.labels, {}), {}).z.numpy()

    @cached_property
    def side(self) -> Side:
        """The loss with the method."""
        return self._side(self.settings.method, self.rows)

    def _side(self, method: Method, z: Tensor) -> Side:
        """What a loss with a method says of rows z (N, d)."""
        memory, dim = self._surveyed(method, z), z.shape[1]
        learnt = self.settings.loss.init(int(self.labels.max()) + 1, dim, torch.Generator().manual_seed(0))
        learnt = {name: tensor.double() for name, tensor in learnt.items()}
        own = method.init(int(self.labels.max()) + 1, dim, dim, torch.Generator().manual_seed(0))
        own = {name: tensor.double() for name, tensor in own.items()}
        step = 0
        while True:
            images = self._drawn(method, memory, step)
            batch = Batch(z[images], self.labels[images], images, learnt, own, memory, step / STEPS)
            if step == self.settings.step:
                break
            found = method.response(self.settings.loss, batch)
            memory = {**memory, **found.memory}
            own = {name: tensor - RATE * found.own[name] for name, tensor in own.items()}
            # A method that neither remembers nor learns is the same after one step as after many.
            step = step + 1 if memory or own else self.settings.step
        return self._of(method.response(self.settings.loss, batch), batch, z, method.marks(batch, z))

    @staticmethod
    def _of(response: Response, batch: Batch, z: Tensor, marks: tuple[Mark, ...]) -> Side:
        arrows = torch.zeros_like(z).index_add_(0, batch.images, -response.gradients.z)
        return Side(np.unique(batch.images.numpy()), float(response.gradients.value), arrows.numpy(), marks)

    def _surveyed(self, method: Method, z: Tensor) -> dict[str, Tensor]:
        if not method.every:
            return {}
        return method.survey(Survey(self.labels, z, z, 0, self._taught), {})

    def _taught(self, steps: int, dim: int) -> Tensor:
        """A teacher with separated classes: it has each point half way to the mean of its class."""
        del steps, dim
        y, z = self.labels, self.embeddings.z
        means = torch.stack(
            [z[y == label].mean(0) if (y == label).any() else z[0] for label in range(int(y.max()) + 1)]
        )
        return normalize(z + means[y], dim=1)

    def _drawn(self, method: Method, memory: dict[str, Tensor], step: int) -> Tensor:
        """The batch of a step: all points, or a draw of some classes if the method draws batches."""
        if not self.draws:
            return torch.arange(len(self.labels))
        classes = max(2, len(self.table.sizes) - 1)
        sampler = PByK(classes, max(2, min(IMAGES, int(self.table.sizes.min()))))
        drawn = sampler.batch_indices(self.table, 0, step, 1)[0]
        generator = torch.Generator().manual_seed(step)
        return method.draw(drawn, self.labels, memory, generator, step / STEPS)

    @cached_property
    def comparison(self) -> Comparison:
        """The recorded runs with the method and those that it is compared with."""
        return Comparison(self.settings)

    @property
    def unchanged(self) -> bool:
        """Whether the method moves every point exactly as the plain loss does."""
        plain = self.plain if len(self.slices) == 1 else self.plain_in_slices
        same = np.array_equal(plain.drawn, self.side.drawn)
        return same and np.allclose(plain.arrows, self.side.arrows, rtol=1e-9, atol=1e-12)

    def at(self, step: int) -> "Model":
        """The same points after ``step`` steps."""
        return Model(self.embeddings, replace(self.settings, step=step))
