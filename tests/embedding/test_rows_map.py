"""The map of all rows of a file: exact of few, approximate of many, and the same for the same rows."""

import numpy as np
import pytest

from dml_viz.embedding import rows_map
from dml_viz.embedding.neighbour_map import map_of
from dml_viz.embedding.rows_map import EXACT_UP_TO, places_in_map, right_in_picture
from dml_viz.embedding.rows_plane import places_in_plane, unit

rng = np.random.default_rng(0)
N = EXACT_UP_TO + 200
Y = rng.integers(0, 40, N)
Z = (rng.standard_normal((40, 32))[Y] + 0.5 * rng.standard_normal((N, 32))).astype(np.float32)


def test_few_rows_are_in_the_exact_map() -> None:
    assert (places_in_map(Z[:60]) == map_of(unit(Z[:60])).astype(np.float32)).all()


@pytest.mark.parametrize(("tree_up_to", "iterations"), [(N, 60), (0, 15)])
def test_many_rows_are_in_a_map_that_keeps_neighbours_and_is_the_same_in_any_number_of_threads(
    tree_up_to: int, iterations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TREE_UP_TO", tree_up_to), ("EARLY", iterations), ("LATER", iterations), ("LAST", iterations)):
        monkeypatch.setattr(rows_map, name, value)
    shares: list[float] = []
    places = places_in_map(Z, progress=shares.append)
    assert places.shape == (N, 2)
    assert np.abs(places).max() == 1
    assert (places_in_map(Z, threads=2) == places).all()
    assert shares == sorted(shares)
    plane, _ = places_in_plane(Z)
    every = np.ones(N, bool)
    assert right_in_picture(places, Y, every, every) > 2 * right_in_picture(plane, Y, every, every)
    assert right_in_picture(places, Y, every, every) > 0.9 or iterations < 60


def test_the_nearest_row_in_a_picture_is_searched_in_the_gallery_alone() -> None:
    places, y = np.array([[0.0, 0], [1, 0], [3, 0], [3.5, 0], [9, 0]]), np.array([0, 1, 0, 0, 2])
    every = np.ones(5, bool)
    assert right_in_picture(places, y, every, every) == 2 / 3  # rows 2 and 3; rows 1 and 4 have no other of their class
    query = np.array([True, False, False, False, False])
    assert right_in_picture(places, y, query, ~query & (y != 1)) == 1
