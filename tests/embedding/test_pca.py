"""The number of directions that an embedding uses."""

import numpy as np
import pytest

from dml_viz.embedding.pca import spectrum


def test_points_on_a_line_use_one_direction_and_points_on_all_axes_use_all() -> None:
    line = np.outer(np.linspace(-1, 1, 9), (0.6, 0.8, 0)).astype(np.float32)
    shares, used = spectrum(line)
    assert shares == pytest.approx([1, 0, 0], abs=1e-6)
    assert used == pytest.approx(1, abs=1e-3)
    axes = np.vstack((np.eye(4), -np.eye(4))).astype(np.float32)
    shares, used = spectrum(axes)
    assert (shares, used) == (pytest.approx([0.25] * 4), pytest.approx(4))
    assert np.isnan(spectrum(np.ones((5, 3), np.float32))[1])


@pytest.mark.parametrize("points", [40, 5])
def test_the_shares_are_those_of_the_squared_singular_values(points: int) -> None:
    z = np.random.default_rng(0).standard_normal((points, 8)).astype(np.float32)
    singular = np.linalg.svd(z - z.mean(0), compute_uv=False)[: min(points, 8)]
    p = singular**2 / (singular**2).sum()
    shares, used = spectrum(z + 7)
    assert shares == pytest.approx(p, abs=1e-5)
    assert used == pytest.approx(np.exp(-(p * np.log(np.maximum(p, 1e-30))).sum()), rel=1e-4)
