"""The learner of a run, whose steps follow the run's method where that changes them."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from dml_viz.data.samplers._base import BLOCK, seeded
from dml_viz.losses import Gradients, layout_of
from dml_viz.training.methods._base import Response, StepBatch, Survey
from dml_viz.training.methods.plain import Plain
from dml_viz.training.run import Run
from dml_viz.training.state import State, start
from dml_viz.training.step import Backward, Learner

SURVEYED = "surveyed"


def learner_of(run: Run, state: State, *, exact: bool = False) -> Learner:
    """The learner of ``run`` at ``state``; an ``exact`` one is the same on every processor up to the last digits of a double."""
    return (MethodLearner if run.method.changes_step else Learner)(run, state, exact=exact)


class MethodLearner(Learner):
    """A learner whose method draws the images of a step, remembers tensors and responds to the batch."""

    def __init__(self, run: Run, state: State, *, exact: bool = False) -> None:
        super().__init__(run, state, exact=exact)
        self._exact = exact
        device = self._data.x.device
        self._memory = {name: torch.from_numpy(array).to(device) for name, array in state.memory.items()}
        self._response: Response | None = None

    def backward(self) -> Backward:
        # A frame and the step after it may either be the first to ask.
        if self._newest is None:
            self._survey()
        return super().backward()

    def train(self) -> None:
        self.backward()
        assert self._response is not None
        after = self._response.memory
        super().train()
        self._memory |= {name: self._unless_found_inf(name, tensor) for name, tensor in after.items()}

    def state(self) -> State:
        return replace(super().state(), memory={name: tensor.cpu().numpy() for name, tensor in self._memory.items()})

    def _survey(self) -> None:
        """Survey the training set, at the steps at which the method does."""
        method = self.run.method
        if not method.every or (self._memory and (self.step % method.every or int(self._memory[SURVEYED].item()) == self.step)):
            return
        with torch.no_grad():
            features, data = self.net[:-2](self._everything), self._data
            z, categories = self.net[-2:](features), data.table.categories.to(features.device)
            survey = Survey(data.y, z, features.flatten(1), self.run.seed, self._teacher_rows, categories)
            memory = method.survey(survey, self._memory)
        memory[SURVEYED] = torch.tensor(self.step, device=features.device)
        self._memory = {name: self._unless_found_inf(name, tensor) for name, tensor in memory.items()}

    def _unless_found_inf(self, name: str, tensor: Tensor) -> Tensor:
        """``tensor``, or the remembered one called ``name`` after a number that is not finite."""
        before = self._memory.get(name, tensor)
        return torch.where(self._found_inf.to(tensor.device) > 0, before, tensor) if before.shape == tensor.shape else tensor

    def _teacher_rows(self, steps: int, dim: int) -> Tensor:
        """Unit rows (n, dim) of the training set by a plain run of ``steps`` steps."""
        run = replace(self.run, method=Plain(), dim=dim, steps=steps)
        teacher = Learner(run, start(run, exact=self._exact), exact=self._exact)
        for _ in range(steps):
            teacher.train()
        return teacher.embed(self._everything)

    @property
    def _everything(self) -> Tensor:
        """All training images (n, 1, side, side), without augmentation."""
        return self._images(torch.arange(len(self._data.y), device=self._data.y.device))

    @torch.no_grad()
    def _backward(self) -> Backward:
        run, data, device = self.run, self._data, self._data.x.device
        block, index = divmod(self.step, BLOCK)
        done = self.step / run.steps
        on_host = data.batches(run.sampler, run.seed, block).on_host[index]
        memory = {name: tensor.cpu() for name, tensor in self._memory.items()}
        on_host = run.method.draw(on_host, data.labels, memory, seeded(run.seed, self.step, 2), done)
        images = on_host.to(device)
        x = self._images(images, data.augmentation)
        rows = self._passes.forward(x)
        nan = rows.sum() * 0
        learnt = self.learnt.map(Tensor.detach)
        z, y, layout = rows.nan_to_num(0, 0, 0), data.y.index_select(0, images), layout_of(data.labels[on_host], device)
        batch = StepBatch(z, y, images, learnt.loss, learnt.method, self._memory, done, layout, *self._before_last(x))
        response = self._response = run.method.response(run.loss, batch)
        of_points = response.gradients.z + nan
        self._passes.backward(of_points)
        if response.head:
            for weight, more in zip(self.net[-2].parameters(), response.head, strict=True):
                assert weight.grad is not None
                weight.grad += more
        gradients = Gradients(response.gradients.value + nan, of_points, response.gradients.learnt)
        return Backward(rows, gradients, response.parameters)

    def _before_last(self, x: Tensor) -> tuple[Tensor | None, tuple[Tensor, Tensor] | None]:
        """The features of images and the last layer, where the method asks for them."""
        if not (self.run.method.of_features and isinstance(self.net[-2], nn.Linear)):
            return None, None
        weight, bias = (tensor.detach() for tensor in self.net[-2].parameters())
        return self.net[:-2](x).flatten(1), (weight, bias)
