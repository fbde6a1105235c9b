"""The claims of FastAP's page."""

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.scene import preset_embeddings
from dml_viz.embedding.sphere import normalise
from dml_viz.losses import fastap
from dml_viz.losses.fastap import FastAP
from tests.batches import EDGES, Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def degrees_at(d2: float) -> float:
    """The angle between two points at squared distance ``d2``."""
    return float(torch.tensor(1 - d2 / 2, dtype=torch.float64).acos().rad2deg())


def loss_and_gradient(bins: int, negative: float) -> tuple[float, bool]:
    """The loss of one positive at squared distance 0.2 and one negative at ``negative``, and whether it has a gradient."""
    z = on_circle(0, degrees_at(0.2), -degrees_at(negative), -degrees_at(negative) - 1e-3)
    found = FastAP(bins=bins).gradients(z, labels(0, 0, 1, 1))
    return float(found.value), bool(found.z.abs().max() > 1e-14)


@pytest.mark.parametrize("bins", [4, 10, 40])
def test_gradient_vanishes_two_bins_past_the_last_positive(bins: int) -> None:
    width = 4 / bins
    assert loss_and_gradient(bins, 0.2 + 2 * width) == (0, False)
    assert loss_and_gradient(bins, 0.2 + 0.5 * width)[0] > 0


@pytest.mark.parametrize("bins", [4, 10, 100])
def test_points_at_one_place_have_the_share_of_negatives_as_loss_and_no_gradient(bins: int) -> None:
    collapsed = preset_embeddings("collapsed")
    found = FastAP(bins=bins).gradients(collapsed.z, collapsed.y)
    assert float(found.value) == pytest.approx(1 - 3 / 11, abs=1e-14)
    assert float(found.z.abs().max()) < 1e-14


def test_the_score_nears_average_precision_from_below_as_bins_grow() -> None:
    generator = torch.Generator().manual_seed(3)
    y = torch.arange(64) // 8
    centres = torch.randn(8, 8, dtype=torch.float64, generator=generator)
    z = normalise(centres[y] + 0.8 * torch.randn(64, 8, dtype=torch.float64, generator=generator))
    exact = float(retrieval(z, y).map)
    scores = [1 - float(FastAP(bins=bins).value(z, y)) for bins in (5, 10, 20, 50, 100, 1000)]
    assert scores == sorted(scores)
    assert scores[-1] < exact < scores[-1] + 0.02
    assert scores[0] < exact - 0.2


def test_where_no_query_has_a_positive_the_loss_is_zero() -> None:
    for dim in (3, 8):
        z, _ = drawn(300, dim, 1)
        found = FastAP(bins=10).gradients(z.float(), torch.arange(300))
        assert float(found.value) == 0
        assert not found.z.any()


@pytest.mark.parametrize("dim", [3, 8])
def test_a_batch_too_large_for_one_table_has_the_same_gradient(dim: int, monkeypatch: pytest.MonkeyPatch) -> None:
    z, y = drawn(40, dim, 5)
    table = FastAP(bins=10).gradients(z, y)
    monkeypatch.setattr(fastap, "SHARED_UP_TO", 0)
    tiles = FastAP(bins=10).gradients(z, y)
    torch.testing.assert_close((tiles.value, tiles.z), (table.value, table.z), rtol=0, atol=1e-13)


def test_batches_of_thousands_keep_counts_and_fractions_apart() -> None:
    n, bins = 3000, 100
    generator = torch.Generator().manual_seed(5)
    z, y = normalise(torch.randn(n, 6, generator=generator)), torch.arange(n) % 3
    near, exact = (FastAP(bins=bins).gradients(x, y) for x in (z, normalise(z.double())))
    assert float(near.value) == pytest.approx(float(exact.value), abs=1e-6)
    assert (near.z - exact.z).norm() <= 1e-3 * exact.z.norm()


@any_batch
@for_each("bins", [4, 10, 50])
def test_pytorch_metric_learning_agrees(batch: Batch, bins: int) -> None:
    agree(FastAP(bins=bins), batch, losses.FastAPLoss(num_bins=bins))


@for_each("name", EDGES)
def test_pytorch_metric_learning_agrees_at_the_edges(name: str) -> None:
    z, y = EDGES[name]
    theirs = losses.FastAPLoss(num_bins=10)(z.clone().requires_grad_(), y)
    assert float(FastAP(bins=10).value(z, y)) == pytest.approx(float(theirs.detach()), abs=1e-6)
