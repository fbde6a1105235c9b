"""Pairs, planes and triplets taken apart: every number is the loss's own, by its weights, by autograd, or by counting out."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from dml_viz.analysis import response_to, triplet_plane
from dml_viz.analysis.around_triplet import Model, TripletChoice, hardest_positive_and_negative, informative_pair
from dml_viz.analysis.small_batch import LABELS, SmallBatch
from dml_viz.analysis.triplet_plane import NEAR, cut, plane
from dml_viz.analysis.triplets import (
    compared_distances,
    count_pairs_and_triplets,
    counts_by_batch_size,
    counts_of_balanced_batches,
    number_of_triplets,
    number_with_active_pair,
    tally_of_batch,
    triplets,
)
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import SCENES, preset_embeddings
from dml_viz.embedding.sphere import normalise
from dml_viz.explain.pairs.model import COSINES, DEGREES, PAIRWISE, dependence, field
from dml_viz.explain.pairs.model_cost import CLASSES, DIM, LARGEST_DENSE, SIZES, batch, costs
from dml_viz.losses import Loss
from dml_viz.losses.circle import Circle
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.margin import Margin
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.multi_similarity import MultiSimilarity
from dml_viz.losses.n_pair import NPair
from dml_viz.losses.smooth_ap import SmoothAP
from dml_viz.losses.snr import SNR
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params
from tests.samples import for_each


@pytest.fixture(autouse=True, scope="module")
def coarser() -> Iterator[None]:
    """Planes on half the grid and cuts of a third of the points, on which the same holds; the gallery has them fine."""
    caches = (triplet_plane.plane, triplet_plane.cut, field)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triplet_plane, "GRID", 17)
        patch.setattr(triplet_plane, "FINE", 41)
        patch.setattr(triplet_plane, "FEW", 40)  # the same share of the grid as of the fine one
        for cached in caches:
            cached.cache_clear()
        yield
    for cached in caches:
        cached.cache_clear()


MININGS = ("all", "semi-hard", "batch-hard")
TRIPLETS = [Triplet(mining=m, squared=s, reduction=r) for m in MININGS for s in (True, False) for r in ("all", "nonzero")]


DEFAULTS = [kind() for kind in PAIRWISE.values()]


def switched(kind: type[Loss]) -> list[Loss]:
    """The losses at all settings of the switches, with numbers at their defaults."""
    switches = [knob for knob in params(kind) if knob.kind is bool or knob.choices]
    spelt = itertools.product(*(knob.ends for knob in switches))
    return [kind(**dict(zip((knob.name for knob in switches), values, strict=True))) for values in spelt]


def cloud(n: int = 18, dim: int = 5, classes: int = 4) -> Embeddings:
    generator = torch.Generator().manual_seed(3)
    z = torch.randn(n, dim, dtype=torch.float64, generator=generator)
    return Embeddings(normalise(z), torch.arange(n) % classes, "A cloud.")


SUBJECTS = {"cloud": cloud(), **{name: preset_embeddings(name) for name in SCENES}}


def all_triplets(subject: Embeddings) -> list[tuple[int, int, int]]:
    y = subject.y.tolist()
    return [(a, p, n) for a, p, n in itertools.product(range(len(y)), repeat=3) if y[a] == y[p] != y[n] and a != p]


def test_the_losses_are_all_of_their_families_without_proxies() -> None:
    assert {"contrastive", "triplet", "n_pair", "lifted", "multi_similarity", "snr", "circle", "nca", "sup_con"} <= set(PAIRWISE)
    for kind in PAIRWISE.values():
        assert not kind().initial_tensors(3, 2, torch.Generator()).keys() & {"proxies"}


@for_each("loss", [loss for loss in DEFAULTS if loss.unit and not loss.one_sided], ids=repr)
def test_edges_add_up_to_the_arrows(loss: Loss) -> None:
    model = Model(SUBJECTS["cloud"], TripletChoice(loss, 0, 4, 1))
    pulled = model.weights @ model.z
    along = pulled - (pulled * model.z).sum(1, keepdims=True) * model.z
    np.testing.assert_allclose(model.descent, -along, atol=1e-10)


def by_autograd(loss: Loss, labels: tuple[int, ...], s_p: float, s_n: float) -> list[float]:
    """Value and slopes of the loss at these similarities, with the loss's constants fixed."""
    y = torch.tensor(labels)
    leaves = torch.tensor([s_p, s_n], dtype=torch.float64, requires_grad=True)
    s = torch.where(y[:, None] == y, *leaves).masked_fill(torch.eye(len(y), dtype=torch.bool), 1)
    learnt = {name: tensor.double() for name, tensor in loss.initial_tensors(len(y), len(y), torch.Generator()).items()}
    value = loss.of_pairs(loss.pairs(torch.eye(len(y), dtype=torch.float64), y, learnt).at(2 - 2 * s))
    slopes = torch.autograd.grad(value, leaves)[0] if value.requires_grad else torch.zeros(2)
    return [float(value.detach()), *slopes.tolist()]


def by_differences(batch: SmallBatch, s_p: float, s_n: float, step: float = 1e-6) -> list[float]:
    values = [
        [batch.gradients(s_p + k * step * (axis == 0), s_n + k * step * (axis == 1)).value for axis in (0, 1)] for k in (-1, 1)
    ]
    return [batch.gradients(s_p, s_n).value, *((after - before) / (2 * step) for before, after in zip(*values, strict=True))]


@for_each("labels", LABELS, ids=str)
@for_each("loss", [loss for kind in PAIRWISE.values() for loss in switched(kind)], ids=repr)
def test_the_field_is_autograds(loss: Loss, labels: tuple[int, ...]) -> None:
    """For losses of raw rows, seen on unit vectors, the field equals differences of the value."""
    batch = SmallBatch(loss, labels)
    for s_p, s_n in np.random.default_rng(0).uniform(-0.97, 0.97, (8, 2)).tolist():
        gradients = batch.gradients(s_p, s_n)
        if batch.is_computed_from_pairs:
            np.testing.assert_allclose(gradients, by_autograd(loss, labels, s_p, s_n), rtol=1e-8, atol=1e-8)
        elif not np.isnan(gradients.value):
            np.testing.assert_allclose(gradients, by_differences(batch, s_p, s_n), rtol=1e-5, atol=1e-5)


def test_similarities_that_no_rows_have_move_nothing() -> None:
    batch = SmallBatch(SNR(), LABELS[0])
    impossible = batch.gradients(-1.0, 1.0)
    assert np.isnan(impossible.positive)
    assert not impossible.has_gradient
    assert batch.gradients(0.5, 0.5).has_gradient


def test_two_points_and_a_third_are_the_batch_unless_the_loss_needs_two_classes_of_two() -> None:
    assert plane(Triplet()).batch.labels == (0, 0, 1)
    assert plane(NPair()).batch.labels == (0, 0, 1, 1)
    assert plane(SNR(form="N-pair")).batch.labels == (0, 0, 1, 1)


def test_raw_rows_are_shown_where_such_unit_vectors_exist() -> None:
    found = plane(NPair())
    s_p, s_n = np.meshgrid(found.s, found.s)
    np.testing.assert_array_equal(np.isnan(found.value), np.abs(s_n) > (1 + s_p) / 2 + 1e-9)


@pytest.mark.parametrize("margin", [0.0, 0.2, 1.0])
def test_a_triplet_stops_giving_gradient_at_half_the_margin_below_its_positive(margin: float) -> None:
    ends = plane(Triplet(mining="all", margin=margin)).still.reshape(-1, 2)
    assert len(ends)
    np.testing.assert_allclose(ends[:, 1], ends[:, 0] - margin / 2, atol=2e-3)


def test_semi_hard_leaves_a_band() -> None:
    ends = plane(Triplet(mining="semi-hard", margin=0.6)).still.reshape(-1, 2)
    below = ends[:, 0] - ends[:, 1]
    assert set(np.round(below, 1)) <= {0.0, 0.3, -0.0}
    assert (below > 0.15).any()
    assert (below < 0.15).any()


def test_boundaries_of_other_losses_are_where_their_formulas_put_them() -> None:
    np.testing.assert_allclose(plane(Circle()).even.reshape(-1, 2).sum(1), 1, atol=2e-3)
    within, beyond = (1 - d**2 / 2 for d in (1.0, 1.4))
    s_p, s_n = plane(Margin(over="pairs")).still.reshape(-1, 2).T
    assert np.minimum(np.abs(s_p - within), np.abs(s_n - beyond)).max() < 2e-3
    s_p, s_n = plane(Contrastive()).even.reshape(-1, 2).T
    d = np.sqrt(2 - 2 * s_n)
    # One pull for the pair of positives, two pushes of (m - d) / d.
    np.testing.assert_allclose(2 * (1 - d) / d, 1, atol=0.03)


def test_the_printed_value_of_circle_has_a_groove_that_its_gradient_does_not_have() -> None:
    loss = Circle(margin=0.25, gamma=80)
    gradients = {s_n: plane(loss).batch.gradients(0.75, s_n) for s_n in (0.25, 0.0, -0.2, -0.25, -0.9)}
    assert [round(at.value, 4) for at in gradients.values()] == [0.6931, 0.0067, 0.153, 0.6931, 0.6931]
    along = cut(loss, 0.75)
    assert (along.used >= 0).all()
    rising = along.s_n[along.step_raises_value]
    assert -0.26 < rising.min() < -0.2
    assert -0.1 < rising.max() <= 0


@pytest.mark.parametrize("loss", [loss for loss in DEFAULTS if not loss.held_constant], ids=repr)
def test_other_losses_descend_their_printed_value(loss: Loss) -> None:
    along = cut(loss, 0.6)
    known = np.isfinite(along.slope) & np.isfinite(along.used)
    off = np.abs(along.slope - along.used)[known]
    assert np.quantile(off, 0.9) < 1e-4 * max(np.abs(along.used[known]).max(), 1)
    assert along.s_n[-1] == NEAR


def test_rounding_errors_are_no_gradient_of_a_pair() -> None:
    found = response_to(preset_embeddings("separated"), SmoothAP())
    assert 0 < found.largest_weight < 1e-15
    assert found.active_pairs[0] == 0 == found.active_points[0]


@for_each("name", ["cloud", "overlapping", "collapsed", "a class of one", "no two of a class"])
@for_each("loss", TRIPLETS, ids=repr)
def test_triplets_left_and_active_are_those_counted_one_by_one_and_give_the_weights(loss: Triplet, name: str) -> None:
    subject = SUBJECTS[name]
    d, y = compared_distances(loss, subject), subject.y.numpy()
    n = len(y)
    left, active, with_gradient = (np.zeros((n, n, n), bool) for _ in range(3))
    for anchor in range(n):
        of = triplets(loss, d, y, anchor)
        left[anchor][np.ix_(of.positives, of.negatives)] = of.left
        active[anchor][np.ix_(of.positives, of.negatives)] = of.active
        with_gradient[anchor][np.ix_(of.positives, of.negatives)] = of.with_gradient
    for a, p, k in all_triplets(subject):
        if loss.mining == "batch-hard":
            positives = [j for j in range(n) if y[j] == y[a] and j != a]
            negatives = [j for j in range(n) if y[j] != y[a]]
            wanted = p == max(positives, key=d[a].__getitem__) and k == min(negatives, key=d[a].__getitem__)
        else:
            wanted = loss.mining == "all" or d[a, p] < d[a, k] < d[a, p] + loss.margin
        assert left[a, p, k] == wanted
        assert active[a, p, k] == (wanted and d[a, p] - d[a, k] + loss.margin > 0)
    assert left.sum() <= len(all_triplets(subject))
    together = (d[:, :, None] == 0) & (d[:, None, :] == 0)
    np.testing.assert_array_equal(with_gradient, active & (loss.squared | ~together))
    many = (active if loss.reduction == "nonzero" else left).sum()
    slopes = (active.sum(2) - active.sum(1)) / max(many, 1)
    factor = 2.0 if loss.squared else np.divide(1, d, out=np.zeros_like(d), where=d > 0)
    weights = loss.weights(subject.z, subject.y).pair.numpy()
    np.testing.assert_allclose(-factor * slopes, weights, atol=1e-9)


@for_each("name", SUBJECTS)
@for_each("mining", MININGS)
def test_tallies_are_counted_one_by_one(name: str, mining: str) -> None:
    subject, loss = SUBJECTS[name], Triplet(mining=mining)
    d, found, every = compared_distances(loss, subject), tally_of_batch(loss, subject), all_triplets(subject)
    assert found.all == len(every) == number_of_triplets(subject.y.numpy())
    assert found.wrong == sum(d[a, n] <= d[a, p] for a, p, n in every)
    assert found.within == sum(d[a, n] > d[a, p] and d[a, p] - d[a, n] + loss.margin > 0 for a, p, n in every)
    if mining == "all":
        assert found.left == found.all
        assert found.active == found.wrong + found.within
    if mining == "semi-hard":
        assert found.left == found.active <= found.within


@for_each("name", SUBJECTS)
@for_each("loss", [MultiSimilarity(), Contrastive(), Circle(), Triplet(mining="semi-hard")], ids=repr)
def test_counts_are_those_of_brute_force(loss: Loss, name: str) -> None:
    subject = SUBJECTS[name]
    found, seen = response_to(subject, loss), count_pairs_and_triplets(loss, subject)
    n, every = len(subject.y), all_triplets(subject)
    table = found.pair_weight_matrix
    with_gradient = np.abs(table) > found.least_weight
    assert seen.pairs == len(list(itertools.combinations(range(n), 2)))
    assert seen.active_pairs == sum(bool(with_gradient[i, j]) for i, j in itertools.combinations(range(n), 2))
    assert seen.triplets == len(every)
    if isinstance(loss, Triplet):
        d = compared_distances(loss, subject)
        assert seen.active_triplets == sum(d[a, p] < d[a, k] < d[a, p] + loss.margin for a, p, k in every)
    else:
        assert seen.active_triplets == sum(bool(with_gradient[a, p] or with_gradient[a, k]) for a, p, k in every)
        assert seen.active_triplets == number_with_active_pair(table, subject.y.numpy(), found.least_weight)


def test_batches_grow_to_the_whole_one() -> None:
    subject = SUBJECTS["cloud"]
    counts = counts_by_batch_size(Triplet(mining="all"), subject)
    sizes = [found.n for found in counts]
    assert sizes == sorted(set(sizes))
    assert counts[-1] == count_pairs_and_triplets(Triplet(mining="all"), subject)
    pairs, many = counts_of_balanced_batches(np.array([len(subject.y) // 4 * 4]), 4)
    assert (pairs[0], many[0]) == (16 * 15 / 2, number_of_triplets(np.arange(16) % 4))


@for_each("name", SUBJECTS)
def test_the_hardest_of_an_anchor_are_the_farthest_positive_and_the_nearest_negative(name: str) -> None:
    subject = SUBJECTS[name]
    d = compared_distances(Triplet(), subject)
    for anchor in range(len(subject.y)):
        positive, negative = hardest_positive_and_negative(subject, anchor)
        own = [j for j in range(len(d)) if subject.y[j] == subject.y[anchor] and j != anchor]
        others = [j for j in range(len(d)) if subject.y[j] != subject.y[anchor]]
        assert positive == (max(own, key=d[anchor].__getitem__) if own else -1)
        assert negative == (min(others, key=d[anchor].__getitem__) if others else -1)


def test_learnt_tensors_are_those_of_the_subject_where_it_has_them() -> None:
    subject, loss = SUBJECTS["cloud"], Margin(learn_beta=True)
    moved = replace(subject, learnt={"beta": torch.full((4,), 0.5, dtype=torch.float64)})
    assert response_to(moved, loss).value == pytest.approx(response_to(subject, Margin(beta=0.5)).value)
    assert response_to(subject, loss).value == pytest.approx(response_to(subject, Margin()).value)


@for_each("name", ["cloud", "overlapping", "one hard negative"])
@for_each("loss", [*DEFAULTS, Triplet(mining="batch-hard")], ids=repr)
def test_the_triplet_shown_has_a_gradient_if_any_of_its_anchor_has_one(loss: Loss, name: str) -> None:
    subject = SUBJECTS[name]
    for anchor in (0, 5):
        model = Model(subject, TripletChoice(loss, anchor, *informative_pair(subject, loss, anchor)))
        of = (model.triplets.positives == model.settings.positive, model.triplets.negatives == model.settings.negative)
        assert model.triplets.with_gradient[of].all() == model.triplets.with_gradient.any()
        if not model.triplets.with_gradient.any():
            assert (model.settings.positive, model.settings.negative) == hardest_positive_and_negative(subject, anchor)
        assert model.left_out_by_mining == (not model.triplets.left[of].all())


@pytest.mark.parametrize("margin", [0.15, 0.2, 0.4])
def test_places_of_a_band_are_in_the_middle_of_it(margin: float) -> None:
    s_p, s_n, pull, push = plane(Triplet(mining="semi-hard", margin=margin)).band
    inner = (np.abs(s_p) < 0.85) & (np.abs(s_n) < 0.85)
    np.testing.assert_allclose((s_p - s_n)[inner], margin / 4, atol=2e-3)
    np.testing.assert_array_equal((pull, push), np.array([[-2.0], [2.0]]).repeat(len(s_p), 1))
    assert plane(MultiSimilarity()).band.size == 0


@pytest.mark.parametrize("loss", [NPair(), SNR()], ids=repr)
def test_the_plane_is_blank_where_there_are_no_unit_rows(loss: Loss) -> None:
    found = plane(loss)
    within = found.batch.largest_s_n(found.s)
    np.testing.assert_array_equal(np.isnan(found.value), np.abs(found.s)[:, None] > within + 1e-9)
    np.testing.assert_allclose(found.edge[:, 1], found.batch.largest_s_n(found.edge[:, 0]))


def test_am_softmax_over_two_cosines_is_the_softplus_of_their_difference() -> None:
    loss = MarginSoftmax(form="AM-softmax", scale=8, margin=0.3)
    found = field(loss, COSINES)
    s_p, s_n = np.meshgrid(found.at, found.at)
    np.testing.assert_allclose(found.value, np.logaddexp(0, 8 * (s_n - s_p + 0.3)), atol=1e-9)
    slope = 8 / (1 + np.exp(-8 * (s_n - s_p + 0.3)))
    np.testing.assert_allclose(found.across, slope, atol=1e-9)
    np.testing.assert_allclose(found.up, -slope, atol=1e-9)


@pytest.mark.parametrize("loss", [MarginSoftmax(form="AM-softmax"), MultiSimilarity(), Triplet()], ids=repr)
def test_a_step_in_degrees_goes_down_the_slope_of_the_value(loss: Loss) -> None:
    cosines, degrees = field(loss, COSINES), field(loss, DEGREES)
    at = np.radians(degrees.at)
    np.testing.assert_allclose(np.cos(at)[::-1], cosines.at, atol=1e-15)
    np.testing.assert_allclose(degrees.value[::-1, ::-1], cosines.value)
    s = cosines.at[5]
    batch = plane(loss).batch if "proxies" not in loss.learns else None
    if batch:
        ahead, behind = (batch.gradients(s, np.cos(at[7] + step)).value for step in (1e-6, -1e-6))
        assert degrees.up[7, len(at) - 6] == pytest.approx(-(ahead - behind) / 2e-6, rel=1e-4, abs=1e-6)


def test_the_circle_loss_steps_towards_one_point_and_the_triplet_loss_at_45_degrees() -> None:
    circle, triplet = field(Circle(margin=0.4), COSINES), field(Triplet(), COSINES)
    s_p, s_n = np.meshgrid(circle.at, circle.at)
    pushed = (s_n > -0.4) & (np.hypot(circle.across, circle.up) > 1e-9)
    assert pushed.sum() > 100
    np.testing.assert_allclose((circle.across * (s_n + 0.4))[pushed], (-circle.up * (1.4 - s_p))[pushed], rtol=1e-6)
    np.testing.assert_allclose(triplet.across, -triplet.up, atol=1e-12)


def test_a_step_is_timed_at_every_size_on_the_batch_named() -> None:
    z, y = batch(64)
    assert z.shape == (64, DIM)
    assert len(y.unique()) == CLASSES
    timed = costs()
    assert [len(cost.milliseconds) for cost in timed] == [len(SIZES)] * 4 + [SIZES.index(LARGEST_DENSE) + 1]
    assert all((cost.milliseconds > 0).all() for cost in timed)
    assert costs() is timed, "measured once"


def test_a_pair_s_weight_depends_on_the_similarities_that_its_loss_reads() -> None:
    of = preset_embeddings("overlapping")
    found = dependence(of, 3, 7)
    changes = dict(zip(found.titles, found.changes.tolist(), strict=True))
    assert changes["Contrastive"][1:] == [0, 0]
    assert all(value > 0 for value in changes["NT-Xent"])
    assert changes["Ranked List"][1] > 0 == changes["Ranked List"][2]
    assert changes["Multi-Similarity"][1] > 0
    # By hand: a negative weighs (1 - d) / d, a positive 1; a similarity stays below 0.995, where points have a distance.
    d = of.d2[of.y[:, None] != of.y].sqrt()
    moved = np.minimum(float(1 - of.d2[3, 7] / 2) + np.array([0.0, 0.3, -0.3]), 0.995)
    now, *ends = (1 / np.sqrt(2 - 2 * moved) - 1).clip(0)
    assert changes["Contrastive"][0] == pytest.approx(max(abs(end - now) for end in ends) / float((1 / d - 1).max()))
