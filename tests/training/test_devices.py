"""A run's steps stay on their device: on torch's meta device, which has no values, nothing is read and no tensor is elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.datasets.icons import Icons
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.losses import LOSSES, Loss, layout_of
from dml_viz.training import step
from dml_viz.training.loop import Run, begin
from dml_viz.training.nets.conv import Conv
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.step import Learner
from tests.losses.test_losses import spelled
from tests.losses.test_memory import switched
from tests.samples import for_each, pairs_of, sample

META = torch.device("meta")
RUN = Run(Digits(), dim=3, net=MLP(16, 2), sampler=PByK(4, 4), lr=0.003, steps=40, every=10, device="cpu")


def in_closed_form(loss: Loss) -> bool:
    """Whether the loss has a closed form; its plain form may choose pairs by their values."""
    return type(loss).value_and_weights is not Loss.value_and_weights or type(loss).evaluate is not Loss.evaluate


@for_each(("loss", "dim"), pairs_of((loss for loss in switched() if in_closed_form(loss)), (3, 8)))
def test_every_form_of_a_loss_reads_no_value_and_stays_on_its_device(loss: Loss, dim: int) -> None:
    z, y = torch.empty(12, dim, device=META), torch.arange(12) // 3
    learnt = {name: tensor.to(META) for name, tensor in loss.initial_tensors(5, dim, torch.Generator()).items()}
    found = loss.gradients(z, y.to(META), layout_of(y, META), **learnt)
    assert {tensor.device for tensor in (found.value, found.z, *found.learnt.values())} == {META}
    assert found.z.shape == z.shape


STEPS = [
    *(replace(RUN, loss=kind()) for kind in LOSSES.values() if in_closed_form(kind())),
    *(replace(RUN, net=Conv(4)), replace(RUN, dataset=Icons())),
]


@pytest.mark.parametrize(
    "run", [*sample(STEPS[:-2], 10), *STEPS[-2:]], ids=lambda run: f"{spelled(run.loss)}, {run.net.title}, {run.dataset.title}"
)
def test_a_whole_step_reads_no_value(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    state = begin(run)
    monkeypatch.setattr(step, "device_named", lambda name: META)
    learner = Learner(run, state)
    for _ in range(3):
        learner.train()
    assert (learner.step, learner.weights.device) == (3, META)
    with pytest.raises(RuntimeError, match="meta"):
        learner.check_finite()


class Read(TorchDispatchMode):
    """Counts values read by the host meanwhile."""

    count = 0

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        self.count += func is torch.ops.aten._local_scalar_dense.default
        return func(*args, **(kwargs or {}))


def test_values_of_a_run_are_read_once_per_frame() -> None:
    learner = Learner(RUN, begin(RUN))
    learner.train()  # reads labels on the host, once for all batches of the same structure
    with Read() as between_frames:
        for _ in range(5):
            learner.train()
    assert between_frames.count == 0
    with Read() as whether_all_was_finite:
        learner.check_finite()
    assert whether_all_was_finite.count == 1
