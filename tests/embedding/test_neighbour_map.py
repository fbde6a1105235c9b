"""The neighbour map: its affinities, its gradient, its grid, and what it keeps of a run."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dml_viz.embedding.neighbour_map import (
    PERPLEXITY,
    affinities,
    exp_minus,
    filling,
    first_places,
    gradient,
    neighbour_maps,
    settled,
    whole_numbers,
)
from tests.javascript import evaluating

RNG = np.random.default_rng(0)
ROWS = RNG.integers(1, 256, (24, 5)).astype(np.uint8)


def test_every_point_has_the_perplexity_and_affinities_are_symmetric_and_sum_to_one() -> None:
    p = affinities(ROWS)
    assert p.sum() == pytest.approx(1)
    np.testing.assert_array_equal(p, p.T)
    # One point's shares, from the distances alone: at the right precision their entropy is that of 23 / 3 points.
    squares = ((ROWS[:, None].astype(float) - ROWS[None]) ** 2).sum(2)
    squares /= squares.mean()
    expected = np.zeros_like(squares)
    np.fill_diagonal(squares, np.inf)
    for i, row in enumerate(squares):
        low, high = 0.0, 1e6
        for _ in range(200):
            shares = np.exp(-(row - row.min()) * (low + high) / 2)
            shares /= shares.sum()
            entropy = -sum(share * np.log(share) for share in shares if share > 0)
            low, high = ((low + high) / 2, high) if entropy > np.log(min(PERPLEXITY, 23 / 3)) else (low, (low + high) / 2)
        expected[i] = shares
    np.testing.assert_allclose(p, (expected + expected.T) / (2 * len(ROWS)), atol=1e-7)


def test_the_gradient_is_that_of_the_divergence_of_the_two_affinities() -> None:
    p, places = affinities(ROWS), first_places(ROWS) * 100

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
    p, start = affinities(ROWS), first_places(ROWS)
    places, other = settled(p, start, 300), np.random.default_rng(1).permutation(len(ROWS))
    np.testing.assert_array_equal(places * 2.0**16, np.rint(places * 2.0**16))
    np.testing.assert_array_equal(settled(p[np.ix_(other, other)], start[other], 300), places[other])


def test_points_of_one_place_few_points_and_none_have_finite_places() -> None:
    for z in (np.zeros((0, 3)), np.zeros((1, 3)), np.zeros((2, 3)), np.ones((9, 3)), ROWS[:3] / 7):
        rows = whole_numbers(z)
        for places in map(filling, neighbour_maps([rows, rows])):
            assert places.shape == (len(rows), 2)
            assert np.isfinite(places).all()


def test_groups_that_part_part_in_the_map_and_no_point_jumps() -> None:
    points = RNG.normal(size=(24, 5))
    away = np.zeros_like(points)
    away[12:, 0] = 3
    maps = neighbour_maps([whole_numbers(points + share * away) for share in np.linspace(0, 3, 10)])
    apart = ((maps[-1][:, None] - maps[-1][None]) ** 2).sum(2) + 1e9 * np.eye(24)
    assert [nearest < 12 for nearest in apart.argmin(1)] == [True] * 12 + [False] * 12
    extent = np.abs(maps[-1]).max()
    moves = [np.linalg.norm(later - before, axis=1).mean() / extent for before, later in pairwise(maps)]
    assert max(moves) < 0.5


def test_whole_numbers_keep_distances_but_for_their_scale() -> None:
    z = RNG.normal(size=(40, 16)).astype(np.float32)
    rows = whole_numbers(z).astype(float)
    far, whole = (((each[:, None] - each[None]) ** 2).sum(2) for each in (z.astype(float), rows))
    np.testing.assert_allclose(whole / whole.max(), far / far.max(), atol=0.01)
    assert rows.min() >= 1


def test_the_exponential_has_six_digits() -> None:
    x = np.linspace(0, 25, 500)
    np.testing.assert_allclose(exp_minus(x), np.exp(-x), rtol=1e-6)
    assert exp_minus(np.array([1e40])) == 0


def test_a_browser_computes_the_same_places_to_the_last_bit(tmp_path: Path) -> None:
    # 250 points in 64 dimensions, as of a run: classes that part, numbers that repeat, and points that coincide.
    centres, points = RNG.normal(size=(50, 64)), RNG.normal(size=(250, 64))
    frames = [whole_numbers(points + share * np.repeat(centres, 5, 0)) for share in (0, 0.5, 4)]
    frames.append(whole_numbers(np.round(np.repeat(centres[:25], 10, 0), 1)))
    few = [whole_numbers(rows) for rows in (points[:1], points[:3, :4], np.ones((7, 5)))]
    expected = [[filling(places).ravel().tolist() for places in neighbour_maps(run)] for run in (frames, *([one] for one in few))]
    given = [[[*rows.shape, rows.ravel().tolist()] for rows in run] for run in (frames, *([one] for one in few))]
    program = """
    const { filling, kernel } = await asset("runs/neighbour_map.js");
    const placesOf = kernel((await asset("runs/map_loops.js")).LOOPS);
    return given.map((frames) => {
      let before = null;
      return frames.map(([n, d, rows]) => {
        before = placesOf(Uint8Array.from(rows), n, d, before);
        return Array.from(filling(before));
      });
    });
    """
    assert evaluating(tmp_path)(program, given) == expected
