"""Captured calls: what a CUDA graph does, done on the CPU by running a call's operations again on the same memory.

The tape refuses what a capture refuses: values read by the host, and constants from the host.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.datasets.icons import Icons
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.losses import LOSSES, Layout, Loss, layout_of, triplet
from dml_viz.training import captured
from dml_viz.training.captured import PLAIN, Captured, cuda_graph
from dml_viz.training.loop import Run, begin
from dml_viz.training.nets.conv import Conv
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.step import Learner
from tests.losses.test_losses import spelled
from tests.losses.test_memory import switched
from tests.samples import sample
from tests.training.test_devices import in_closed_form

REFUSED = {torch.ops.aten._local_scalar_dense.default: "reads a value", torch.ops.aten.lift_fresh.default: "copies"}
CPU = torch.device("cpu")
RUN = Run(Digits(), dim=3, net=MLP(16, 2), sampler=PByK(4, 4), lr=0.003, steps=40, every=10, device="cpu")


def lies(value: object) -> int:
    """The address of a tensor's memory."""
    return value.untyped_storage().data_ptr() if isinstance(value, Tensor) else 0


class Tape(TorchDispatchMode):
    """The operations of a call, which can run again; `undo` restores the memory that they overwrote."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, tuple[Any, ...], Mapping[str, Any], Any]] = []
        self.before: list[tuple[Tensor, Tensor]] = []
        self.own: set[int] = set()  # addresses of the memory made by the call itself

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in REFUSED:
            raise RuntimeError(f"{func} {REFUSED[func]}")
        given = {place.name: value for place, value in zip(func._schema.arguments, args, strict=False)} | kwargs
        for place in func._schema.arguments:
            if place.alias_info is not None and place.alias_info.is_write:
                written = (tensor for tensor in tree_leaves(given.get(place.name)) if lies(tensor) not in self.own)
                self.before += [(tensor, tensor.clone()) for tensor in written]
        out = func(*args, **kwargs)
        self.calls.append((func, args, kwargs, out))
        before = set(map(lies, tree_leaves((args, kwargs))))
        self.own |= {lies(tensor) for tensor in tree_leaves(out) if lies(tensor) not in before}
        return out

    def undo(self) -> None:
        for tensor, values in reversed(self.before):
            tensor.copy_(values)

    def run_again(self) -> None:
        for func, args, kwargs, out in self.calls:
            for old, new in zip(tree_leaves(out), tree_leaves(func(*args, **kwargs)), strict=True):
                if isinstance(old, Tensor) and old.data_ptr() != new.data_ptr():
                    old.copy_(new.view(old.shape))  # which may have been squeezed in place since


@pytest.fixture(autouse=True)
def launches(monkeypatch: pytest.MonkeyPatch) -> list[Tape]:
    """The tapes run again, one entry for each time; captures on the CPU take the branches of a GPU."""
    run: list[Tape] = []

    def tape(call: Callable[[], Any]) -> tuple[Any, Callable[[], None]]:
        taped = Tape()
        try:
            with taped:
                result = call()
        finally:
            with torch.no_grad():
                taped.undo()

        def launch() -> None:
            run.append(taped)
            with torch.no_grad():
                taped.run_again()

        return result, launch

    monkeypatch.setitem(captured.CAPTURES, "cpu", tape)
    monkeypatch.setattr(triplet, "_on_host", lambda table: False)
    return run


@pytest.mark.parametrize("loss", sample((loss for loss in switched() if in_closed_form(loss)), 24), ids=spelled)
def test_every_form_of_a_loss_can_be_captured(loss: Loss, launches: list[Tape]) -> None:
    generator, y = torch.Generator().manual_seed(0), torch.arange(12) // 3
    learnt, layout = loss.initial_tensors(5, 4, generator), layout_of(y, CPU)

    def gradients(layout: Layout, z: Tensor, y: Tensor) -> list[Tensor]:
        found = loss.gradients(z, y, layout, **learnt)
        return [found.value, found.z, *found.learnt.values()]

    of_capture = Captured(gradients, CPU)
    for _ in range(PLAIN + 2):
        z = torch.nn.functional.normalize(torch.randn(12, 4, generator=generator))
        for found, plain in zip(of_capture(layout, z, y), gradients(layout, z, y), strict=True):
            assert torch.equal(found, plain)
    assert len(launches) == 2


STEPS = [
    *(replace(RUN, loss=kind()) for kind in LOSSES.values() if in_closed_form(kind())),
    *(replace(RUN, net=Conv(4)), replace(RUN, dataset=Icons()), replace(RUN, chunk=16, sampler=PByK(10, 4))),
]


@pytest.mark.parametrize(
    "run",
    [*sample(STEPS[:-3], 8), *STEPS[-3:]],
    ids=lambda run: f"{spelled(run.loss)}, {run.net.title}, {run.dataset.title}, {run.chunk}",
)
def test_captured_steps_are_the_plain_ones(run: Run, launches: list[Tape], monkeypatch: pytest.MonkeyPatch) -> None:
    state = begin(run)
    of_capture = Learner(run, state)
    for _ in range(2 * PLAIN + 2):  # the update, whose gradients are captured ones, is captured PLAIN steps later
        of_capture.train()
    assert len(set(map(id, launches))) == 2
    monkeypatch.delitem(captured.CAPTURES, "cpu")
    plain = Learner(run, state)
    for _ in range(2 * PLAIN + 2):
        plain.train()
    assert torch.equal(of_capture.weights, plain.weights)
    assert of_capture.check_finite()


def test_a_step_that_breaks_is_found_in_a_captured_run() -> None:
    learner = Learner(replace(RUN, lr=1.0), begin(RUN))
    for _ in range(3 * PLAIN):
        learner.train()
    with torch.no_grad():
        learner.weights.fill_(torch.nan)
    learner.train()
    learner.train()
    assert not learner.check_finite()
    assert (learner.step, "not finite" in learner.failed) == (3 * PLAIN, True)


def test_a_call_that_reads_a_value_runs_as_it_is(launches: list[Tape]) -> None:
    read = Captured(lambda key, z: z * z.sum().item(), CPU)
    for step in range(PLAIN + 3):
        assert read(None, torch.full((2,), float(step))).tolist() == [2 * step**2] * 2
    assert not launches


def test_another_key_or_shape_is_another_capture(launches: list[Tape]) -> None:
    twice = Captured(lambda key, z: z * key[0], CPU)
    for key, rows in (((2.0,), 3), ((3.0,), 3), ((3.0,), 4)):
        for _ in range(PLAIN + 1):
            assert torch.equal(twice(key, torch.ones(rows)), torch.full((rows,), key[0]))
    assert len(launches) == 3


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_captured_steps_are_the_plain_ones_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for run in STEPS:
        weights = []
        for captures in ({"cuda": cuda_graph}, {}):
            monkeypatch.setattr(captured, "CAPTURES", captures)
            learner = Learner(replace(run, device="cuda"), begin(run))
            for _ in range(4 * PLAIN):
                learner.train()
            weights.append(learner.weights.detach())
        torch.testing.assert_close(*weights)
