"""The neighbour map: its affinities, its gradient, its grid, and what it keeps of a run."""

from itertools import pairwise

import numpy as np
import pytest

from dml_viz.embedding.neighbour_map import affinities, first_places, gradient, neighbour_maps, settled

ROWS = np.random.default_rng(0).normal(size=(24, 5))


def test_every_point_has_the_perplexity_and_affinities_are_symmetric_and_sum_to_one() -> None:
    p = affinities(ROWS, 4)
    assert p.sum() == pytest.approx(1)
    np.testing.assert_array_equal(p, p.T)
    # The shares of one point's neighbours, from the distances alone: at the right precision their entropy is that of 4 points.
    squares = ((ROWS[:, None] - ROWS[None]) ** 2).sum(2)
    expected = np.zeros_like(squares)
    np.fill_diagonal(squares, np.inf)
    for i, row in enumerate(squares):
        low, high = 0.0, 1e6
        for _ in range(200):
            shares = np.exp(-(row - row.min()) * (low + high) / 2)
            shares /= shares.sum()
            entropy = -sum(share * np.log(share) for share in shares if share > 0)
            low, high = ((low + high) / 2, high) if entropy > np.log(4) else (low, (low + high) / 2)
        expected[i] = shares
    np.testing.assert_allclose(p, (expected + expected.T) / (2 * len(ROWS)), atol=1e-9)


def test_the_gradient_is_that_of_the_divergence_of_the_two_affinities() -> None:
    p, places = affinities(ROWS, 4), first_places(ROWS) * 100

    def divergence(at: np.ndarray) -> float:
        near = 1 / (1 + ((at[:, None] - at[None]) ** 2).sum(2))
        np.fill_diagonal(near, 0)
        q = near / near.sum()
        return sum(p[i, j] * np.log(p[i, j] / q[i, j]) for i in range(len(p)) for j in range(len(p)) if i != j)

    got = gradient(p, places)
    for i, k in ((0, 0), (7, 1), (23, 0)):
        there, back = places.copy(), places.copy()
        there[i, k] += 1e-5
        back[i, k] -= 1e-5
        assert got[i, k] == pytest.approx((divergence(there) - divergence(back)) / 2e-5, rel=1e-5, abs=1e-9)


def test_places_are_on_their_grid_and_another_order_of_the_points_gives_the_same() -> None:
    p, start = affinities(ROWS, 4), first_places(ROWS)
    places, other = settled(p, start, 300), np.random.default_rng(1).permutation(len(ROWS))
    np.testing.assert_array_equal(places * 2.0**16, np.rint(places * 2.0**16))
    np.testing.assert_array_equal(settled(p[np.ix_(other, other)], start[other], 300), places[other])


def test_points_of_one_place_few_points_and_none_have_finite_places() -> None:
    for rows in (np.zeros((0, 3)), np.zeros((1, 3)), np.zeros((2, 3)), np.ones((9, 3)), ROWS[:3]):
        for places in neighbour_maps([rows, rows]):
            assert places.shape == (len(rows), 2)
            assert np.isfinite(places).all()


def test_groups_that_part_part_in_the_map_and_no_point_jumps() -> None:
    away = np.zeros_like(ROWS)
    away[12:, 0] = 3
    maps = neighbour_maps([ROWS + share * away for share in np.linspace(0, 3, 10)], 5)
    apart = ((maps[-1][:, None] - maps[-1][None]) ** 2).sum(2) + 1e9 * np.eye(24)
    assert [nearest < 12 for nearest in apart.argmin(1)] == [True] * 12 + [False] * 12
    extent = np.abs(maps[-1]).max()
    moves = [np.linalg.norm(later - before, axis=1).mean() / extent for before, later in pairwise(maps)]
    assert max(moves) < 0.5
