import math

import pytest
import torch

from dml_viz.embedding import matmul
from dml_viz.embedding.matmul import inner_products
from dml_viz.embedding.sphere import normalise, pair_gradient, root, squared_chords, tangent
from tests.batches import drawn, on_circle, tight
from tests.samples import for_each

DIMS = (1, 2, 3, 4, 64)


@pytest.mark.parametrize("dim", DIMS)
def test_squared_distances_are_sums_of_squared_differences(dim: int) -> None:
    (a, _), (b, _) = drawn(7, dim, 2, seed=1), drawn(5, dim, 2, seed=2)
    wanted = (a[:, None] - b).square().sum(2)
    torch.testing.assert_close(squared_chords(a, b), wanted, rtol=0, atol=1e-14)


@for_each("dtype", [torch.float32, torch.float64], ids=str)
@for_each("dim", DIMS)
def test_a_point_is_at_distance_zero_from_itself_and_two_from_its_antipode(dim: int, dtype: torch.dtype) -> None:
    z = normalise(drawn(50, dim, 2)[0].to(dtype))
    d2 = squared_chords(z, torch.cat((z, -z)))
    assert not d2[:, :50].diagonal().any()
    assert d2.max() <= 4
    torch.testing.assert_close(d2[:, 50:].diagonal(), torch.full_like(d2[:, 0], 4), rtol=0, atol=2e-6)


@pytest.mark.parametrize("dim", [2, 3])
def test_near_points_keep_their_digits_in_float32_up_to_three_dimensions(dim: int) -> None:
    z = tight(20, dim, 1e-3)[0].float()
    exact = (z.double()[:, None] - z.double()).square().sum(2)
    torch.testing.assert_close(squared_chords(z, z).double(), exact, rtol=1e-5, atol=0)


@pytest.mark.parametrize("dim", DIMS)
def test_distances_pass_gradcheck(dim: int) -> None:
    z = drawn(4, dim, 2, seed=3)[0].requires_grad_()
    others = drawn(3, dim, 2, seed=4)[0].requires_grad_()
    if dim > 1:
        assert torch.autograd.gradcheck(squared_chords, (z, others), atol=1e-6)


def test_a_root_has_derivative_zero_at_zero() -> None:
    d2 = torch.tensor([0.0, 4.0], dtype=torch.float64, requires_grad=True)
    root(d2).sum().backward()
    assert root(d2).tolist() == [0, 2]
    assert d2.grad is not None
    assert d2.grad.tolist() == [0, 0.25]


def test_a_tangent_is_at_right_angles_and_keeps_what_already_was() -> None:
    z, _ = drawn(6, 4, 2)
    g = torch.randn(6, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    once = tangent(g, z)
    torch.testing.assert_close((once * z).sum(1), torch.zeros(6, dtype=z.dtype), rtol=0, atol=1e-15)
    torch.testing.assert_close(tangent(once, z), once, rtol=0, atol=1e-15)
    torch.testing.assert_close(tangent(g + 5 * z, z), once, rtol=0, atol=1e-14)


def test_rows_are_normalised_and_zero_stays_zero() -> None:
    x = torch.tensor([[3.0, 4.0], [0.0, 0.0], [-1e-3, 0.0]])
    torch.testing.assert_close(normalise(x), torch.tensor([[0.6, 0.8], [0.0, 0.0], [-1.0, 0.0]]))


@pytest.mark.parametrize("dim", DIMS)
def test_a_pull_is_weights_times_points_but_for_its_radial_part(dim: int) -> None:
    (z, _), (to, _) = drawn(6, dim, 2, seed=5), drawn(4, dim, 2, seed=6)
    weights = torch.randn(6, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(tangent(pair_gradient(weights, to, z), z), tangent(weights @ to, z), rtol=0, atol=1e-14)


@pytest.mark.parametrize("dim", DIMS)
def test_a_pull_is_the_derivative_of_squared_distances(dim: int) -> None:
    z = drawn(6, dim, 2, seed=7)[0].requires_grad_()
    to = drawn(4, dim, 2, seed=8)[0]
    weights = torch.randn(6, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    (wanted,) = torch.autograd.grad((-weights / 2 * squared_chords(z, to)).sum(), z)
    if dim > 1:
        torch.testing.assert_close(pair_gradient(weights, to, z.detach()), wanted, rtol=0, atol=1e-14)


def test_opposite_pulls_of_near_points_do_not_cancel_in_the_last_digits() -> None:
    z = on_circle(90, 90.01, 90.02).float()
    weights = torch.tensor([[0.0, 1e4, -1e4], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    found = tangent(pair_gradient(weights, z, z), z)[0].double()
    exact = tangent(pair_gradient(weights.double(), z.double(), z.double()), z.double())[0]
    assert (found - exact).norm() <= 1e-5 * exact.norm()
    assert exact.norm() == pytest.approx(1e4 * math.radians(0.01), rel=1e-2)


LAYOUTS = {
    "rows": lambda a: a,
    "every second row": lambda a: a.repeat_interleave(2, 0)[::2],
    "transposed": lambda a: a.T.contiguous().T,
    "part of wider rows": lambda a: torch.cat((a, a), 1)[:, : a.shape[1]],
    "part of a transposed": lambda a: torch.cat((a, a)).T.contiguous().T[: len(a)],
}


@for_each("second", LAYOUTS)
@for_each("first", LAYOUTS)
@for_each("dtype", [torch.float32, torch.float64], ids=str)
def test_a_product_is_a_product_however_its_factors_lie(first: str, second: str, dtype: torch.dtype) -> None:
    (a, _), (b, _) = drawn(9, 6, 2, seed=1), drawn(7, 6, 2, seed=2)
    found = inner_products(LAYOUTS[first](a.to(dtype)), LAYOUTS[second](b.to(dtype)))
    torch.testing.assert_close(found.double(), a @ b.T, rtol=0, atol=1e-6 if dtype == torch.float32 else 1e-15)


def test_a_product_can_be_differentiated() -> None:
    a = drawn(3, 4, 2)[0].float().requires_grad_()
    inner_products(a, torch.ones(2, 4)).sum().backward()
    assert a.grad is not None
    torch.testing.assert_close(a.grad, torch.full((3, 4), 2.0))


def test_a_product_needs_no_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    a = drawn(9, 6, 2)[0].float()
    with_it = inner_products(a, a)
    monkeypatch.setattr(matmul, "_ONEDNN", None)
    torch.testing.assert_close(inner_products(a, a), with_it)
