"""The search of many rows, in float32 and block by block: what it finds is what a plain search in float64 finds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal

from dml_viz.embedding import search
from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.query_gallery import score_queries
from dml_viz.embedding.search import Nearest, nearest_rows, search_of

rng = np.random.default_rng(0)
N, CLASSES = 600, 12
Y = rng.integers(0, CLASSES, N)
Z = (rng.standard_normal((CLASSES, 24))[Y] + 1.2 * rng.standard_normal((N, 24))).astype(np.float32)


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every gallery is a large one, searched in many blocks."""
    monkeypatch.setattr(search, "FLOAT64_UP_TO", 0)
    monkeypatch.setattr(search, "QUERIES", 50)


def near_plainly(z: np.ndarray, query: np.ndarray, gallery: np.ndarray, size: int) -> list[list[int]]:
    unit = z.astype(float) / np.linalg.norm(z.astype(float), axis=1, keepdims=True)
    apart = -unit @ unit.T
    apart[:, ~gallery] = np.inf
    np.fill_diagonal(apart, np.inf)
    return [np.argsort(apart[row], kind="stable")[:size].tolist() for row in np.flatnonzero(query)]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("masked", [False, True])
def test_a_large_file_has_the_nearest_rows_and_scores_of_a_plain_search(many: None, threads: int, masked: bool) -> None:
    everything = np.ones(N, bool)
    query, gallery = (np.arange(N) % 3 == 0, np.arange(N) % 2 == 0) if masked else (everything, everything)
    looked = search_of(Z, query if masked else None, gallery if masked else None)
    shares: list[float] = []
    found = nearest_rows(looked, 7, shares.append, threads)
    assert found.near.tolist() == near_plainly(Z, query, gallery, 7)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    ranked = score_queries(looked, Y, threads=threads)
    if not masked:
        wanted = retrieval(Z, Y)
        assert_allclose(ranked.ap, wanted.ap, atol=1e-3)  # two rows whose distances differ in the eighth digit may change places
        assert_allclose(ranked.ap.mean(), wanted.map, atol=1e-5)
        assert (ranked.first <= 1).mean() == wanted.recall[1] == (found.first_right(Y) <= 1).mean()
    near = ranked.first <= 7
    assert (found.first_right(Y)[near] == ranked.first[near]).all()


def test_a_row_in_a_tie_that_may_go_on_has_no_known_rank() -> None:
    y = np.array([0, 0, 1, 1])
    rows, shares = np.array([[1, 2], [0, 2], [0, 3], [0, 2]], np.int32), np.array([[0, 0], [0.1, 0.2], [0.3, 0.3], [0, 0.4]])
    first = Nearest(np.arange(4), rows, shares).first_right(y)
    assert_equal(first, [np.nan, 1, 2, 2], "in a tie with the last, alone, the last itself behind its equal, and the last")


def test_copies_under_other_labels_come_first_in_a_large_file_too(many: None) -> None:
    z, y = np.concatenate((Z, Z)), np.concatenate((Y, Y + CLASSES))
    ranked = score_queries(search_of(z), y, threads=2)
    assert (ranked.first > 1).all()
    assert (nearest_rows(search_of(z), 1).near[:N, 0] == np.arange(N, 2 * N)).all()


def test_rows_of_a_collapsed_net_are_still_told_apart(many: None) -> None:
    collapsed = (1e-3 * Z + 40).astype(np.float64)
    wanted = np.array(near_plainly(collapsed, *(np.ones(N, bool),) * 2, 3))
    assert (nearest_rows(search_of(collapsed), 3).near == wanted).mean() > 0.99
