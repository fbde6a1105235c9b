"""Losses under the modes of torch: a caller's mode changes no number."""

import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import pytest
import torch

from dml_viz.embedding import matmul
from dml_viz.embedding.sphere import tangent
from dml_viz.losses import LOSSES, Loss
from tests.batches import ORDINARY, learnt_for
from tests.losses.test_losses import settings
from tests.samples import for_each, sample

BATCH = ORDINARY["more dimensions than points"]


@contextmanager
def without_private_product() -> Iterator[None]:
    """Compute products as torch does without oneDNN, such as on a GPU."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matmul, "_ONEDNN", None)
        yield


def autocast() -> AbstractContextManager[object]:
    stack = ExitStack()
    stack.enter_context(torch.autocast("cpu", dtype=torch.bfloat16))
    stack.enter_context(without_private_product())
    return stack


MODES = {
    "inference mode": torch.inference_mode,
    "no grad": torch.no_grad,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "autocast without oneDNN": autocast,
}


@for_each("mode", MODES.values(), ids=MODES)
@for_each("kind", LOSSES.values(), ids=LOSSES)
def test_a_mode_changes_no_number(kind: type[Loss], mode: type[AbstractContextManager[object]]) -> None:
    z, y = BATCH[0].float(), BATCH[1]
    for loss in sample(settings(kind), 3):
        learnt = {name: tensor.float() for name, tensor in learnt_for(loss, BATCH).items()}
        plain = numbers(loss, z, y, learnt)
        with mode():
            # Copies made within, which in inference mode autograd refuses to record.
            found = numbers(loss, z.clone(), y.clone(), {name: tensor.clone() for name, tensor in learnt.items()})
        for name, wanted in plain.items():
            assert found[name].dtype == torch.float32, name
            torch.testing.assert_close(found[name], wanted, rtol=1e-5, atol=1e-6 * max(1, float(wanted.abs().max())))


def numbers(loss: Loss, z: torch.Tensor, y: torch.Tensor, learnt: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    gradients, weights = loss.gradients(z, y, **learnt), loss.weights(z, y, **learnt)
    tables = {name: table for name in ("pair", "proxy", "rest") if (table := getattr(weights, name)) is not None}
    at_learnt = {f"gradient at {name}": tensor for name, tensor in gradients.learnt.items()}
    value, gradient = loss.value(z, y, **learnt), loss.gradient(z, y, **learnt)
    return {"value": value, "gradient": gradient, "in training": gradients.z, **at_learnt, **tables}


def test_a_net_trains_under_autocast() -> None:
    x = torch.randn(24, 16, generator=torch.Generator().manual_seed(0))
    net, y = torch.nn.Linear(16, 8), torch.arange(24) % 4
    for kind in LOSSES.values():
        loss = kind()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            rows = torch.nn.functional.normalize(net(x).float())
            learnt = loss.initial_tensors(4, 8, torch.Generator().manual_seed(1))
            value = loss.value(rows, y, **{name: learnt[name] for name in loss.learns})
        (gradient,) = torch.autograd.grad(value, rows)
        assert value.dtype == gradient.dtype == torch.float32
        wanted = loss.gradient(rows.detach(), y, **{name: learnt[name] for name in loss.learns})
        torch.testing.assert_close(tangent(gradient, rows.detach()) if loss.unit else gradient, wanted)


@for_each("kind", LOSSES.values(), ids=LOSSES)
def test_a_second_derivative_ends_in_an_error_in_a_net_too(kind: type[Loss]) -> None:
    loss = kind()
    x, w, y = torch.randn(12, 5), torch.randn(5, 4, requires_grad=True), torch.arange(12) // 3
    z = torch.nn.functional.normalize(x @ w)
    learnt = loss.initial_tensors(4, 4, torch.Generator().manual_seed(1))
    value = loss.value(z, y, **{name: learnt[name] for name in loss.learns})
    (gradient,) = torch.autograd.grad(value, w, create_graph=True)
    with pytest.raises(RuntimeError, match="cannot be differentiated again"):
        (value + gradient.pow(2).sum()).backward()


def test_a_value_that_is_kept_after_its_derivative_keeps_no_rows() -> None:
    z = torch.nn.functional.normalize(torch.randn(12, 4, requires_grad=True))
    rows = weakref.ref(z)
    value = LOSSES["triplet"]().value(z, torch.arange(12) // 3)
    value.backward()
    del z
    assert rows() is None
    assert value.requires_grad


@for_each("dtype", [torch.uint16, torch.uint32, torch.uint64, torch.bool, torch.float32])
@for_each("kind", LOSSES.values(), ids=LOSSES)
def test_labels_that_torch_cannot_sort_are_refused(kind: type[Loss], dtype: torch.dtype) -> None:
    loss = kind()
    with pytest.raises(ValueError, match=r"y is .*; pass whole-number labels \(int64\)"):
        loss.value(BATCH[0], BATCH[1].to(dtype), **learnt_for(loss, BATCH))
