"""A pass through an MLP by hand is autograd's, for the gradient of every loss; Adam is torch's own."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dml_viz.losses import LOSSES, Loss
from dml_viz.training.captured import Adam
from dml_viz.training.nets._base import Net
from dml_viz.training.nets.conv import Conv
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.passes import OfAnyNet, OfMLP, passes
from dml_viz.training.state import AdamParameters
from dml_viz.training.step import _share
from tests.batches import drawn, learnt_for
from tests.samples import for_each


def built(net: Net, dim: int, unit: bool, way: Callable[[nn.Sequential, Tensor], object]) -> tuple[object, Tensor, Tensor]:
    """A pass through a small net with its own weights, these weights, and their gradient."""
    made = net.build(8, dim, torch.Generator().manual_seed(dim))
    flat = torch.cat([weight.detach().flatten() for weight in made.parameters()])
    weights, gradient = flat + 0.01, torch.zeros_like(flat)
    _share(made, weights, gradient)
    return way(made, gradient), weights, gradient


@for_each("depth", [1, 3])
@for_each("kind", LOSSES.values(), ids=LOSSES)
def test_a_manual_pass_has_autograds_gradients(kind: type[Loss], depth: int) -> None:
    loss, net, dim = kind(), MLP(16, depth), 5
    x, (_, y) = torch.rand(12, 1, 8, 8, generator=torch.Generator().manual_seed(depth)), drawn(12, dim, 4)
    found = []
    for way in (
        lambda net, gradient: OfMLP(net, unit=loss.unit),
        lambda net, gradient: OfAnyNet(net if loss.unit else net[:-1], gradient),
    ):
        through, _, of_weights = built(net, dim, loss.unit, way)
        for _ in range(2):  # the second overwrites the first
            rows = through.forward(x)  # type: ignore[attr-defined]
            through.backward(loss.gradients(rows, y, **learnt_for(loss, (rows, y))).z)  # type: ignore[attr-defined]
        found.append((rows, of_weights))
    (rows, by_hand), (same_rows, by_autograd) = found
    torch.testing.assert_close(rows, same_rows, rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(by_hand, by_autograd, rtol=0, atol=2e-6 * float(by_autograd.abs().max()))


@pytest.mark.parametrize("unit", [False, True])
def test_a_row_of_zeros_has_autograds_gradient(unit: bool) -> None:
    gradient = torch.tensor([[1.0, 0.0], [1e-3, 2.0]])
    found = []
    for way in (lambda net, grad: OfMLP(net, unit=unit), lambda net, grad: OfAnyNet(net if unit else net[:-1], grad)):
        through, weights, of_weights = built(MLP(16, 1), 2, unit, way)
        weights[-34:] = 0  # those of the last layer, so that every row is zeros
        through.forward(torch.rand(2, 1, 8, 8, generator=torch.Generator().manual_seed(1)))  # type: ignore[attr-defined]
        through.backward(gradient)  # type: ignore[attr-defined]
        found.append(of_weights)
    torch.testing.assert_close(*found)


def test_nets_of_other_layers_use_autograd() -> None:
    for net, kind in ((MLP(16, 2), OfMLP), (Conv(4), OfAnyNet)):
        made = net.build(8, 3, torch.Generator().manual_seed(0))
        assert type(passes(made, torch.zeros(1), unit=True)) is kind


def test_adam_is_torchs_and_does_not_move_where_a_gradient_is_broken() -> None:
    generator = torch.Generator().manual_seed(0)
    first, gradients = torch.randn(7, generator=generator), torch.randn(5, 7, generator=generator)
    theirs = nn.Parameter(first.clone())
    optimiser = torch.optim.Adam([theirs], lr=0.01, fused=True)
    ours, steps = first.clone(), torch.zeros(())
    adam = Adam(ours, AdamParameters.untrained(first), 0.01, steps)
    for gradient in gradients:
        theirs.grad = gradient.clone()
        optimiser.step()
        steps += 1
        adam.step(gradient, torch.zeros(()))
        adam.step(gradient * torch.nan, torch.ones(()))
    assert torch.equal(ours, theirs)
    assert float(steps) == len(gradients)
    np.testing.assert_array_equal(adam.arrays().mean, optimiser.state[theirs]["exp_avg"].numpy())
