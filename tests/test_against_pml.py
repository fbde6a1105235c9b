"""pytorch-metric-learning gives the same values and gradients, where it means the same loss."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from pytorch_metric_learning import distances, losses, miners, reducers
from torch import Tensor

from dml_viz.loss import Loss
from dml_viz.losses.fastap import FastAP
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.triplet import Triplet
from dml_viz.sphere import tangent
from tests.batches import EDGES, ORDINARY, Batch, drawn

BATCHES = {**ORDINARY, "a larger one": drawn(48, 16, 6, seed=31)}
any_batch = pytest.mark.parametrize("batch", list(BATCHES.values()), ids=list(BATCHES))


def agree(loss: Loss, batch: Batch, theirs: Callable[[Tensor, Tensor], Tensor]) -> None:
    z, y = batch
    points = z.clone().requires_grad_()
    value = theirs(points, y)
    found = loss.gradients(z, y)
    assert float(found.value) == pytest.approx(float(value.detach()), rel=1e-6, abs=1e-9)
    (gradient,) = torch.autograd.grad(value, points)
    torch.testing.assert_close(found.z, tangent(gradient, z), rtol=0, atol=1e-6)


@any_batch
@pytest.mark.parametrize("bins", [4, 10, 50])
def test_fastap(batch: Batch, bins: int) -> None:
    agree(FastAP(bins=bins), batch, losses.FastAPLoss(num_bins=bins))


@pytest.mark.parametrize("name", EDGES)
def test_fastap_at_the_edges(name: str) -> None:
    z, y = EDGES[name]
    theirs = losses.FastAPLoss(num_bins=10)(z.clone().requires_grad_(), y)
    assert float(FastAP(bins=10).value(z, y)) == pytest.approx(float(theirs.detach()), abs=1e-6)


@any_batch
@pytest.mark.parametrize("squared", [False, True], ids=["distances", "squared distances"])
@pytest.mark.parametrize("reduction", ["all", "nonzero"])
@pytest.mark.parametrize("mining", ["all", "semi-hard", "batch-hard"])
def test_triplet(batch: Batch, mining: str, reduction: str, squared: bool) -> None:
    # PML's margin loss takes its triplets from a miner; its distance is squared by a power of 2.
    distance = distances.LpDistance(p=2, power=2 if squared else 1, normalize_embeddings=True)
    reducer = reducers.MeanReducer() if reduction == "all" else reducers.AvgNonZeroReducer()
    theirs = losses.TripletMarginLoss(margin=0.3, swap=False, distance=distance, reducer=reducer)
    miner = {
        "all": None,
        "semi-hard": miners.TripletMarginMiner(margin=0.3, type_of_triplets="semihard", distance=distance),
        "batch-hard": miners.BatchHardMiner(distance=distance),
    }[mining]

    def value(z: Tensor, y: Tensor) -> Tensor:
        return theirs(z, y, miner(z, y)) if miner else theirs(z, y)

    agree(Triplet(margin=0.3, mining=mining, squared=squared, reduction=reduction), batch, value)


@any_batch
@pytest.mark.parametrize(("alpha", "delta"), [(32.0, 0.1), (4.0, 0.0), (64.0, 0.5)])
def test_proxy_anchor(batch: Batch, alpha: float, delta: float) -> None:
    z, y = batch
    classes = int(y.max()) + 2
    theirs = losses.ProxyAnchorLoss(classes, z.shape[1], margin=delta, alpha=alpha)
    ours = ProxyAnchor(alpha=alpha, delta=delta)
    proxies = ours.init(classes, z.shape[1], torch.Generator().manual_seed(1))["proxies"].double()
    theirs.proxies = torch.nn.Parameter(proxies.clone())
    points = z.clone().requires_grad_()
    value = theirs(points, y)
    value.backward()
    found = ours.gradients(z, y, proxies=proxies)
    assert points.grad is not None
    assert theirs.proxies.grad is not None
    assert float(found.value) == pytest.approx(float(value.detach()), rel=1e-6)
    torch.testing.assert_close(found.z, tangent(points.grad, z), rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(found.learnt["proxies"], theirs.proxies.grad, rtol=1e-6, atol=1e-6)
