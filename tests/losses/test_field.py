from __future__ import annotations

import pytest
import torch

from dml_viz.losses import Gradients
from dml_viz.losses import _pairs as pairs_module
from dml_viz.losses._field import gradients_of
from tests.batches import ALL, Batch, drawn, learnt_for
from tests.losses.test_losses import CORNERS, spelled

EVERY = {spelled(loss): loss for loss in CORNERS}
BATCHES = {name: batch for name, batch in ALL.items() if name != "one dimension"}


def alone(name: str, batch: Batch) -> Gradients:
    return EVERY[name].gradients(*batch, **learnt_for(EVERY[name], batch))


def same(found: Gradients, wanted: Gradients) -> bool:
    learnt = (torch.equal(found.learnt[name], gradient) for name, gradient in wanted.learnt.items())
    return torch.equal(found.value, wanted.value) and torch.equal(found.z, wanted.z) and all(learnt)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "backwards"])
@pytest.mark.parametrize("batch", BATCHES)
def test_together_all_losses_give_what_each_gives_alone(batch: str, dtype: torch.dtype, backwards: bool) -> None:
    z, y = BATCHES[batch][0].to(dtype), BATCHES[batch][1]
    names = sorted(EVERY, reverse=backwards)
    learnt = {name: learnt_for(EVERY[name], (z, y)) for name in names}
    found = gradients_of({name: EVERY[name] for name in names}, z, y, learnt)
    assert list(found) == names
    assert [name for name in names if not same(found[name], alone(name, (z, y)))] == []


def test_distances_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        calls.append(b)
        return real(a, b)

    real = pairs_module.squared_distances
    monkeypatch.setattr(pairs_module, "squared_distances", counted)
    z, y = drawn(12, 4, 3)
    losses = {name: loss for name, loss in EVERY.items() if "proxies" not in loss.learns}
    gradients_of(losses, z, y, {name: learnt_for(loss, (z, y)) for name, loss in losses.items()})
    assert len(calls) == 1


def test_no_graph_is_kept() -> None:
    z, y = drawn(12, 4, 3)
    learnt = {name: learnt_for(loss, (z, y)) for name, loss in EVERY.items()}
    found = gradients_of(EVERY, z.requires_grad_(), y, learnt)
    for gradients in found.values():
        for tensor in (gradients.value, gradients.z, *gradients.learnt.values()):
            assert not tensor.requires_grad
