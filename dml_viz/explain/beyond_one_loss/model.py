"""What a method does to a few points beside the plain loss: the batch that it draws, and how these points move."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dml_viz.data.samplers._base import ClassTable
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.embedding.embeddings import EmbeddingsModel
from dml_viz.engine.members import METRICS
from dml_viz.engine.sweeps import recorded_results, table_of
from dml_viz.explain.beyond_one_loss.model_training import SCORES, STEPS, Settings
from dml_viz.training.effects import Effect, moves_by_chance
from dml_viz.training.methods._base import Batch, Method, Response, Survey
from dml_viz.training.methods._base import Mark as Mark
from dml_viz.training.methods.plain import Plain

IMAGES = 4  # images of a class in a batch drawn by a method
RATE = 0.5  # the learning rate at which a method learns from the points


class Side(NamedTuple):
    """One of the two losses: the points in its batch, its value, the arrow (N, d) of each point, and marks."""

    drawn: np.ndarray
    value: float
    arrows: np.ndarray
    marks: tuple[Mark, ...]


@dataclass(frozen=True, eq=False)
class Model(EmbeddingsModel[Settings]):
    """The points under the plain loss and with the method, and the scores of both trained from five seeds."""

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
    def plain(self) -> Side:
        """The loss alone."""
        return self._side(Plain())

    @cached_property
    def of_all(self) -> np.ndarray:
        """The arrows (N, d) of the loss alone on all points, as the scene shows them."""
        loss = self.settings.loss
        return -loss.gradients_of_pairs(loss.pairs(self.embeddings.z, self.labels, {}), {}).z.numpy()

    @cached_property
    def side(self) -> Side:
        """The loss with the method."""
        return self._side(self.settings.method)

    def _side(self, method: Method) -> Side:
        memory = self._surveyed(method)
        learnt = self.settings.loss.init(int(self.labels.max()) + 1, self.dim, torch.Generator().manual_seed(0))
        learnt = {name: tensor.double() for name, tensor in learnt.items()}
        own = method.init(int(self.labels.max()) + 1, self.dim, self.dim, torch.Generator().manual_seed(0))
        own = {name: tensor.double() for name, tensor in own.items()}
        step = 0
        while True:
            images = self._drawn(method, memory, step)
            batch = Batch(self.embeddings.z[images], self.labels[images], images, learnt, own, memory, step / STEPS)
            if step == self.settings.step:
                break
            found = method.response(self.settings.loss, batch)
            memory = {**memory, **found.memory}
            own = {name: tensor - RATE * found.own[name] for name, tensor in own.items()}
            # A method that neither remembers nor learns is the same after one step as after many.
            step = step + 1 if memory or own else self.settings.step
        return self._of(method.response(self.settings.loss, batch), batch, method.marks(batch, self.embeddings.z))

    def _of(self, response: Response, batch: Batch, marks: tuple[Mark, ...]) -> Side:
        arrows = torch.zeros_like(self.embeddings.z).index_add_(0, batch.images, -response.gradients.z)
        return Side(np.unique(batch.images.numpy()), float(response.gradients.value), arrows.numpy(), marks)

    def _surveyed(self, method: Method) -> dict[str, Tensor]:
        if not method.every:
            return {}
        z = self.embeddings.z
        return method.survey(Survey(self.labels, z, z, 0, self._taught), {})

    def _taught(self, steps: int, dim: int) -> Tensor:
        """A teacher with separated classes: it has each point half way to the mean of its class."""
        del steps, dim
        y, z = self.labels, self.embeddings.z
        means = torch.stack(
            [z[y == label].mean(0) if (y == label).any() else z[0] for label in range(int(y.max()) + 1)]
        )
        return torch.nn.functional.normalize(z + means[y], dim=1)

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
    def scores(self) -> np.ndarray:
        """The score on unseen classes at the end (2, seeds), plain and with the method; NaN if not recorded."""
        sweep = self.settings.sweep
        table = table_of(sweep, recorded_results(sweep))
        return table[:, :, -1, METRICS.index(f"{self.settings.score}.unseen")].astype(np.float64)

    @property
    def called(self) -> str:
        """The name of the score."""
        return SCORES[self.settings.score]

    @cached_property
    def effect(self) -> Effect | None:
        """The effect of the method on the score; None if its runs are not recorded."""
        if not np.isfinite(self.scores).all():
            return None
        sweep = self.settings.sweep
        return Effect("method", sweep.axes[0].values, False, self.scores.T, moves_by_chance(self.scores.T))

    @property
    def unchanged(self) -> bool:
        """Whether the method moves every point exactly as the plain loss does."""
        same = np.array_equal(self.plain.drawn, self.side.drawn)
        return same and np.allclose(self.plain.arrows, self.side.arrows, rtol=1e-9, atol=1e-12)

    def at(self, step: int) -> "Model":
        """The same points after ``step`` steps."""
        return Model(self.embeddings, replace(self.settings, step=step))
