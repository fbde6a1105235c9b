"""Every number that the FastAP page draws, against sums written one index at a time, scikit-learn, or the loss itself."""

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import average_precision_score, roc_auc_score

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.scene import SCENES, Scene, preset_embeddings
from dml_viz.embedding.sphere import ratio_and_cosine, squared_chords
from dml_viz.explain.fastap.model import Model, QueryRanking, Settings, query_arrows
from dml_viz.explain.fastap.model_bins import Binning, batch_arrows, histograms_of_batch, is_outside_bins, slopes_per_bin
from dml_viz.explain.fastap.model_ranking import (
    FEWER,
    POWERS,
    RANKS,
    SIZES,
    TIMES,
    against_bins,
    ap_by_gallery_size,
    exact_average_precision,
    hamming_scores,
    recall_with_fewer_negatives,
    scores_by_imbalance,
    scores_by_power,
    stairs,
)
from dml_viz.losses import LOSSES, Loss
from dml_viz.pitfalls._circulating import circulating_gradient
from tests.samples import for_each

BINNINGS = [Binning(4), Binning(10), Binning(100), Binning(10, hard=True), Binning(10, top=2.0)]


def points(n: int = 24, dim: int = 3, classes: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit rows (n, dim), labels and squared distances; the last point is alone in its class."""
    random = np.random.default_rng(seed)
    y = np.append(np.arange(n - 1) % classes, classes)
    z = random.normal(size=(classes + 1, dim))[y] + 0.8 * random.normal(size=(n, dim))
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    return z, y, distances(z)


def distances(z: np.ndarray) -> np.ndarray:
    return squared_chords(torch.from_numpy(z), torch.from_numpy(z)).numpy()


def of_scene(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    subject = preset_embeddings(name)
    z = subject.z.numpy()
    return z, subject.y.numpy(), distances(z)


def off_the_centres(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A scene with each point moved by about a milliradian: on a centre the loss has two one-sided derivatives."""
    z, y, _ = of_scene(name)
    angle = np.arctan2(z[:, 1], z[:, 0]) + 1e-3 * np.random.default_rng(0).normal(size=len(y))
    z = np.stack((np.cos(angle), np.sin(angle)), 1)
    return z, y, distances(z)


def fastap(bins: int) -> Loss:
    knobs: dict[str, Any] = {"bins": bins}
    return LOSSES["fastap"](**knobs)


def fastap_of(plus: np.ndarray, minus: np.ndarray, positives: int) -> float:
    total, cum_plus, cum = 0.0, 0.0, 0.0
    for h_plus, h_minus in zip(plus, minus, strict=True):
        cum_plus, cum = cum_plus + h_plus, cum + h_plus + h_minus
        total += h_plus * cum_plus / cum if cum else 0.0
    return total / positives


@pytest.mark.parametrize("binning", BINNINGS, ids=str)
def test_histograms_are_the_kernel_summed_pair_by_pair(binning: Binning) -> None:
    _, y, d2 = points()
    anatomy = QueryRanking(d2[5], y, 5, binning)
    plus, minus = np.zeros(binning.bins + 1), np.zeros(binning.bins + 1)
    for k in range(len(y)):
        for place, centre in enumerate(binning.centres):
            if binning.hard:
                share = float(np.abs(binning.centres - d2[5, k]).argmin() == place)
            else:
                share = max(0.0, 1 - abs(d2[5, k] - centre) / binning.width)
            if k != 5:
                (plus if y[k] == y[5] else minus)[place] += share
    np.testing.assert_allclose(anatomy.plus, plus, atol=1e-12)
    np.testing.assert_allclose(anatomy.minus, minus, atol=1e-12)
    assert anatomy.fastap == pytest.approx(fastap_of(plus, minus, int((y == y[5]).sum()) - 1), abs=1e-12)


@for_each("hard", [False, True])
@for_each("bins", [1, 4, 10, 37, 100])
def test_every_pair_is_counted_once(bins: int, hard: bool) -> None:
    _, y, d2 = of_scene("antipodal")
    anatomy = QueryRanking(d2[0], y, 0, Binning(bins, hard=hard))
    assert anatomy.cum_plus[-1] == pytest.approx(anatomy.positives, abs=1e-12)
    assert anatomy.cum[-1] == pytest.approx(len(y) - 1, abs=1e-12)


def test_the_gallery_is_every_other_point_nearest_first() -> None:
    _, y, d2 = of_scene("collapsed")
    assert sorted(QueryRanking(d2[3], y, 3, Binning(10)).gallery) == [k for k in range(len(y)) if k != 3]
    _, y, d2 = points()
    anatomy = QueryRanking(d2[3], y, 3, Binning(10))
    np.testing.assert_array_equal(anatomy.d2, np.sort(np.delete(d2[3], 3)))
    np.testing.assert_array_equal(anatomy.relevant, y[anatomy.gallery] == y[3])


@for_each("name", SCENES)
def test_exact_average_precision_is_scikit_learns_ties_included(name: str) -> None:
    z, y, d2 = of_scene(name)
    # Points at whole degrees tie, though their distances differ by rounding.
    degrees, scored = np.degrees(np.arctan2(z[:, 1], z[:, 0])).round(6), retrieval(z, y).ap
    apart = np.abs((degrees[:, None] - degrees + 180) % 360 - 180).round(6)
    for query in np.flatnonzero((y[:, None] == y).sum(1) > 1).tolist():
        others = np.arange(len(y)) != query
        known = average_precision_score(y[others] == y[query], -apart[query, others])
        one = QueryRanking(d2[query], y, query, Binning(10))
        copied = scores_by_imbalance(one.d2, one.relevant, one.binning)[0, 15]  # each negative once
        assert (one.average_precision, scored[query], copied) == pytest.approx((known,) * 3, abs=1e-12)


def test_exact_average_precision_counts_tied_points_together() -> None:
    y, d2 = np.array([0, 0, 1, 0, 1]), np.array([0.0, 1.0, 1.0, 2.0, 2.0])
    anatomy = QueryRanking(d2, y, 0, Binning(10))
    assert anatomy.average_precision == pytest.approx(average_precision_score([1, 0, 1, 0], -d2[1:]), abs=1e-12)
    np.testing.assert_array_equal(anatomy.exact_recall_and_precision[0], [1, 2])


@for_each("bins", [4, 10, 33, 100])
@for_each("name", ["random", *SCENES])
def test_mean_over_queries_is_the_loss(name: str, bins: int) -> None:
    z, y, d2 = points() if name == "random" else of_scene(name)
    value = float(fastap(bins).value(torch.from_numpy(z), torch.from_numpy(y)))
    assert histograms_of_batch(d2, y, Binning(bins)).loss == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("binning", BINNINGS, ids=str)
def test_the_batch_is_its_queries(binning: Binning) -> None:
    _, y, d2 = points()
    whole = histograms_of_batch(d2, y, binning)
    for query in range(len(y)):
        anatomy = QueryRanking(d2[query], y, query, binning)
        np.testing.assert_allclose(whole.plus[query], anatomy.plus, atol=1e-12)
        np.testing.assert_allclose(whole.minus[query], anatomy.minus, atol=1e-12)
        assert whole.fastap[query] == pytest.approx(anatomy.fastap, abs=1e-12, nan_ok=True)
    assert whole.queries == len(y) - 1


@pytest.mark.parametrize("bins", [4, 10, 100])
def test_gradient_per_bin_is_the_difference_quotient(bins: int) -> None:
    _, y, d2 = points()
    anatomy = QueryRanking(d2[2], y, 2, Binning(bins))
    step = 1e-6
    for place in range(bins + 1):
        for drawn, one in ((anatomy.slope_by_positives, (step, 0)), (anatomy.slope_by_negatives, (0, step))):
            moved = [h.copy() for h in (anatomy.plus, anatomy.minus)]
            for h, by in zip(moved, one, strict=True):
                h[place] += by
            rise = fastap_of(moved[0], moved[1], anatomy.positives) - anatomy.fastap
            assert drawn[place] == pytest.approx(rise / step, abs=2e-5)


@pytest.mark.parametrize("binning", BINNINGS, ids=str)
def test_slope_of_a_point_is_the_difference_quotient(binning: Binning) -> None:
    _, y, d2 = points(seed=3)
    anatomy = QueryRanking(d2[2], y, 2, binning)
    step = 1e-7
    for place, point in enumerate(anatomy.gallery):
        moved = d2[2].copy()
        moved[point] += step
        quotient = (QueryRanking(moved, y, 2, binning).fastap - anatomy.fastap) / step
        assert anatomy.slope[place] == pytest.approx(quotient, abs=1e-5)


@for_each("bins", [4, 10, 33, 100])
@for_each("name", ["random", *SCENES])
def test_arrows_of_all_queries_are_the_descent_of_the_loss(name: str, bins: int) -> None:
    z, y, d2 = points(dim=8) if name == "random" else off_the_centres(name)
    drawn = sum(query_arrows(z, q, QueryRanking(d2[q], y, q, Binning(bins))) for q in range(len(y)))
    gradient = fastap(bins).gradient(torch.from_numpy(z), torch.from_numpy(y))
    np.testing.assert_allclose(drawn / max(histograms_of_batch(d2, y, Binning(bins)).queries, 1), -gradient.numpy(), atol=1e-10)


@pytest.mark.parametrize("binning", BINNINGS, ids=str)
def test_descent_of_the_batch_is_the_mean_of_its_queries_arrows(binning: Binning) -> None:
    z, y, d2 = points(dim=5)
    each = sum(query_arrows(z, q, QueryRanking(d2[q], y, q, binning)) for q in range(len(y)))
    np.testing.assert_allclose(batch_arrows(z, d2, y, binning), each / (len(y) - 1), atol=1e-12)


@for_each("bins", [4, 10, 33, 100])
@for_each("name", SCENES)
def test_descent_of_the_batch_is_against_the_gradient_of_the_loss(name: str, bins: int) -> None:
    z, y, d2 = off_the_centres(name)
    gradient = fastap(bins).gradient(torch.from_numpy(z), torch.from_numpy(y))
    np.testing.assert_allclose(batch_arrows(z, d2, y, Binning(bins)), -gradient.numpy(), atol=1e-10)


def test_arrows_are_tangent() -> None:
    z, y, d2 = points(dim=3)
    drawn = query_arrows(z, 1, QueryRanking(d2[1], y, 1, Binning(10)))
    np.testing.assert_allclose((drawn * z).sum(1), 0, atol=1e-12)


@pytest.mark.parametrize("bins", [4, 10, 25, 100])
def test_gradient_vanishes_two_bins_past_the_last_positive(bins: int) -> None:
    y = np.array([0, 0, 0, 1, 1, 1])
    for last in np.linspace(0.01, 4 - 8 / bins, 7):
        d2 = np.array([0, last / 2, last, last + 8 / bins, 4, 4])
        anatomy = QueryRanking(d2, y, 0, Binning(bins))
        assert anatomy.fastap == pytest.approx(1, abs=1e-12)
        assert not anatomy.slope.any()
        assert anatomy.gap_between_classes == pytest.approx(8 / bins)


def test_a_perfect_ranking_loses_while_a_negative_shares_a_bin() -> None:
    anatomy = QueryRanking(np.array([0, 0.3, 0.5]), np.array([0, 0, 1]), 0, Binning(4))
    assert anatomy.average_precision == 1
    assert anatomy.fastap < 0.9
    assert (anatomy.slope != 0).all()


@pytest.mark.parametrize("bins", [4, 10, 100])
def test_a_collapsed_batch_scores_at_chance_and_has_no_gradient(bins: int) -> None:
    z, y, d2 = of_scene("collapsed")
    positives = (y == y[0]).sum() - 1
    assert histograms_of_batch(d2, y, Binning(bins)).loss == pytest.approx(1 - positives / (len(y) - 1), abs=1e-12)
    anatomy = QueryRanking(d2[0], y, 0, Binning(bins))
    assert anatomy.slope.any()
    assert np.abs(query_arrows(z, 0, anatomy)).max() < 1e-12


@pytest.mark.parametrize("hard", [False, True])
def test_the_curve_against_bins_is_one_model_per_number_of_bins(hard: bool) -> None:
    _, y, d2 = points()
    bins = np.array([4, 5, 10, 64, 100, 1000])
    anatomy = QueryRanking(d2[7], y, 7, Binning(10))
    each = [QueryRanking(d2[7], y, 7, Binning(int(b), hard=hard)).fastap for b in bins]
    np.testing.assert_allclose(against_bins(anatomy.d2, anatomy.relevant, bins, Binning(1, hard=hard)), each, atol=1e-12)


def test_hard_bins_end_at_exact_average_precision_and_soft_ones_beside_it() -> None:
    _, y, d2 = points()
    anatomy = QueryRanking(d2[7], y, 7, Binning(10))
    fine = np.array([10_000_000 // 4])
    exact = anatomy.average_precision
    assert against_bins(anatomy.d2, anatomy.relevant, fine, Binning(1, hard=True))[0] == pytest.approx(exact, abs=1e-12)
    assert exact - 0.2 < against_bins(anatomy.d2, anatomy.relevant, fine)[0] < exact


def test_a_query_without_positives_has_no_score_and_no_arrow() -> None:
    z, y, d2 = points()
    anatomy = QueryRanking(d2[-1], y, len(y) - 1, Binning(10))
    assert anatomy.positives == 0
    for number in (anatomy.fastap, anatomy.average_precision, anatomy.gap_between_classes):
        assert np.isnan(number)
    assert not query_arrows(z, len(y) - 1, anatomy).any()


def test_a_batch_without_positives_has_loss_zero() -> None:
    whole = histograms_of_batch(np.full((3, 3), 2.0), np.arange(3), Binning(10))
    assert whole.queries == 0
    assert whole.loss == 0


def test_a_single_point_has_an_empty_gallery() -> None:
    anatomy = QueryRanking(np.zeros(1), np.zeros(1, int), 0, Binning(10))
    assert len(anatomy.gallery) == len(anatomy.exact_recall_and_precision[0]) == 0
    assert np.isnan(anatomy.fastap)


def test_half_the_range_leaves_far_pairs_outside_every_bin() -> None:
    d2 = np.array([0, 1.9, 2.05, 2.2, 4])
    np.testing.assert_array_equal(is_outside_bins(d2, Binning(10, top=2.0)), [False, False, False, True, True])
    assert not is_outside_bins(d2, Binning(10)).any()
    anatomy = QueryRanking(d2, np.zeros(5, int), 0, Binning(10, top=2.0))
    np.testing.assert_array_equal(anatomy.slope[-2:], 0)
    assert anatomy.cum_plus[-1] == pytest.approx(1 + 0.75)


@pytest.mark.parametrize(("n", "queries"), [(8, 8), (32, 32), (64, 64)])
def test_the_published_backward_is_half_the_queries_times_the_gradient(n: int, queries: int) -> None:
    z, _, d2 = points(n=n, dim=6)
    y = np.arange(n) % 4
    true = fastap(10).gradient(torch.from_numpy(z), torch.from_numpy(y)).numpy()
    np.testing.assert_allclose(circulating_gradient(z, d2, y, 10), queries / 2 * true, atol=1e-10)


@for_each("bins", [4, 8, 20])
@for_each("name", ["one hard negative", "antipodal"])
def test_the_factor_of_the_published_backward_holds_on_the_centres_too(name: str, bins: int) -> None:
    z, y, d2 = of_scene(name)
    true = -batch_arrows(z, d2, y, Binning(bins))
    times, cosine = ratio_and_cosine(circulating_gradient(z, d2, y, bins), true)
    assert times == pytest.approx(len(y) / 2, abs=1e-9)
    assert cosine == pytest.approx(1, abs=1e-12)


def test_positives_are_pushed_out_where_precision_rises_with_distance() -> None:
    _, y, d2 = of_scene("an outlier")
    anatomy = QueryRanking(d2[3], y, 3, Binning(10))
    farther = d2[3] + np.where((y == y[3]) & (np.arange(len(y)) != 3), 1e-4, 0)
    assert (anatomy.slope[anatomy.relevant] > 0).all()
    assert QueryRanking(np.minimum(farther, 4), y, 3, Binning(10)).fastap > anatomy.fastap


def test_per_bin_gradients_are_the_same_for_one_query_and_for_many() -> None:
    _, y, d2 = points()
    whole = histograms_of_batch(d2, y, Binning(10))
    anatomy = QueryRanking(d2[4], y, 4, Binning(10))
    for many, one in zip(
        slopes_per_bin(whole.plus, whole.minus), (anatomy.slope_by_positives, anatomy.slope_by_negatives), strict=True
    ):
        np.testing.assert_allclose(many[4] / anatomy.positives, one, atol=1e-12)


@pytest.mark.parametrize(("bins", "top"), [(0, 4.0), (10, 0.0), (10, 4.5)])
def test_a_binning_out_of_range_is_refused(bins: int, top: float) -> None:
    with pytest.raises(ValueError, match="choose at least 1 bin"):
        Binning(bins, top=top)


def test_a_query_moved_around_the_circle_has_the_scores_of_its_place() -> None:
    z, y, _ = of_scene("overlapping")
    found = stairs(z, y, 5, (Binning(10), Binning(100)))
    for k in range(0, len(found.degrees), 97):
        turn, rows = np.radians(found.degrees[k]), z.copy()
        rows[5] = np.cos(turn), np.sin(turn)
        d2, others = distances(rows)[5], np.arange(len(y)) != 5
        assert found.ap[k] == pytest.approx(average_precision_score(y[others] == y[5], -d2[others]))
        for scores, bins in zip(found.fastap, (10, 100), strict=True):
            assert scores[k] == pytest.approx(QueryRanking(d2, y, 5, Binning(bins)).fastap)
    here = QueryRanking(distances(z)[5], y, 5, Binning(10))
    assert found.here[:2] == pytest.approx((here.average_precision, here.fastap))
    assert 0 < found.jumps < 100, "exact AP is flat at most steps"


@pytest.mark.parametrize("dim", [2, 3, 8])
def test_the_curve_of_a_turned_query_rises_as_its_own_arrow_says(dim: int) -> None:
    z, y, _ = points(dim=dim, seed=4)
    model = Model(Embeddings(torch.from_numpy(z), torch.from_numpy(y), ""), Settings(3, Binning(10)))
    found, step = model.stairs, 1e-5
    ahead = np.array((-z[3][1], z[3][0]))
    if dim > 2:
        mean = z[(y == y[3]) & (np.arange(len(y)) != 3)].sum(0)
        ahead = mean - (mean @ z[3]) * z[3]
    ahead /= np.linalg.norm(ahead)
    scores = []
    for turn in (step, -step):
        rows = z.copy()
        rows[3] = np.cos(turn) * z[3] + np.sin(turn) * ahead
        scores.append(stairs(rows, y, 3, (Binning(10),)).here[1])
    assert (scores[0] - scores[1]) / (2 * step) == pytest.approx(model.arrows_of_query[3] @ ahead, rel=1e-4)
    assert found.here[1] == pytest.approx(model.ranking.fastap)


def test_exact_ap_of_tied_points_is_that_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    d2, relevant = random.integers(0, 4, (20, 12)) / 4, random.random(12) < 0.4
    expected = [average_precision_score(relevant, -row) for row in d2]
    np.testing.assert_allclose(exact_average_precision(d2, relevant), expected)


def test_stretched_distances_keep_exact_ap_and_are_binned_anew() -> None:
    _, y, d2 = points()
    one = QueryRanking(d2[5], y, 5, Binning(10))
    average, fastap_ = scores_by_power(one.d2, one.relevant, Binning(10))
    np.testing.assert_allclose(average, one.average_precision)
    k = 10
    moved = (2 * (np.sqrt(d2[5]) / 2) ** POWERS[k]) ** 2
    assert fastap_[k] == pytest.approx(QueryRanking(moved, y, 5, Binning(10)).fastap)
    assert fastap_[len(POWERS) // 2] == pytest.approx(one.fastap)
    assert np.ptp(fastap_) > 0.01


def test_more_negatives_are_more_copies_of_them() -> None:
    _, y, d2 = points()
    one = QueryRanking(d2[5], y, 5, Binning(10))
    average, binned, roc = scores_by_imbalance(one.d2, one.relevant, Binning(10))
    scores, hits = -one.d2, one.relevant
    np.testing.assert_allclose(roc, roc_auc_score(hits, scores))
    for k in (0, 15, 40):
        weights = np.where(hits, 1, TIMES[k])
        assert average[k] == pytest.approx(average_precision_score(hits, scores, sample_weight=weights))
    np.testing.assert_allclose(TIMES[15], 1)
    assert (average[15], binned[15]) == pytest.approx((one.average_precision, one.fastap))
    assert (np.diff(average) <= 1e-12).all()


def test_ap_of_large_galleries_tends_to_the_integral() -> None:
    near, far = np.linspace(0, 2, 400), np.linspace(0, 4, 1200)  # uniform densities: precision is constant
    found = ap_by_gallery_size(near, far, 8)
    assert found is not None
    recall = np.linspace(1e-6, 1, 20001)
    precision = 0.25 * recall / (0.25 * recall + 0.75 * recall / 2)
    assert found.integral == pytest.approx(precision.mean(), abs=2e-3)
    assert found.mean[-1] == pytest.approx(found.integral, abs=0.03)
    assert found.high[-1] - found.low[-1] < found.high[0] - found.low[0]
    assert len(found.mean) == len(SIZES)
    assert ap_by_gallery_size(near, far[:0], 8) is None


def test_codes_count_the_signs_that_differ() -> None:
    z, y, _ = points(dim=5)
    found, plus, scores = hamming_scores(z, y), np.zeros(6), []
    for i in range(len(y)):
        apart = np.array([sum((z[i] > 0) != (z[j] > 0)) for j in range(len(y)) if j != i])
        hits = np.array([y[i] == y[j] for j in range(len(y)) if j != i])
        plus += np.bincount(apart[hits], minlength=6)
        if hits.any():
            scores.append(average_precision_score(hits, -apart))
    np.testing.assert_allclose(found.plus, plus / plus.sum())
    assert found.minus.sum() == pytest.approx(1)
    assert found.average_precision == pytest.approx(np.mean(scores))


def test_recall_is_that_of_galleries_with_negatives_left_out_at_random() -> None:
    _, y, d2 = points(n=40)
    found, random, k = recall_with_fewer_negatives(d2, y), np.random.default_rng(0), 30
    hits = []
    for query in range(len(y)):
        same = (y == y[query]) & (np.arange(len(y)) != query)
        if same.any():
            ahead = (y != y[query]) & (d2[query] <= d2[query, same].min())
            hits.append((random.random((4000, int(ahead.sum()))) < FEWER[k]).sum(1))
    for row, rank in enumerate(RANKS):
        assert found[row, k] == pytest.approx(np.mean([(drawn < rank).mean() for drawn in hits]), abs=0.01)
    assert (np.diff(found, axis=1) <= 1e-12).all()
    ties = Scene.read("a90_290_240_0_140b300_190_10c270_260").subject()
    whole = Model(ties, Settings(0, Binning(10))).recall_with_fewer_negatives[:, -1]
    np.testing.assert_allclose(whole, [retrieval(ties.z, ties.y).recall[rank] for rank in RANKS])


def test_a_perfect_ranking_scores_1_for_certain_once_two_bins_fit_into_its_gap() -> None:
    bins = np.arange(1, 200)
    for binning in (Binning(4, top=2.0), Binning(4)):
        one = Model(preset_embeddings("an outlier"), Settings(7, binning)).ranking
        scores = against_bins(one.d2, one.relevant, bins, binning)
        assert (scores[bins >= one.bins_for_perfect_fastap] > 1 - 1e-12).all()
    touched = bins[scores > 1 - 1e-12][0]
    assert (scores[bins > touched] < 1 - 1e-6).any(), "the first number of bins that scores 1 is not the one to wait for"
