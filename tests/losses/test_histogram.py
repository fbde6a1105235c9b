"""The claims of the histogram loss's page."""

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Pairs
from dml_viz.losses.histogram import Histogram
from tests.batches import drawn, labels, on_circle
from tests.losses.agreement import BATCHES, agree
from tests.samples import for_each

# The library indexes with a list of lists; torch warns about that.
of_the_library = pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")


def test_the_loss_tends_to_the_chance_that_a_negative_is_more_similar() -> None:
    z, y = drawn(40, 6, 4, seed=3)
    pairs = Pairs(z, y)
    chance = (pairs.s[pairs.negative][:, None] >= pairs.s[pairs.positive]).double().mean()
    # A pair of similarities in one interval counts half, more or less.
    errors = [abs(float(Histogram(bins=bins).value(z, y) - chance)) for bins in (10, 100, 1000)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.002


def test_histograms_that_share_no_node_are_not_moved() -> None:
    z, y = on_circle(0, 10, 60, 70), labels(0, 0, 1, 1)
    found = Histogram(bins=20).gradients(z, y)
    assert float(found.value) == 0
    assert not found.z.any()
    assert float(Histogram(bins=1).value(z, y)) > 0.5


@pytest.mark.parametrize(("degrees", "moved"), [(80.0, True), (40.0, False)])
def test_the_gradient_of_a_pair_depends_only_on_pairs_of_the_other_kind_next_to_its_node(degrees: float, moved: bool) -> None:
    # The negatives are far more similar than the positive pair; it is pulled only if a negative is at its node.
    z, y = on_circle(0, 80, degrees), labels(0, 0, 1)
    found = Histogram(bins=100).weights(z, y).pair
    assert found is not None
    assert float(Histogram(bins=100).value(z, y)) >= 0.4
    assert bool(found[0, 1] < 0) is moved


def test_a_pair_at_a_node_has_the_derivative_towards_less_similarity() -> None:
    y, bins = labels(0, 0, 1), 4
    at = torch.tensor([[0.0, 2.0, 2.5], [2.0, 0.0, 4.0], [2.5, 4.0, 0.0]], dtype=torch.float64)
    pairs, step = Pairs(torch.empty(3, 1, dtype=torch.float64), y), 1e-6
    value, weights = Histogram(bins=bins).value_and_weights(pairs.at(at))
    less = at.clone()
    less[0, 1] += step
    slope = (Histogram(bins=bins).value_and_weights(pairs.at(less))[0] - value) / step
    assert float(weights[0, 1]) == pytest.approx(-2 * float(slope), rel=1e-6)
    assert weights[0, 1] < 0


def test_without_positive_or_without_negative_pairs_the_loss_is_zero() -> None:
    z, _ = drawn(6, 4, 1)
    for y in (torch.zeros(6, dtype=torch.int64), torch.arange(6)):
        found = Histogram().gradients(z, y)
        assert float(found.value) == 0
        assert not found.z.any()


def test_millions_of_pairs_keep_their_fractions_in_float32() -> None:
    z = normalise(torch.randn(2000, 6, generator=torch.Generator().manual_seed(5)))
    y = torch.arange(2000) % 3
    near, exact = (Histogram().gradients(x, y) for x in (z, normalise(z.double())))
    assert float(near.value) == pytest.approx(float(exact.value), abs=1e-6)
    assert (near.z - exact.z).norm() <= 2e-3 * exact.z.norm()


@of_the_library
@for_each("name", [name for name in BATCHES if name != "a cluster"])
@for_each("bins", [8, 64, 128])
def test_pytorch_metric_learning_agrees(name: str, bins: int) -> None:
    # The library computes the bin of a pair in float32, which is exact if the width is a power of two.
    agree(Histogram(bins=bins), BATCHES[name], losses.HistogramLoss(n_bins=bins))


@of_the_library
def test_pytorch_metric_learning_fails_on_points_that_are_equal_to_float32() -> None:
    with pytest.raises(RuntimeError, match="index 101 is out of bounds"):
        losses.HistogramLoss(n_bins=100)(*BATCHES["a cluster"])
    assert float(Histogram(bins=100).value(*BATCHES["a cluster"])) > 0


@of_the_library
def test_pytorch_metric_learning_leaves_out_negatives_of_two_singletons() -> None:
    z, y = on_circle(0, 50, 120, 130), labels(0, 0, 1, 2)
    theirs = float(losses.HistogramLoss(n_bins=10)(z.clone().requires_grad_(), y).detach())
    negatives_with_the_pair = float(Histogram(bins=10).value(z, y))
    assert abs(theirs - negatives_with_the_pair) > 0.05
