"""A learner: a state brought to life on a device, and the one step that trains it."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dml_viz.data.samplers._base import BLOCK
from dml_viz.data.training_set import training_set
from dml_viz.losses import Gradients, Loss
from dml_viz.training.device import resolve
from dml_viz.training.run import Run
from dml_viz.training.state import Learned, State


@dataclass(frozen=True, eq=False)
class Backward:
    """What a batch says at the current weights: loss and gradients at its ``rows`` (B, d), as the loss sees them.

    ``fault`` is which of them is not finite, empty where all are.
    """

    rows: Tensor
    gradients: Gradients
    fault: str


class Learner:
    """A run at a state, live: ``net``, its ``weights`` (n,) and where each of its ``layers`` lies in them, ``learnt`` tensors.

    Raises ValueError for a state of another net or loss.
    """

    def __init__(self, run: Run, state: State) -> None:
        device = resolve(run.device)
        self.run, self.step, self.plane, self.failed = run, state.step, state.plane, state.failed
        self._adam_since = state.adam
        self._data = training_set(run.dataset, run.protocol, device)
        _check_learnt(run.loss, self._data.classes, state)
        self._newest: Backward | None = None
        self.net = run.net.unfilled(self._data.side, run.dim).to(device)
        self.weights = _parameter(state.weights, device)
        self.learnt = {name: _parameter(tensor, device) for name, tensor in state.learnt.items()}
        self.layers = _share(self.net, self.weights)
        # The last layer normalises; a loss of raw rows sees them before it.
        self._rows = self.net if run.loss.unit else self.net[:-1]
        self._adam = self._optimiser(state)

    def embed(self, x: Tensor) -> Tensor:
        """Unit rows (B, d) of images x (B, 1, side, side), without a graph."""
        with torch.no_grad():
            return self.net(x)

    def backward(self) -> Backward:
        """Loss and gradients on the batch of the current step; the weights' gradient is left in ``weights.grad``."""
        # A frame and the step after it ask for the same.
        if self._newest is None:
            self._newest = self._backward()
        return self._newest

    def train(self) -> None:
        """One step. Where something is not finite the weights stay as they were and ``failed`` tells what and when."""
        fault = self.backward().fault
        if fault:
            self.failed = (
                f"Stopped at step {self.step}: {fault} is not finite. Reset, or go back and lower the learning rate."
            )
            return
        self._adam.step()
        self.step, self._newest = self.step + 1, None

    def state(self) -> State:
        """The state as plain arrays."""
        learnt = {name: self._learned(tensor) for name, tensor in self.learnt.items()}
        return State(self.step, self._learned(self.weights), learnt, self.plane, self.failed, self._adam_since)

    def _backward(self) -> Backward:
        x, y = self._batch()
        z = self._rows(x)  # (B, d)
        points = z.detach()
        if not math.isfinite(points.sum().item()):
            nothing = torch.full_like(points, math.nan)
            return Backward(points, Gradients(nothing.sum(), nothing, {}), "an embedding")
        gradients = self.run.loss.gradients(
            points, y, **{name: tensor.detach() for name, tensor in self.learnt.items()}
        )
        assert self.weights.grad is not None
        self.weights.grad.zero_()
        z.backward(gradients.z)
        for name, tensor in self.learnt.items():
            tensor.grad = gradients.learnt[name]
        return Backward(points, gradients, self._fault(gradients))

    def _optimiser(self, state: State) -> torch.optim.Adam:
        rates = ([self.weights], self.run.lr), ([*self.learnt.values()], self.run.lr * self.run.proxy_lr)
        adam = torch.optim.Adam([{"params": tensors, "lr": lr} for tensors, lr in rates], fused=True)
        learned = {self.weights: state.weights} | {tensor: state.learnt[name] for name, tensor in self.learnt.items()}
        for tensor, so_far in learned.items():
            adam.state[tensor] = {
                "step": torch.tensor(float(state.step - state.adam), device=tensor.device),
                "exp_avg": _tensor(so_far.mean, tensor.device),
                "exp_avg_sq": _tensor(so_far.square, tensor.device),
            }
        return adam

    def _batch(self) -> tuple[Tensor, Tensor]:
        """Images and labels of the step; for a loss of views two views of each of half the images, named by the image."""
        run, data = self.run, self._data
        images = data.batches(run.sampler, run.seed, self.step // BLOCK)[self.step % BLOCK]
        if not run.loss.views:
            x = data.x.index_select(0, images)
            if data.augmentation:
                x = data.augmentation.view(x, run.seed, self.step)
            return x, data.y.index_select(0, images)
        images = images[::2].repeat(2)
        return run.augmentation.view(data.x.index_select(0, images), run.seed, self.step), images

    def _fault(self, gradients: Gradients) -> str:
        assert self.weights.grad is not None
        everything = gradients.value + self.weights.grad.square().sum()
        for gradient in gradients.learnt.values():
            everything = everything + gradient.sum()
        if math.isfinite(everything.item()):
            return ""
        terms = {"the loss": gradients.value, "the gradient at the embeddings": gradients.z}
        terms |= {f"the gradient of the {name}": gradient for name, gradient in gradients.learnt.items()}
        broken = [term for term, tensor in terms.items() if not torch.isfinite(tensor).all()]
        return broken[0] if broken else "the gradient of the weights"

    def _learned(self, tensor: nn.Parameter) -> Learned:
        moments = self._adam.state[tensor]
        arrays = (tensor.detach(), moments["exp_avg"], moments["exp_avg_sq"])
        return Learned(*(array.cpu().numpy().copy() for array in arrays))


def _check_learnt(loss: Loss, classes: int, state: State) -> None:
    rows = {name: classes * (loss.per_class if name == "proxies" else 1) for name in loss.learns}
    present = {name: len(tensor.value) for name, tensor in state.learnt.items()}
    if present != rows:
        raise ValueError(
            f"the state holds learnt tensors of {present} rows, {type(loss).__name__} takes {rows}; begin anew"
        )


def _tensor(array: object, device: torch.device) -> Tensor:
    # A copy, since torch aligns its memory and numpy does not, and products round by alignment.
    return torch.tensor(array, device=device)


def _parameter(learned: Learned, device: torch.device) -> nn.Parameter:
    parameter = nn.Parameter(_tensor(learned.value, device))
    parameter.grad = torch.zeros_like(parameter)
    return parameter


def _share(net: nn.Sequential, flat: nn.Parameter) -> dict[str, slice]:
    """Make every weight of ``net`` and its gradient a piece of ``flat`` (n,); the piece of each layer by name."""
    assert flat.grad is not None
    layers: dict[str, slice] = {}
    size = sum(weight.numel() for weight in net.parameters())
    if size != flat.numel():
        raise ValueError(f"the state holds {flat.numel()} weights, the net has {size}; begin anew")
    end = 0
    for name, layer in net.named_children():
        begin = end
        for weight in layer.parameters():
            piece = slice(end, end := end + weight.numel())
            weight.data, weight.grad = flat.data[piece].view_as(weight), flat.grad[piece].view_as(weight)
        if end > begin:
            layers[name] = slice(begin, end)
    return layers
