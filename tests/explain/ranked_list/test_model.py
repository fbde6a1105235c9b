"""Every number that the Ranked List page draws, against sums written one index at a time, or the loss itself."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import SCENES, preset
from dml_viz.explain.ranked_list.model import VARIANTS, Model, Settings, balls
from dml_viz.losses.ranked_list import RankedList
from tests.samples import for_each

LOSSES = [
    RankedList(),
    RankedList(alpha=0.8, margin=1.2, lam=4.0),
    RankedList(alpha=1.6, margin=0.0, temperature=40.0, differentiated="both ends"),
    RankedList(temperature=0.0, differentiated="both ends and weights"),
]


def cloud(n: int = 30, dim: int = 8, seed: int = 0) -> Embeddings:
    """Random unit rows of four classes and one point alone in its class."""
    random = np.random.default_rng(seed)
    y = np.append(np.arange(n - 1) % 4, 4)
    z = random.normal(size=(5, dim))[y] + random.normal(size=(n, dim))
    return Embeddings(torch.from_numpy(z / np.linalg.norm(z, axis=1, keepdims=True)), torch.from_numpy(y), "a cloud")


SUBJECTS = {
    **{f"{name}, {dim}-D": preset(name, dim).subject() for name in SCENES for dim in (2, 3)},
    **{f"cloud, {dim}-D": cloud(dim=dim) for dim in (2, 8, 64)},
}


every_subject = for_each("subject", SUBJECTS.values(), ids=SUBJECTS)


@every_subject
@for_each("loss", LOSSES, ids=lambda loss: loss.differentiated)
def test_mined_points_are_counted_one_pair_at_a_time(subject: Embeddings, loss: RankedList) -> None:
    model = Model(subject, Settings(loss, 0))
    points, labels = subject.z.tolist(), subject.y.tolist()
    for i in range(len(labels)):
        far = near = 0
        for j in range(len(labels)):
            d = math.dist(points[i], points[j])
            if abs(d - loss.alpha) < 1e-9 or abs(d - (loss.alpha - loss.margin)) < 1e-9:
                return  # a point lies on a circle to within a rounding error
            far += i != j and labels[i] == labels[j] and d > loss.alpha - loss.margin
            near += labels[i] != labels[j] and d < loss.alpha
        assert (model.too_far[i].sum(), model.too_near[i].sum()) == (far, near)


@every_subject
@for_each("loss", LOSSES, ids=lambda loss: loss.differentiated)
def test_the_parts_add_up_to_the_loss(subject: Embeddings, loss: RankedList) -> None:
    model = Model(subject, Settings(loss, 0))
    by_hand = float(loss.by_hand(subject.z, subject.y))
    assert model.value == pytest.approx(by_hand, abs=1e-12)
    assert float((model.mean_positive_loss + loss.lam * model.mean_negative_loss).mean()) == pytest.approx(by_hand, abs=1e-12)


@every_subject
def test_shares_are_exponentials_over_their_sum(subject: Embeddings) -> None:
    loss = RankedList()
    model = Model(subject, Settings(loss, 0))
    for row, near, d in zip(model.shares, model.too_near, model.d, strict=True):
        w = np.where(near, np.exp(loss.temperature * (loss.alpha - d)), 0)
        np.testing.assert_allclose(row, w / max(w.sum(), 1e-300), atol=1e-12)


@every_subject
@for_each("query", [0, 3])
@for_each("loss", LOSSES, ids=lambda loss: loss.differentiated)
def test_slopes_of_the_query_are_the_derivative_of_its_term_by_its_distances(
    subject: Embeddings, loss: RankedList, query: int
) -> None:
    model = Model(subject, Settings(loss, query))
    one = model.ranking
    d = torch.from_numpy(one.d).requires_grad_()
    far, near = torch.from_numpy(one.too_far), torch.from_numpy(one.too_near)
    term = d.sum() * 0
    if far.any():
        term = term + (d[far] - (loss.alpha - loss.margin)).mean()
    if near.any():
        w = (loss.temperature * (loss.alpha - d[near])).softmax(0)
        w = w if loss.differentiated == VARIANTS[2] else w.detach()
        term = term + loss.lam * (w * (loss.alpha - d[near])).sum()
    (slope,) = torch.autograd.grad(term, d)
    apart = one.d > 0
    np.testing.assert_allclose(one.slope[apart], slope.numpy()[apart], atol=1e-12)
    assert not one.slope[~apart].any()


@every_subject
def test_arrows_of_the_loss_are_its_descent_under_every_switch(subject: Embeddings) -> None:
    model = Model(subject, Settings(LOSSES[0], 0))
    for variant, move in model.arrows_of_loss.items():
        gradient = replace(model.settings.loss, differentiated=variant).gradient(subject.z, subject.y)
        np.testing.assert_array_equal(move, -gradient.numpy())


@every_subject
def test_the_terms_of_all_queries_average_to_the_whole_gradient(subject: Embeddings) -> None:
    looks = [Model(subject, Settings(LOSSES[0], query)) for query in range(len(subject.y))]
    for variant in VARIANTS:
        mean = np.mean([model.arrows_of_query[variant] for model in looks], axis=0)
        np.testing.assert_allclose(mean, looks[0].arrows_of_loss[variant], atol=1e-12)


def test_the_authors_gradient_of_one_query_moves_that_query_alone() -> None:
    model = Model(preset("overlapping").subject(), Settings(RankedList(), 6))
    alone, both, _ = (np.flatnonzero(move.any(1)) for move in model.arrows_of_query.values())
    assert alone.tolist() == [6]
    assert set(both.tolist()) == {6, *model.ranking.gallery[model.ranking.mined].tolist()}


def test_a_bigger_temperature_gives_the_whole_push_to_the_hardest_negative() -> None:
    shares = []
    for temperature in (0.0, 5.0, 10.0, 40.0, 150.0):
        one = Model(preset("overlapping").subject(), Settings(RankedList(temperature=temperature), 6)).ranking
        shares.append(one.share[one.too_near])
    assert shares[0].tolist() == [0.2] * 5
    assert all(np.diff([share[0] for share in shares]) > 0)
    assert shares[-1][0] == pytest.approx(1, abs=1e-6)


def test_bounds_are_those_of_the_loss_within_the_sphere() -> None:
    wide = RankedList(alpha=4.0, margin=1.0)
    for loss, bounds in ((RankedList(), (0.8, 1.2)), (RankedList(alpha=0.8, margin=1.2), (0, 0.8)), (wide, (2, 2))):
        assert Model(preset("separated").subject(), Settings(loss, 0)).loss_free_radii == pytest.approx(bounds)


@every_subject
def test_no_two_points_of_a_ball_are_farther_apart_than_its_diameter(subject: Embeddings) -> None:
    model = Model(subject, Settings(RankedList(), 0))
    inside = ~model.balls.outside
    own = model.positive & inside[:, None] & inside
    assert model.d[own].max(initial=0) <= 0.8 + 1e-9


def test_a_ball_cuts_off_a_cap_whose_opposite_ends_are_its_diameter_apart() -> None:
    half = math.asin(0.4)
    ends = np.array([-half, half, 0.0])
    z = np.stack((np.cos(ends), np.sin(ends)), 1)
    assert np.linalg.norm(z[0] - z[1]) == pytest.approx(0.8)
    for diameter, count in ((0.8, 0), (0.8 - 1e-6, 2)):
        assert int(balls(z, np.zeros(3, int), diameter).outside.sum()) == count


@pytest.mark.parametrize(("diameter", "count"), [(-0.1, 4), (0.0, 0), (2.0, 0)])
def test_a_class_at_one_place_fits_any_ball_except_of_negative_diameter(diameter: float, count: int) -> None:
    z = np.tile([[0.6, 0.8]], (4, 1))
    assert int(balls(z, np.zeros(4, int), diameter).outside.sum()) == count


def test_a_class_whose_points_cancel_out_has_its_ball_in_the_middle() -> None:
    z = np.array([[1.0, 0.0], [-1.0, 0.0]])
    found = balls(z, np.zeros(2, int), 0.8)
    assert found.centres.tolist() == [[0, 0]]
    assert found.outside.all()
    assert not balls(z, np.zeros(2, int), 2.0).outside.any()


def test_without_a_negative_in_reach_all_shares_are_zero() -> None:
    assert not Model(preset("separated").subject(), Settings(RankedList(), 0)).ranking.share.any()


def test_differentiated_weights_pull_some_mined_negatives_nearer() -> None:
    subject = preset("overlapping").subject()
    ones = [Model(subject, Settings(RankedList(differentiated=variant), 6)).ranking for variant in VARIANTS]
    assert [(one.slope[one.too_near] > 0).sum() for one in ones] == [0, 0, 3]
