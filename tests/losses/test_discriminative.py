"""The claims of the discriminative loss's page; pytorch-metric-learning has no such loss."""

import math

import pytest
import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.discriminative import Discriminative
from tests.batches import drawn, labels, on_circle
from tests.samples import for_each


def triplet_sum(z: Tensor, y: Tensor) -> float:
    """The sum of d_ap - d_an over all triplets, one by one."""
    d = torch.linalg.vector_norm(z[:, None] - z, dim=2)
    own = y[:, None] == y
    return sum(float((d[a, p] - d[a][~own[a]]).sum()) for a in range(len(y)) for p in own[a].nonzero()[:, 0].tolist() if p != a)


def bound(z: Tensor, y: Tensor, centroids: Tensor) -> float:
    """The factor G = 3 (C - 1) (n - 1) n times the sum over samples, for n samples of each of C classes."""
    classes = len(centroids)
    n = len(y) // classes
    return 3 * (classes - 1) * (n - 1) * n * len(y) * float(Discriminative().value(z, y, proxies=centroids))


def spread(classes: int, dim: int, seed: int = 1) -> Tensor:
    return Discriminative().initial_tensors(classes, dim, torch.Generator().manual_seed(seed))["proxies"]


def test_its_sum_times_the_factor_bounds_the_sum_over_all_triplets_whatever_the_centroids() -> None:
    for seed in range(40):
        classes, n, dim = 2 + seed % 4, 2 + seed % 3, 2 + seed % 5
        z, _ = drawn(classes * n, dim, 1, seed=seed)
        y = torch.arange(classes * n) % classes
        means = torch.stack([z[y == c].mean(0) for c in range(classes)])
        anywhere = normalise(torch.randn(classes, dim, dtype=z.dtype, generator=torch.Generator().manual_seed(seed)))
        for centroids in (normalise(means), anywhere, spread(classes, dim).double()):
            assert triplet_sum(z, y) <= bound(z, y, centroids)


def test_the_bound_is_reached_where_samples_lie_on_their_centroids() -> None:
    y = torch.arange(12) % 4
    corners = torch.eye(4, dtype=torch.float64)
    assert bound(corners[y], y, corners) == pytest.approx(triplet_sum(corners[y], y), rel=1e-12)
    assert triplet_sum(corners[y], y) == pytest.approx(-216 * math.sqrt(2), rel=1e-12)  # -305.4701
    for seed in range(5):  # wherever the centroids are
        anywhere = normalise(torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)))
        assert bound(anywhere[y], y, anywhere) == pytest.approx(triplet_sum(anywhere[y], y), rel=1e-12)


def test_the_value_is_the_mean_over_samples() -> None:
    proxies = on_circle(0, 180, 90)
    value = Discriminative().value(on_circle(60, 180), labels(0, 1), proxies=proxies)
    first = 1 - (math.sqrt(3) + 2 * math.sin(math.radians(15))) / (3 * 2)
    second = 0 - (2 + math.sqrt(2)) / (3 * 2)
    assert float(value) == pytest.approx((first + second) / 2, rel=1e-12)


def test_the_centroids_stay_where_they_are_unless_they_learn() -> None:
    z, y = drawn(12, 3, 4)
    given = spread(4, 3).double()
    for learn in (False, True):
        proxies = given.clone().requires_grad_()
        optimiser = torch.optim.Adam([proxies], lr=0.1)
        Discriminative(learn_centroids=learn).value(z, y, proxies=proxies).backward()
        optimiser.step()
        assert torch.equal(proxies.detach(), given) != learn


def test_with_a_dimension_per_class_the_centroids_are_one_hot() -> None:
    assert torch.equal(spread(3, 5), torch.eye(3, 5))
    assert torch.equal(spread(3, 3), torch.eye(3))


@for_each(("classes", "dim", "degrees"), [(3, 2, 120), (5, 2, 72), (10, 2, 36), (4, 3, 109.47), (6, 3, 90), (12, 3, 63.43)])
def test_with_fewer_dimensions_they_are_spread_as_far_as_can_be(classes: int, dim: int, degrees: float) -> None:
    rows = spread(classes, dim)
    torch.testing.assert_close(rows.norm(dim=1), torch.ones(classes))
    nearest = (rows @ rows.T).fill_diagonal_(-1).max()
    assert math.degrees(math.acos(float(nearest))) == pytest.approx(degrees, abs=0.5)


def test_without_a_second_class_only_the_pull_is_left() -> None:
    found = Discriminative().gradients(on_circle(60, 0), labels(0, 0), proxies=on_circle(0))
    assert float(found.value) == pytest.approx(0.5, rel=1e-12)
    assert float(found.z[0].norm()) == pytest.approx(math.cos(math.radians(30)) / 2, rel=1e-12)
    assert not found.z[1].any(), "a sample on its centroid is at rest"
