"""The number of directions that an embedding uses."""

import numpy as np
import pytest
import torch

from dml_viz.embedding.pca import main_plane, share_shown, spectrum
from dml_viz.embedding.rows_plane import places_in_plane


def test_points_on_a_line_use_one_direction_and_points_on_all_axes_use_all() -> None:
    line = np.outer(np.linspace(-1, 1, 9), (0.6, 0.8, 0)).astype(np.float32)
    shares, used = spectrum(line)
    assert shares == pytest.approx([1, 0, 0], abs=1e-6)
    assert used == pytest.approx(1, abs=1e-3)
    axes = np.vstack((np.eye(4), -np.eye(4))).astype(np.float32)
    shares, used = spectrum(axes)
    assert (shares, used) == (pytest.approx([0.25] * 4), pytest.approx(4))
    for dim in (3, 8, 64):
        assert np.isnan(spectrum(np.full((20, dim), dim**-0.5))[1]), "equal rows, whose mean is rounded"


@pytest.mark.parametrize("points", [40, 5])
def test_the_shares_are_those_of_the_squared_singular_values(points: int) -> None:
    z = np.random.default_rng(0).standard_normal((points, 8)).astype(np.float32)
    singular = np.linalg.svd(z - z.mean(0), compute_uv=False)[: min(points, 8)]
    p = singular**2 / (singular**2).sum()
    shares, used = spectrum(z + 7)
    assert shares == pytest.approx(p, abs=1e-5)
    assert used == pytest.approx(np.exp(-(p * np.log(np.maximum(p, 1e-30))).sum()), rel=1e-4)


@pytest.mark.parametrize(("n", "d"), [(5000, 9), (30, 80)])
def test_all_rows_lie_in_the_plane_that_shows_most_of_their_variance(n: int, d: int) -> None:
    rng = np.random.default_rng(0)
    z = (rng.standard_normal((n, d)) * np.linspace(3, 1, d) * rng.uniform(0.1, 9, (n, 1))).astype(np.float32)
    unit = torch.from_numpy(z / np.linalg.norm(z, axis=1, keepdims=True))
    plane = main_plane(unit)
    places, share = places_in_plane(z)
    assert places == pytest.approx((unit @ plane).numpy(), abs=1e-4)
    assert share == pytest.approx(share_shown(unit, plane), abs=1e-4)


def test_rows_of_three_dimensions_are_drawn_as_they_are() -> None:
    z = np.random.default_rng(0).standard_normal((7, 3)).astype(np.float32)
    places, share = places_in_plane(z)
    assert places == pytest.approx(z / np.linalg.norm(z, axis=1, keepdims=True), abs=1e-6)
    assert share == 1
