"""A learner: a state brought to life on a device, and the one step that trains it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.samplers._base import BLOCK
from dml_viz.data.training_set import training_set
from dml_viz.losses import Gradients, Layout, layout_of
from dml_viz.training.captured import Adam, Captured, tensor_of
from dml_viz.training.device import device_named
from dml_viz.training.nets._base import EqualLengthSlices
from dml_viz.training.passes import passes
from dml_viz.training.run import Run
from dml_viz.training.state import LossAndMethodTensors, State


@dataclass(frozen=True, eq=False)
class Backward:
    """Loss and gradients of a batch at the current weights, and the batch's ``rows`` (B, d) as the loss sees them.

    ``method`` has the gradients of the method's tensors. Where an embedding is not finite, neither are loss and gradients.
    """

    rows: Tensor
    gradients: Gradients
    method: Mapping[str, Tensor] = field(default_factory=dict)


class Learner:
    """A run at a state, live: ``net``, ``weights`` (n,), their ``gradient``, where ``layers`` lie in them, ``learnt`` tensors.

    Steps read nothing from the device, so that a GPU need not be waited for: once something is not finite no step changes
    anything, and `check_finite` finds out. With ``exact`` all is computed in double precision, and images get no noise, since
    normal numbers differ between processors. Raises ValueError for a state of another net or loss.
    """

    def __init__(self, run: Run, state: State, *, exact: bool = False) -> None:
        device, dtype = device_named(run.device), torch.float64 if exact else torch.float32
        self.run, self.step, self.plane, self.failed = run, state.step, state.plane, state.failed
        self._adam_since = state.adam
        self._data = training_set(run.dataset, run.protocol, device, run.label_noise)
        if exact and self._data.augmentation:
            self._data = replace(self._data, augmentation=replace(self._data.augmentation, noise=0.0))
        _check_learnt(run, self._data.classes, state)
        self._newest: Backward | None = None
        self.net = run.net.uninitialised(self._data.side, run.dim).to(device)
        if len(widths := run.method.disjoint_widths(run.dim)) > 1:
            self.net[-1] = EqualLengthSlices(widths)
        self.weights = tensor_of(state.weights.value, device, dtype)
        self.gradient = torch.zeros_like(self.weights)
        self.learnt = state.learnt.map(lambda learned: tensor_of(learned.value, device, dtype))
        self.layers = _share(self.net, self.weights, self.gradient)
        self._passes = passes(self.net, self.gradient, unit=run.loss.unit)
        self._steps = torch.tensor(float(state.step - state.adam), device=device)  # that Adam has taken
        self._adam = Adam(self.weights, state.weights, run.lr, self._steps)
        of_loss = {
            name: Adam(tensor, state.learnt.loss[name], run.lr * run.proxy_lr, self._steps, run.loss.learns[name])
            for name, tensor in self.learnt.loss.items()
        }
        of_method = {
            name: Adam(tensor, state.learnt.method[name], run.lr * run.method.rate, self._steps)
            for name, tensor in self.learnt.method.items()
        }
        self._adam_of_learnt = LossAndMethodTensors(of_loss, of_method)
        # The first is not a number once anything is not; the second is then 1.
        self._nan_probe, self._found_inf = torch.zeros(2, device=device).unbind()
        self._responses, self._updates = Captured(self._respond, device), Captured(self._update, device)

    def embed(self, x: Tensor) -> Tensor:
        """Unit rows (B, d) of images x (B, 1, side, side), without a graph."""
        with torch.no_grad():
            return self.net(x)

    def backward(self) -> Backward:
        """Loss and gradients on the batch of the current step; the weights' is left in ``gradient``."""
        # A frame and the step after it ask for the same.
        if self._newest is None:
            self._newest = self._backward()
        return self._newest

    def train(self) -> None:
        """Train one step; once a number is not finite, the weights stay as they were at this step and all later ones."""
        self._updates(self.backward())
        self.step, self._newest = self.step + 1, None

    def check_finite(self) -> bool:
        """Return whether all numbers were finite; if not, go back to the step that failed and write a sentence to ``failed``."""
        good = self._adam_since + int(self._steps.item())
        if good == self.step:
            return True
        self.step, self._newest = good, None
        advice = "; lower the learning rate"
        if good == self._adam_since:  # the loss has moved no weight yet
            advice = ", at any learning rate; change the loss or its knobs"
        self.failed = (
            f"Stopped at step {good}: {self.non_finite_term()} is not finite. Trained again, it stops there again{advice}."
        )
        return False

    def non_finite_term(self) -> str:
        """The name of a term that is not finite at the current step; empty if all are."""
        backward = self.backward()
        terms = {"an embedding": backward.rows, "the loss": backward.gradients.value}
        terms["the gradient at the embeddings"] = backward.gradients.z
        of_learnt = (*backward.gradients.learnt.items(), *backward.method.items())
        terms |= {f"the gradient of the {name}": gradient for name, gradient in of_learnt}
        terms["the gradient of the weights"] = self.gradient
        # By their sums, which overflow before a step does.
        sums = torch.stack([tensor.sum() for tensor in terms.values()]).tolist()
        return next((term for term, total in zip(terms, sums, strict=True) if not math.isfinite(total)), "")

    def state(self) -> State:
        """The state as plain arrays."""
        learnt = self._adam_of_learnt.map(Adam.arrays)
        return State(self.step, self._adam.arrays(), learnt, self.plane, self.failed, self._adam_since)

    def _update(self, backward: Backward) -> None:
        """Move the weights and the learnt tensors down their gradients."""
        of_loss, of_method = backward.gradients.learnt, backward.method
        learnt = [*(of_loss[name] for name in self.learnt.loss), *(of_method[name] for name in self.learnt.method)]
        everything = backward.gradients.value + torch.dot(self.gradient, self.gradient)
        for gradient in learnt:
            everything = everything + gradient.sum()
        self._nan_probe.add_(everything, alpha=0)  # 0, but for what is not finite
        torch.ne(self._nan_probe, self._nan_probe, out=self._found_inf)
        self._steps.add_(1).sub_(self._found_inf)
        self._adam.step(self.gradient, self._found_inf)
        for adam, gradient in zip(self._adam_of_learnt, learnt, strict=True):
            adam.step(gradient, self._found_inf)

    @torch.no_grad()
    def _backward(self) -> Backward:
        x, y, layout = self._batch()
        return self._responses(layout, x, y)

    def _respond(self, layout: Layout, x: Tensor, y: Tensor) -> Backward:
        """Loss and gradients of images x (B, 1, side, side) with labels y (B,); that of the weights is in ``gradient``."""
        per_pass = self.run.images_per_pass(len(x))
        whole = per_pass >= len(x)
        pieces = (x,) if whole else x.split(per_pass)
        of_pieces = [self._passes.forward(piece, keep=whole) for piece in pieces]
        rows = of_pieces[0] if whole else torch.cat(of_pieces)
        total = rows.sum()
        # No loss need bear what is no number.
        gradients = self.run.loss.gradients(rows.nan_to_num(0, 0, 0), y, layout, **self.learnt.loss)
        value, z = (torch.add(of, total, alpha=0) for of in (gradients.value, gradients.z))  # 0, but for what is not finite
        gradients = Gradients(value, z, gradients.learnt)
        self._passes.backward(gradients.z) if whole else self._in_pieces(pieces, gradients.z)
        return Backward(rows, gradients)

    def _in_pieces(self, pieces: Sequence[Tensor], gradient: Tensor) -> None:
        """Compute the weights' gradient piece by piece, each forward once more and back with its rows of ``gradient`` (B, d)."""
        total = torch.zeros_like(self.gradient)
        for piece, of_rows in zip(pieces, gradient.split(len(pieces[0])), strict=True):
            self._passes.forward(piece)
            self._passes.backward(of_rows)
            total += self.gradient
        self.gradient.copy_(total)

    def _images(self, places: Tensor, augmentation: Augmentation | None = None) -> Tensor:
        """The training images (B, 1, side, side) at ``places`` (B,), as the net takes them, or views of them at this step."""
        x = self._data.images_at(places).to(self.weights.dtype)
        return augmentation.view(x, self.run.seed, self.step) if augmentation else x

    def _batch(self) -> tuple[Tensor, Tensor, Layout]:
        """Images and labels of the step and the labels' layout; for a loss of views two views of half the images each."""
        run, data, device = self.run, self._data, self._data.x.device
        block, index = divmod(self.step, BLOCK)
        batches = data.batches(run.sampler, run.seed, block)
        if not run.loss.views:
            images = batches.on_device[index]
            labels = batches.labels[index]  # on the host
            y = labels if device.type == "cpu" else data.y.index_select(0, images)
            return self._images(images, data.augmentation), y, batches.layout or layout_of(labels, device)
        images = batches.on_device[index][::2].repeat(2)  # each image is a class of its own
        return self._images(images, run.augmentation), images, layout_of(batches.on_host[index][::2].repeat(2), device)


def _check_learnt(run: Run, classes: int, state: State) -> None:
    loss = run.loss
    shapes = {name: declared.size(classes, run.dim, loss.per_class) for name, declared in loss.learns.items()}
    present = {name: learned.value.shape for name, learned in state.learnt.loss.items()}
    if present != shapes:
        raise ValueError(f"the state has learnt tensors of shapes {present}, {type(loss).__name__} takes {shapes}; begin anew")


def _share(net: nn.Sequential, weights: Tensor, gradient: Tensor) -> dict[str, slice]:
    """Make every weight of ``net`` a piece of ``weights`` (n,), and its gradient of ``gradient``; each layer's piece by name."""
    layers: dict[str, slice] = {}
    size = sum(weight.numel() for weight in net.parameters())
    if size != weights.numel():
        raise ValueError(f"the state holds {weights.numel()} weights, the net has {size}; begin anew")
    end = 0
    for name, layer in net.named_children():
        begin = end
        for weight in layer.parameters():
            piece = slice(end, end := end + weight.numel())
            weight.data, weight.grad = weights[piece].view_as(weight), gradient[piece].view_as(weight)
        if end > begin:
            layers[name] = slice(begin, end)
    return layers
