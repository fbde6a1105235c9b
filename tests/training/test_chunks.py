"""A step in chunks is the step of the whole batch, for every loss."""

from dataclasses import replace

import pytest
import torch

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.losses import KNOWN, Loss
from dml_viz.training.loop import advance, begin
from dml_viz.training.nets._base import Net
from dml_viz.training.nets.conv import Conv
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.run import AT_ONCE, Run
from dml_viz.training.state import start
from dml_viz.training.step import Backward, Learner
from tests.samples import for_each, pairs_of

RUN = Run(Digits(), net=MLP(8, 1), dim=3, sampler=PByK(4, 6), device="cpu")


def step(run: Run) -> tuple[Backward, torch.Tensor]:
    learner = Learner(run, start(run), exact=True)
    return learner.backward(), learner.gradient.clone()


@for_each(("loss", "net"), pairs_of([kind() for kind in KNOWN.values()], [MLP(8, 1), Conv(4)]))
def test_chunks_give_the_gradient_of_the_whole(loss: Loss, net: Net) -> None:
    run = replace(RUN, loss=loss, net=net)
    whole, weights = step(run)
    for chunk in (1, 7):
        found, in_chunks = step(_chunked(run, chunk))
        assert float(found.gradients.value) == pytest.approx(float(whole.gradients.value), rel=1e-9)
        scale = float(weights.abs().max())
        torch.testing.assert_close(in_chunks, weights, rtol=0, atol=1e-6 * scale)
        for name, gradient in whole.gradients.learnt.items():
            torch.testing.assert_close(found.gradients.learnt[name], gradient, rtol=1e-6, atol=1e-12)


def _chunked(run: Run, chunk: int) -> Run:
    """The run with any size of chunk, not only those of the control."""
    chunked = replace(run)
    object.__setattr__(chunked, "chunk", chunk)
    return chunked


def test_a_chunked_run_trains_alike_and_is_sliced_like_any() -> None:
    whole, chunked = replace(RUN, steps=20), replace(RUN, steps=20, chunk=16)
    trained, _ = advance(whole, begin(whole), 20)
    in_chunks, _ = advance(chunked, begin(chunked), 20)
    assert abs(trained.weights.value - in_chunks.weights.value).max() < 1e-3
    once, _ = advance(chunked, begin(chunked), 9)
    again, _ = advance(chunked, once, 11)
    assert (again.weights.value == in_chunks.weights.value).all()


def test_a_batch_above_a_thousand_goes_through_the_net_in_chunks_unasked() -> None:
    assert RUN.images_per_pass(AT_ONCE) == AT_ONCE
    assert RUN.images_per_pass(8192) == 256
    assert replace(RUN, chunk=64).images_per_pass(8192) == 64
