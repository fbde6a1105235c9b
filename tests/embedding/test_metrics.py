"""The metrics against the sums of their definitions, one pair at a time, and against scikit-learn."""

import math
from collections import Counter

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from sklearn.metrics import average_precision_score

from dml_viz.embedding.metrics import (
    distance_histograms,
    map_and_r1_across,
    nmi,
    order_correlation,
    pixel_neighbours,
    pixel_ranks,
    pr_curve,
    raw_pixel_recall,
    retrieval,
)
from dml_viz.embedding.ranking import ROW_BLOCK, Floats, Integers, ranking, unit_rows
from tests.samples import for_each

KS = (1, 2, 4, 8)
LEVELS = 21


def points_of(n: int, dim: int, classes: int, seed: int = 0) -> tuple[Floats, Integers]:
    generator = np.random.Generator(np.random.PCG64(seed))
    z = generator.normal(size=(n, dim))
    return z / np.linalg.norm(z, axis=1, keepdims=True), generator.integers(0, classes, n)


def tied_points(n: int, dim: int, classes: int) -> tuple[Floats, Integers]:
    """Points that occur several times each, with labels of their own."""
    z, y = points_of(n, dim, classes)
    return z[np.arange(n) % (n // 4)], y


CASES = {
    "on the circle": points_of(60, 2, 4),
    "on the sphere": points_of(60, 3, 4),
    "in 8 dimensions": points_of(60, 8, 5),
    "in 16 dimensions, more than a block": points_of(ROW_BLOCK + 6, 16, 7),
    "classes of any size, some of one": (points_of(40, 5, 4)[0], np.arange(40) ** 2 // 100 * 3),
    "ties on the circle": tied_points(48, 2, 3),
    "ties in 16 dimensions": tied_points(48, 16, 3),
    "ties everywhere": (np.eye(4)[np.arange(30) % 4], np.arange(30) % 3),
    "one place": (np.tile([[0.6, 0.8]], (12, 1)), np.arange(12) % 3),
    "two points": (np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([5, 5])),
}
every_case = pytest.mark.parametrize("case", CASES)
each_case = for_each("case", CASES)


def distance(a: Floats, b: Floats) -> float:
    return math.sqrt(math.fsum((p - q) ** 2 for p, q in zip(a.tolist(), b.tolist(), strict=True)))


def ranked(z: Floats, y: Integers, query: int) -> list[tuple[float, bool, int]]:
    """All other points by distance, negatives first among equals, then by row."""
    return sorted((distance(z[query], z[j]), bool(y[j] == y[query]), j) for j in range(len(z)) if j != query)


def curve(z: Floats, y: Integers, query: int) -> list[tuple[float, float]]:
    """Recall and precision after each distinct distance."""
    order = ranked(z, y, query)
    positives = sum(hit for _, hit, _ in order)
    found, steps = 0, []
    for rank, (far, hit, _) in enumerate(order, 1):
        found += hit
        if rank == len(order) or order[rank][0] != far:
            steps.append((found / positives, found / rank))
    return steps


def ap_by_hand(z: Floats, y: Integers, query: int) -> float:
    total, before = 0.0, 0.0
    for recall, precision in curve(z, y, query):
        total += (recall - before) * precision
        before = recall
    return total


def map_at_r_by_hand(z: Floats, y: Integers, query: int) -> float:
    hits = [hit for _, hit, _ in ranked(z, y, query)]
    r = sum(hits)
    return sum(sum(hits[:i]) / i for i in range(1, r + 1) if hits[i - 1]) / r


def queries(y: Integers) -> list[int]:
    return [i for i, label in enumerate(y) if Counter(y.tolist())[label] > 1]


@each_case
def test_average_precision_is_the_sum_over_thresholds(case: str) -> None:
    z, y = CASES[case]
    found = retrieval(z, y)
    asked = queries(y)
    assert found.ap[asked] == pytest.approx([ap_by_hand(z, y, i) for i in asked], abs=1e-12)
    assert found.map == pytest.approx(np.mean([ap_by_hand(z, y, i) for i in asked]), abs=1e-12)


@every_case
def test_average_precision_is_scikit_learns_with_and_without_ties(case: str) -> None:
    z, y = CASES[case]
    ap = retrieval(z, y).ap
    for i in queries(y):
        others = np.arange(len(z)) != i
        nearness = np.array([-distance(z[i], other) for other in z])
        assert ap[i] == pytest.approx(average_precision_score((y == y[i])[others], nearness[others]), abs=1e-12)


@each_case
def test_recall_at_k_counts_queries_with_a_hit_among_k(case: str) -> None:
    z, y = CASES[case]
    found = retrieval(z, y, KS).recall
    orders = [ranked(z, y, i) for i in queries(y)]
    for k in KS:
        hits = [any(hit for _, hit, _ in order[:k]) for order in orders]
        assert found[k] == pytest.approx(sum(hits) / len(hits), abs=1e-12)


@each_case
def test_map_at_r_is_its_definition(case: str) -> None:
    z, y = CASES[case]
    by_hand = [map_at_r_by_hand(z, y, i) for i in queries(y)]
    assert retrieval(z, y).map_at_r == pytest.approx(np.mean(by_hand), abs=1e-12)


@each_case
def test_neighbours_are_ranked(case: str) -> None:
    z, y = CASES[case]
    near = retrieval(z, y, neighbours=8).near
    assert near.dtype == np.uint16
    for i in range(len(z)):
        assert near[i].tolist() == [j for _, _, j in ranked(z, y, i)[:8]]


@each_case
def test_the_curve_is_the_mean_of_the_best_precision_at_a_recall_or_beyond(case: str) -> None:
    z, y = CASES[case]
    recall, precision = pr_curve(ranking(unit_rows(z, y)), LEVELS)
    curves = [curve(z, y, i) for i in queries(y)]
    for k, level in enumerate(recall):
        assert level == pytest.approx(k / (LEVELS - 1))
        best = [max(p for r, p in steps if r > level - 1e-9) for steps in curves]
        assert precision[k] == pytest.approx(np.mean(best), abs=1e-12)


@each_case
def test_histograms_count_each_pair_once(case: str) -> None:
    z, y = CASES[case]
    edges, positive, negative = distance_histograms(unit_rows(z, y), 16)
    pairs: dict[bool, list[float]] = {True: [], False: []}
    for i in range(len(z)):
        for j in range(i):
            pairs[bool(y[i] == y[j])].append(distance(z[i], z[j]))
    for density, distances in ((positive, pairs[True]), (negative, pairs[False])):
        by_hand = np.histogram(distances, edges)[0] / max(len(distances), 1) / (edges[1] - edges[0])
        assert density == pytest.approx(by_hand, abs=1e-12)
        assert density.sum() * 2 / 16 == pytest.approx(1 if distances else 0)


@pytest.mark.parametrize("case", ["on the sphere", "in 8 dimensions", "ties in 16 dimensions", "ties everywhere"])
def test_nmi_is_mutual_information_over_the_mean_entropy(case: str) -> None:
    z, y = CASES[case]
    classes = len(set(y.tolist()))
    clusters = KMeans(classes, n_init=3, random_state=0).fit_predict(z)
    n, together = len(z), Counter(zip(y.tolist(), clusters.tolist(), strict=True))
    of_y, of_k = Counter(y.tolist()), Counter(clusters.tolist())
    mutual = sum(c / n * math.log(n * c / (of_y[a] * of_k[b])) for (a, b), c in together.items())
    entropies = [-sum(c / n * math.log(c / n) for c in counts.values()) for counts in (of_y, of_k)]
    assert nmi(unit_rows(z, y)) == pytest.approx(2 * mutual / sum(entropies), abs=1e-12)


def test_nmi_repeats_for_a_seed_and_is_one_for_separate_classes() -> None:
    z, y = points_of(80, 8, 5)
    assert nmi(unit_rows(z, y), seed=3) == nmi(unit_rows(z, y), seed=3)
    assert nmi(unit_rows(np.eye(4)[y % 4], y % 4)) == pytest.approx(1)


def test_a_collapsed_embedding_scores_no_better_than_nothing() -> None:
    z, y = np.tile([[0.0, 1.0, 0.0, 0.0]], (40, 1)), np.arange(40) % 4
    found = retrieval(z, y)
    assert found.recall == dict.fromkeys(KS, 0)
    assert found.map == pytest.approx(9 / 39)
    assert nmi(unit_rows(z, y)) == 0


@pytest.mark.parametrize("dim", [3, 8, 64])
def test_rows_of_one_direction_are_equally_near_whatever_their_lengths(dim: int) -> None:
    z, y = np.outer(np.arange(1, 41), np.arange(1, dim + 1)), np.arange(40) % 4
    found = retrieval(z, y)
    assert {*found.recall.values(), found.map_at_r} == {0}
    assert found.map == pytest.approx(9 / 39)


def test_a_perfect_embedding_scores_one() -> None:
    y = np.arange(24) % 3
    found = retrieval(np.eye(3)[y], y)
    assert (found.map, found.map_at_r, *found.recall.values()) == (1,) * 6
    assert (pr_curve(ranking(unit_rows(np.eye(3)[y], y)))[1] == 1).all()


def test_queries_without_a_positive_are_left_out() -> None:
    z, y = points_of(30, 4, 3)
    y[7] = 99
    found = retrieval(z, y)
    assert np.flatnonzero(np.isnan(found.ap)).tolist() == [7]
    assert found.map == pytest.approx(np.nanmean(found.ap))


@pytest.mark.parametrize("n", [1, 5])
def test_without_any_positive_there_is_no_number(n: int) -> None:
    z = points_of(n, 4, 1)[0]
    found = retrieval(z, np.arange(n), neighbours=8)
    assert np.isnan([found.map, found.map_at_r, *found.recall.values(), *found.ap]).all()
    assert np.isnan(pr_curve(ranking(unit_rows(z, np.arange(n))))[1]).all()
    assert found.near.shape == (n, n - 1)
    assert not distance_histograms(unit_rows(z, np.arange(n)))[1].any()


def test_without_a_second_class_there_is_nothing_to_cluster() -> None:
    assert math.isnan(nmi(unit_rows(points_of(9, 2, 1)[0], np.zeros(9, int))))


@pytest.mark.parametrize("dim", [2, 3])
def test_a_tight_cluster_is_ordered_where_its_cosines_are_all_one(dim: int) -> None:
    angles = 1e-11 * np.arange(20) ** 2
    z = np.stack((np.cos(angles), np.sin(angles), np.zeros(20)), 1)[:, :dim]
    assert (z @ z.T == 1).all()
    assert retrieval(z, np.arange(20) % 2, neighbours=5).near[0].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("dim", [2, 8])
def test_single_precision_is_widened_and_length_does_not_matter(dim: int) -> None:
    z, y = points_of(50, dim, 4)
    single = z.astype(np.float32)
    wide = single.astype(np.float64)
    exact = retrieval(wide / np.linalg.norm(wide, axis=1, keepdims=True), y, neighbours=8)
    for given in (single, torch.from_numpy(single).requires_grad_(), 7 * wide):
        found = retrieval(given, torch.from_numpy(y), neighbours=8)
        assert (found.near == exact.near).all()
        assert found.map == exact.map


def test_metrics_do_not_depend_on_the_order_of_rows() -> None:
    z, y = tied_points(80, 8, 4)
    order = np.random.Generator(np.random.PCG64(1)).permutation(80)
    first, second = retrieval(z, y), retrieval(z[order], y[order])
    assert (first.map, first.map_at_r) == pytest.approx((second.map, second.map_at_r), abs=1e-12)
    assert first.recall == second.recall


def test_images_are_compared_pixel_by_pixel() -> None:
    x = np.random.Generator(np.random.PCG64(0)).integers(0, 256, (30, 4, 4)).astype(np.float32) / 255
    y = np.arange(30) // 3
    apart = np.linalg.norm(x[:, None] - x, axis=(2, 3)) + np.diag([np.inf] * 30)
    assert (pixel_neighbours(x, 4) == apart.argsort(1)[:, :4]).all()
    assert raw_pixel_recall(x, y) == np.mean(y[apart.argmin(1)] == y)
    assert np.isnan(raw_pixel_recall(x, np.arange(30)))


@pytest.mark.parametrize(
    ("z", "y", "complaint"),
    [
        (np.ones(3), np.zeros(3), r"\(3,\); pass \(N, d\)"),
        (np.ones((0, 3)), np.zeros(0), r"\(0, 3\); pass \(N, d\)"),
        (np.ones((3, 2)), np.zeros(4), r"\(4,\) for z of shape \(3, 2\); pass \(3,\)"),
        (np.array([[1.0, 0.0], [np.nan, 0.0]]), np.zeros(2), "not finite in row 1"),
    ],
)
def test_bad_input_is_named(z: Floats, y: Integers, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        retrieval(z, y)


def test_counts_out_of_range_are_named() -> None:
    z, y = points_of(9, 2, 2)
    with pytest.raises(ValueError, match=r"ks = \(0,\)"):
        retrieval(z, y, ks=(0,))
    with pytest.raises(ValueError, match="neighbours = -1"):
        retrieval(z, y, neighbours=-1)
    with pytest.raises(ValueError, match="levels = 1"):
        pr_curve(ranking(unit_rows(z, y)), 1)
    with pytest.raises(ValueError, match="bins = 0"):
        distance_histograms(unit_rows(z, y), 0)


def test_the_order_kept_within_classes_is_the_mean_of_spearman_s_correlations() -> None:
    z, y = points_of(40, 5, 3)
    x = np.random.default_rng(1).random((40, 4, 4)).astype(np.float32)
    expected = []
    for label in range(3):
        of = np.flatnonzero(y == label)
        pairs = [(i, j) for i in of for j in of if i < j]
        apart = [[np.linalg.norm(rows[i] - rows[j]) for i, j in pairs] for rows in (z, x.astype(np.float64))]
        expected.append(spearmanr(*apart).statistic)
    assert order_correlation(unit_rows(z, y), pixel_ranks(x, y)) == pytest.approx(np.mean(expected), abs=1e-6)
    assert order_correlation(unit_rows(np.tile(z[0], (40, 1)), y), pixel_ranks(x, y)) == 0
    assert math.isnan(order_correlation(unit_rows(z, y), pixel_ranks(x[:2], y[:2])))


def test_points_found_as_other_rows_are_scored_like_plain_ones_and_equal_rows_by_expectation() -> None:
    rng = np.random.default_rng(0)
    z, y = rng.standard_normal((40, 5)), rng.integers(0, 4, 40)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    plain = retrieval(z, y)
    assert map_and_r1_across(z, z, y) == pytest.approx((plain.map, plain.recall[1]))
    words = z[rng.integers(0, 6, 40)]  # six codes
    aps, firsts = [], []
    for i in range(40):
        d = {j: round(float(((z[i] - words[j]) ** 2).sum()), 9) for j in range(40) if j != i}
        tied = [j for j in d if d[j] == min(d.values())]
        firsts.append(sum(y[j] == y[i] for j in tied) / len(tied))
        hits = [j for j in d if y[j] == y[i]]
        at = [([k for k in d if d[k] <= d[j]]) for j in hits]
        aps.append(sum(sum(y[k] == y[i] for k in near) / len(near) for near in at) / len(hits))
    assert map_and_r1_across(z, words, y) == pytest.approx((np.mean(aps), np.mean(firsts)))
