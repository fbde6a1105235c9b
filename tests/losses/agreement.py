"""Agreement with pytorch-metric-learning, for losses that are the same in both."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from dml_viz.embedding.sphere import tangent
from dml_viz.losses import Loss
from tests.batches import ORDINARY, Batch, drawn
from tests.samples import for_each

BATCHES = {**ORDINARY, "a larger one": drawn(48, 16, 6, seed=31)}
any_batch = for_each("batch", list(BATCHES.values()), ids=list(BATCHES))


def agree(loss: Loss, batch: Batch, theirs: Callable[[Tensor, Tensor], Tensor], **learnt: Tensor) -> None:
    """Assert equal values (1e-6 relative) and gradients (1e-6) on unit rows; ``theirs`` maps z (N, d) and y (N,) to a scalar."""
    z, y = batch
    points = z.clone().requires_grad_()
    value = theirs(points, y)
    found = loss.gradients(z, y, **learnt)
    assert float(found.value) == pytest.approx(float(value.detach()), rel=1e-6, abs=1e-9)
    (gradient,) = torch.autograd.grad(value, points)
    torch.testing.assert_close(found.z, tangent(gradient, z) if loss.unit else gradient, rtol=0, atol=1e-6)


def as_the_library(theirs: torch.nn.Module, name: str, ours: Loss, batch: Batch, proxies: Tensor) -> None:
    """Assert value and gradients of the library's loss, whose parameter ``name`` holds the proxies, perhaps transposed."""
    z, y = batch
    transposed = name != "proxies"
    parameter = torch.nn.Parameter((proxies.T if transposed else proxies).clone())
    setattr(theirs, name, parameter)
    points = z.clone().requires_grad_()
    value = theirs(points, y)
    value.backward()
    found = ours.gradients(z, y, proxies=proxies)
    assert points.grad is not None
    assert parameter.grad is not None
    assert float(found.value) == pytest.approx(float(value.detach()), rel=1e-6)
    torch.testing.assert_close(found.z, tangent(points.grad, z), rtol=1e-6, atol=1e-6)
    of_proxies = parameter.grad.T if transposed else parameter.grad
    torch.testing.assert_close(found.learnt["proxies"], of_proxies, rtol=1e-6, atol=1e-6)
