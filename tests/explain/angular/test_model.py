"""Every number that the Angular page draws, against sums written one index at a time, autograd, or the losses themselves."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import SCENES, Scene, preset_embeddings
from dml_viz.embedding.sphere import squared_chords, tangent
from dml_viz.explain.angular import text
from dml_viz.explain.angular.figures._plane import drawn_pushes
from dml_viz.explain.angular.figures.batch import spreads
from dml_viz.explain.angular.model import FORMS, Model, Settings, nearest_possible_roles
from dml_viz.explain.angular.model_batch import DIMENSIONS, EDGES, pair_fan, positive_pairs, random_counts, triangle_counts
from dml_viz.explain.angular.model_triangle import (
    LABELS,
    Triangle,
    angular_push,
    loss_of_violation,
    slope_of_violation,
    triplet_push,
)
from dml_viz.explain.angular.text import largest_round_the_sphere
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.pitfalls._training import example
from dml_viz.pitfalls.angular import unsquared_violation
from dml_viz.plot.canvas import Display
from tests.samples import for_each

PLACES = range(0, 360, 9)
DEGENERATE = {
    "one point": ((1.0, 0.0), (1.0, 0.0), (1.0, 0.0)),
    "a pair in one place": ((1.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
    "an opposite pair": ((1.0, 0.0), (-1.0, 0.0), (0.6, 0.8)),
    "a negative on its anchor": ((1.0, 0.0), (0.0, 1.0), (1.0, 0.0)),
}


def unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def random_triangles(dim: int, count: int = 12) -> list[np.ndarray]:
    return list(unit(np.random.default_rng(dim).normal(size=(count, 3, dim))))


def between(u: np.ndarray, v: np.ndarray) -> float:
    return math.degrees(math.acos(float(np.clip(u @ v / np.linalg.norm(u) / np.linalg.norm(v), -1, 1))))


EVERY = [rows for dim in (2, 3, 8, 64) for rows in random_triangles(dim)]
ANGULARS = [
    Angular(form="hinge", alpha=30.0),
    Angular(form="hinge", alpha=60.0),
    Angular(form="logistic"),
    Angular(form="logistic", constant_kept=True, alpha=25.0),
]
TRIPLETS = [Triplet(mining="all"), Triplet(mining="all", squared=False, margin=0.9)]


def alone(rows: np.ndarray, angular: Angular, triplet: Triplet, *, both: bool = False) -> Model:
    """The model of a batch of the three points ``rows`` (3, d)."""
    return Model(Embeddings(torch.from_numpy(rows), LABELS, ""), Settings(angular, triplet, both))


@for_each("rows", EVERY, ids=lambda rows: f"d = {rows.shape[1]}")
def test_plane_coordinates_are_true_to_scale_in_any_dimension(rows: np.ndarray) -> None:
    triangle = Triangle(rows)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        flat = np.linalg.norm(triangle.corners[i] - triangle.corners[j])
        assert flat == pytest.approx(np.linalg.norm(rows[i] - rows[j]), abs=1e-12)
    a, p, n = triangle.corners
    np.testing.assert_allclose(a, (-triangle.radius, 0), atol=1e-12)
    np.testing.assert_allclose(p, (triangle.radius, 0), atol=1e-12)
    assert n[1] >= -1e-12


@for_each("rows", EVERY, ids=lambda rows: f"d = {rows.shape[1]}")
def test_the_angle_is_that_at_the_negative_between_the_middle_and_the_point_of_the_circle(rows: np.ndarray) -> None:
    triangle = Triangle(rows)
    n, m = triangle.corners[2], triangle.x_m
    assert np.linalg.norm(m) == pytest.approx(triangle.radius)
    assert m @ n == pytest.approx(0, abs=1e-12)  # the perpendicular to x_n x_c at x_c
    assert between(-n, m - n) == pytest.approx(triangle.angle)
    assert math.tan(math.radians(triangle.angle)) == pytest.approx(
        np.linalg.norm(rows[0] - rows[1]) / (2 * np.linalg.norm(rows[2] - (rows[0] + rows[1]) / 2))
    )
    # Of both ends of the perpendicular, the nearer one to the sphere's centre.
    assert np.linalg.norm(m - triangle.sphere_section_circle[0]) <= np.linalg.norm(-m - triangle.sphere_section_circle[0]) + 1e-12


@pytest.mark.parametrize("alpha", [1.0, 25.0, 45.0, 60.0, 80.0])
def test_the_bound_holds_where_the_hinge_is_zero_and_outside_its_circle(alpha: float) -> None:
    loss = Angular(form="hinge", alpha=alpha)
    for rows in EVERY:
        triangle = Triangle(rows)
        outside = triangle.distance_to_negative >= triangle.distance_at_angle(alpha)
        assert triangle.is_within_bound(alpha) == outside == (triangle.angle <= alpha)
        assert (float(loss.value(torch.from_numpy(rows), LABELS)) == 0) == outside


@for_each("rows", EVERY, ids=lambda rows: f"d = {rows.shape[1]}")
def test_the_cut_goes_through_all_three_points_and_stays_on_the_sphere(rows: np.ndarray) -> None:
    triangle = Triangle(rows)
    centre, radius = triangle.sphere_section_circle
    np.testing.assert_allclose(np.linalg.norm(triangle.corners - centre, axis=1), radius, atol=1e-9)
    np.testing.assert_allclose(triangle.points_on_section_circle(triangle.degrees_on_section_circle), triangle.corners, atol=1e-9)
    everywhere = triangle.centre + triangle.points_on_section_circle(np.arange(0, 360, 10)) @ triangle.plane.T
    np.testing.assert_allclose(np.linalg.norm(everywhere, axis=1), 1, atol=1e-9)
    assert triangle.degrees_on_section_circle[0] == pytest.approx(-triangle.degrees_on_section_circle[1])
    assert triangle.degrees_on_section_circle[1] >= 0


@for_each("name", DEGENERATE)
@for_each("dim", [2, 3, 8])
def test_a_degenerate_triangle_has_a_plane_and_finite_numbers(name: str, dim: int) -> None:
    rows = np.zeros((3, dim))
    rows[:, :2] = DEGENERATE[name]
    triangle = Triangle(rows)
    np.testing.assert_allclose(triangle.plane.T @ triangle.plane, np.eye(2), atol=1e-12)
    if name == "one point":
        assert triangle.is_one_point
        assert math.isnan(triangle.angle)
        assert triangle.is_within_bound(1.0)
    else:
        assert 0 <= triangle.angle <= 90
    for found in (
        triangle.corners,
        triangle.x_m,
        triangle.sphere_section_circle[0],
        triangle.sphere_section_circle[1],
        triangle.degrees_on_section_circle,
    ):
        assert np.isfinite(found).all()
    np.testing.assert_allclose(
        np.linalg.norm(triangle.corners[2] - triangle.corners[0]), np.linalg.norm(rows[2] - rows[0]), atol=1e-12
    )


def test_size_and_turn_leave_the_angle_alone() -> None:
    for rows in EVERY:
        triangle = Triangle(rows)
        for scale, turn in ((0.25, 0), (4, 90), (1.3, -180)):
            a, p, n = triangle.scaled_corners(scale, turn)
            middle = (a + p) / 2
            assert math.degrees(math.atan2(np.linalg.norm(a - p) / 2, np.linalg.norm(n - middle))) == pytest.approx(
                triangle.angle
            )
            assert np.linalg.norm(a - n) == pytest.approx(scale * np.linalg.norm(rows[0] - rows[2]))


@pytest.mark.parametrize("loss", ANGULARS, ids=lambda loss: f"{loss.form} {loss.alpha:g}")
def test_angular_arrows_are_the_loss_s_gradients_on_a_batch_of_the_three(loss: Angular) -> None:
    for rows in EVERY:
        z = torch.from_numpy(rows)
        push = angular_push(loss, rows)
        np.testing.assert_allclose(push.tangent, loss.gradient(z, LABELS), atol=1e-12)
        assert push.value == pytest.approx(float(loss.by_hand(z, LABELS)), abs=1e-12)
        np.testing.assert_allclose(tangent(torch.from_numpy(push.chords), z), push.tangent, atol=1e-12)


@pytest.mark.parametrize("loss", TRIPLETS, ids=lambda loss: f"squared {loss.squared}")
def test_triplet_arrows_of_both_orders_are_the_loss_s_gradients_on_a_batch_of_the_three(loss: Triplet) -> None:
    for rows in EVERY:
        z = torch.from_numpy(rows)
        push = triplet_push(loss, rows, both=True)
        np.testing.assert_allclose(push.tangent, loss.gradient(z, LABELS), atol=1e-12)
        assert push.value == pytest.approx(float(loss.by_hand(z, LABELS)), abs=1e-12)


@pytest.mark.parametrize("loss", TRIPLETS, ids=lambda loss: f"squared {loss.squared}")
def test_triplet_arrows_of_one_order_are_those_of_its_hinge(loss: Triplet) -> None:
    for rows in EVERY:
        z = torch.from_numpy(rows).requires_grad_()
        d = [(z[0] - z[k]).square().sum() for k in (1, 2)]
        if not loss.squared:
            d = [square.sqrt() for square in d]
        value = (d[0] - d[1] + loss.margin).relu()
        (slope,) = torch.autograd.grad(value, z)
        push = triplet_push(loss, rows, both=False)
        assert push.value == pytest.approx(float(value.detach()), abs=1e-12)
        np.testing.assert_allclose(push.chords, slope, atol=1e-12)
        np.testing.assert_allclose(push.tangent, tangent(slope, z.detach()), atol=1e-12)


def test_mean_of_the_two_orders_is_the_batch_of_three() -> None:
    loss = TRIPLETS[0]
    for rows in EVERY:
        one, other = triplet_push(loss, rows, both=False), triplet_push(loss, rows[[1, 0, 2]], both=False)
        both = triplet_push(loss, rows, both=True)
        np.testing.assert_allclose((one.chords + other.chords[[1, 0, 2]]) / 2, both.chords, atol=1e-12)


def test_chords_lie_in_the_triangle_s_plane_and_add_up_to_zero() -> None:
    for rows in EVERY:
        plane = Triangle(rows).plane
        for push in (
            angular_push(ANGULARS[0], rows),
            angular_push(ANGULARS[2], rows),
            triplet_push(TRIPLETS[0], rows, both=False),
        ):
            np.testing.assert_allclose(push.chords @ plane @ plane.T, push.chords, atol=1e-9)
            np.testing.assert_allclose(push.chords.sum(0), 0, atol=1e-9)


def test_the_angular_loss_pushes_along_the_middle_and_the_triplet_loss_along_the_anchor() -> None:
    for rows in EVERY:
        a, p, n = rows
        for loss in ANGULARS:
            chord = angular_push(loss, rows).chords[2]
            if np.linalg.norm(chord) > 1e-12:
                assert between(-chord, n - (a + p) / 2) == pytest.approx(0, abs=1e-4)
        chord = triplet_push(TRIPLETS[0], rows, both=False).chords[2]
        if chord.any():
            assert between(-chord, n - a) == pytest.approx(0, abs=1e-4)
        if alone(rows, ANGULARS[0], TRIPLETS[0], both=True).triplet_pushes_from == "middle":
            assert between(-triplet_push(TRIPLETS[0], rows, both=True).chords[2], n - (a + p) / 2) == pytest.approx(0, abs=1e-4)


def test_the_words_on_the_pushes_at_the_negative_are_those_of_autograd() -> None:
    for rows in EVERY:
        model = alone(rows, ANGULARS[2], TRIPLETS[0])
        told = text.look_for_arrows_at_negative(model)
        wide, narrow = model.of_angular.tangent[2], model.of_triplet.tangent[2]
        if np.linalg.norm(narrow) == 0:
            assert "only one loss pushes $x_n$" in told
        elif rows.shape[1] == 2:
            assert ("the same way" if wide @ narrow > 0 else "opposite ways") in told
        else:
            assert f"here {between(wide, narrow):.0f}° apart" in told
    off = alone(np.array(DEGENERATE["a pair in one place"]), ANGULARS[0], Triplet(mining="all", margin=0.1))
    assert text.claim_on_directions(off) == "Neither loss pushes the negative"


def on_circle(*degrees: float) -> np.ndarray:
    """Unit rows (N, 2) at angles in degrees."""
    return np.stack((np.cos(np.radians(degrees)), np.sin(np.radians(degrees))), 1)


@pytest.mark.parametrize("negative", range(10, 180, 10))
def test_a_triangle_at_the_bound_is_satisfied_and_pushed_nowhere_whatever_the_rounding(negative: int) -> None:
    # Seen from anywhere on the circle, half of an opposite pair looks 45 degrees wide.
    rows = on_circle(0, 180, negative)
    model = alone(rows, Angular(form="hinge"), Triplet(margin=4.0))
    assert model.triangle.is_within_bound(45.0)
    assert not model.of_angular.chords.any()
    assert not model.loss_at("angular", model.triangle.points_on_section_circle(np.array(PLACES))).any()
    assert model.batch.active == model.fan.shares.sum() == model.push_share_by_form[0] == 0
    assert (
        "angular, α = 45°: 0 of 1 pairs are below" in spreads(model, Display("light", ("A", "B"), (0, 0, 1))).layout.meta["alt"]
    )
    assert text.claim_on_directions(model) == "Only the triplet loss pushes the negative, from the anchor"
    for form in ("hinge", "logistic"):
        said = text.pitfall_sentences(alone(rows, Angular(form=form), Triplet()))["angular.unsquared"]
        assert "n′ is 45.0°, the formula satisfied" in said


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("squared", [False, True])
def test_a_triplet_at_its_margin_pushes_nowhere_whatever_the_rounding(squared: bool, both: bool) -> None:
    for degrees in range(10, 180, 10):
        # The pair is as far apart as both of its ends from the negative, or as the anchor alone.
        for rows in (on_circle(0, 120, 240), on_circle(0, degrees, -degrees)):
            model = alone(rows, Angular(), Triplet(margin=0.0, squared=squared), both=both)
            from_positive = both and model.slack_at(model.triangle.corners[2], 1) > 0
            assert model.triplet_pushes_from == ("positive" if from_positive else None)
            assert model.of_triplet.chords.any() == from_positive


@pytest.mark.parametrize("squared", [False, True])
def test_a_triplet_does_not_push_a_negative_that_is_on_its_anchor(squared: bool) -> None:
    rows, triplet = on_circle(0, 90, 0), Triplet(squared=squared)
    assert "the triplet loss not at all" in text.claim_on_directions(alone(rows, Angular(), triplet))
    assert alone(rows, Angular(), triplet).of_triplet.value > 0
    assert "the triplet loss from the positive" in text.claim_on_directions(alone(rows, Angular(), triplet, both=True))


def test_a_gradient_that_is_rounding_is_drawn_and_told_as_none() -> None:
    model = alone(on_circle(0, 180, 0), Angular(), Triplet())
    tangents = replace(model.settings, arrows="tangent")
    for push in drawn_pushes(Model(model.embeddings, tangents)):
        assert not push.lengths[2]


def test_n_pair_s_form_of_one_triplet_is_the_logistic_one() -> None:
    rows = EVERY[0]
    one, other = (angular_push(Angular(form=form), rows) for form in ("N-pair", "logistic"))
    np.testing.assert_array_equal(one.tangent, other.tangent)
    assert one.value == other.value > 0


@pytest.mark.parametrize("loss", ANGULARS, ids=lambda loss: f"{loss.form} {loss.alpha:g}")
def test_landscapes_are_the_losses_with_the_negative_moved(loss: Angular) -> None:
    for rows in EVERY[::5]:
        model, of_both = (alone(rows, loss, TRIPLETS[1], both=both) for both in (False, True))
        triangle = model.triangle
        places = triangle.points_on_section_circle(np.array(PLACES))
        landscapes = (model.loss_at("angular", places), model.loss_at("triplet", places), of_both.loss_at("triplet", places))
        for place, angular, one, both in zip(places, *landscapes, strict=True):
            moved = np.array((*rows[:2], triangle.centre + triangle.plane @ place))
            z = torch.from_numpy(moved)
            assert angular == pytest.approx(float(loss.by_hand(z, LABELS)), abs=1e-9)
            assert both == pytest.approx(float(TRIPLETS[1].by_hand(z, LABELS)), abs=1e-9)
            assert one == pytest.approx(triplet_push(TRIPLETS[1], moved, both=False).value, abs=1e-9)


def test_off_the_sphere_the_hinges_are_those_of_raw_rows() -> None:
    hinge, triplet = ANGULARS[1], TRIPLETS[0]
    for rows in EVERY[::5]:
        model = alone(rows, hinge, triplet)
        triangle = model.triangle
        for scale in (0.5, 3.0):
            place = np.array((0.3, -0.2))
            raw = torch.from_numpy(scale * np.array((*rows[:2], triangle.centre + triangle.plane @ place)))
            violation = float(model.violation_at(place, scale))
            assert max(violation, 0) == pytest.approx(float(hinge.by_hand(raw, LABELS)), abs=1e-9)
            orders = [max(float(model.slack_at(place, anchor, scale)), 0) for anchor in (0, 1)]
            assert np.mean(orders) == pytest.approx(float(triplet.by_hand(raw, LABELS)), abs=1e-9)


@pytest.mark.parametrize("loss", TRIPLETS, ids=lambda loss: f"squared {loss.squared}")
def test_the_triplet_loss_ends_at_its_margin_s_reach(loss: Triplet) -> None:
    model = alone(EVERY[0], ANGULARS[0], loss)
    away = model.triplet_zero_distance * np.array((math.cos(1.0), math.sin(1.0)))
    assert model.slack_at(model.triangle.corners[0] + away) == pytest.approx(0)


@pytest.mark.parametrize("loss", ANGULARS, ids=lambda loss: f"{loss.form} {loss.alpha:g}")
def test_slopes_of_the_forms_are_derivatives_of_their_values(loss: Angular) -> None:
    at = np.linspace(-9.97, 3.97, 60)
    step = 1e-6
    numeric = (loss_of_violation(loss, at + step) - loss_of_violation(loss, at - step)) / (2 * step)
    np.testing.assert_allclose(slope_of_violation(loss, at), numeric, atol=1e-7)


def by_brute_force(z: np.ndarray, y: np.ndarray, angular: Angular, triplet: Triplet) -> tuple[list[float], int, int]:
    """n' of every ordered triplet, how many have the hinge above 0, and how many the triplet loss."""
    t, angles, active, near = math.tan(math.radians(angular.alpha)) ** 2, [], 0, 0
    for a in range(len(y)):
        for p in range(len(y)):
            for n in range(len(y)):
                if a == p or y[a] != y[p] or y[n] == y[a]:
                    continue
                spread, reach = math.dist(z[a], z[p]), math.dist(z[n], (z[a] + z[p]) / 2)
                angles.append(math.degrees(math.atan2(spread / 2, reach)))
                active += spread**2 - 4 * t * reach**2 > 1e-12
                power = 2 if triplet.squared else 1
                near += spread**power - math.dist(z[a], z[n]) ** power + triplet.margin > 1e-12
    return angles, active, near


@for_each("name", SCENES)
@for_each("alpha", [25.0, 45.0, 60.0])
def test_counts_over_a_batch_equal_brute_force(name: str, alpha: float) -> None:
    angular, triplet = Angular(form="hinge", alpha=alpha), TRIPLETS[int(alpha) % 2]
    subject = preset_embeddings(name)
    d2 = squared_chords(subject.z, subject.z).numpy()
    found = triangle_counts(d2, subject.y.numpy(), angular, triplet)
    angles, active, near = by_brute_force(subject.z.numpy(), subject.y.numpy(), angular, triplet)
    assert 2 * found.triangles == len(angles)
    assert 2 * found.active == active
    assert found.triplet_active == near
    assert found.counts.sum() == found.spread.sum() == found.triangles
    if not angles:
        assert math.isnan(found.share)
        assert math.isnan(found.active_triplet_share)
        return
    assert found.share == active / len(angles)
    above = found.counts[EDGES[:-1] >= alpha].sum()
    assert above == found.active, "an angle at the bound, but for rounding, is not above it"
    # Angles exactly on a quarter of a degree, as those of opposite pairs, may fall into either bin.
    off = np.array([abs(angle / 0.25 - round(angle / 0.25)) > 1e-6 for angle in angles])
    np.testing.assert_array_equal(
        2 * found.counts >= np.histogram(np.array(angles)[off], EDGES)[0], np.ones(len(EDGES) - 1, bool)
    )


def test_active_share_is_that_of_the_hinge_s_pair_weights() -> None:
    for name in ("overlapping", "one hard negative", "an outlier", "two modes in one class"):
        model = Model(preset_embeddings(name), Settings(Angular(form="hinge", alpha=40.0), TRIPLETS[0], roles=(0, 1, 4)))
        assert model.push_share_by_form[0] == pytest.approx(model.batch.share)


def test_bins_of_violations_meet_at_zero() -> None:
    model = Model(preset_embeddings("overlapping"), Settings(Angular(alpha=37.0), TRIPLETS[0], roles=(0, 4, 6)))
    zero = int(np.flatnonzero(model.batch.violations == 0)[0])
    assert model.batch.spread[zero:].sum() == model.batch.active
    assert model.batch.violations[-1] == pytest.approx(4)


def test_shares_pushed_are_sums_of_the_softmax_one_pair_at_a_time() -> None:
    model = Model(preset_embeddings("overlapping"), Settings(Angular(alpha=40.0), TRIPLETS[0], roles=(0, 4, 6)))
    z, y, t = model.z, model.y, model.t
    pairs = [(a, p) for a in range(len(y)) for p in range(len(y)) if a != p and y[a] == y[p]]
    for (form, constant), pushed in zip(FORMS[1:], model.push_share_by_form[1:], strict=True):
        assert form == "logistic"
        total = 0.0
        for a, p in pairs:
            f = [4 * t * (z[a] + z[p]) @ z[n] - 2 * (1 + t) * z[a] @ z[p] for n in range(len(y)) if y[n] != y[a]]
            weight = sum(math.exp(value + (2 - 6 * t if constant else 0)) for value in f)
            total += weight / (1 + weight)
        assert pushed == pytest.approx(total / len(pairs))


def test_in_many_dimensions_the_hinge_has_almost_no_gradient() -> None:
    # At 45 degrees about a quarter of random triplets in two dimensions, 3 % in eight, none in 32; the triplet loss has more.
    at = {dim: random_counts(dim, Angular(alpha=45.0), TRIPLETS[0]) for dim in DIMENSIONS}
    assert at[2].share == pytest.approx(0.27, abs=0.05)
    assert at[8].share == pytest.approx(0.03, abs=0.01)
    assert at[32].share < 0.001
    assert all(0.5 < found.active_triplet_share < 0.7 for found in at.values())
    tighter = [random_counts(dim, Angular(alpha=36.0), TRIPLETS[0]).share for dim in DIMENSIONS]
    assert tighter == pytest.approx([0.49, 0.25, 0.06], abs=0.05)


def test_shares_beyond_are_those_of_every_alpha() -> None:
    for alpha in (25.0, 36.0, 52.0):
        found = random_counts(8, Angular(alpha=alpha), TRIPLETS[0])
        assert found.shares_above_angle[int(4 * alpha)] == pytest.approx(found.share, abs=1e-3)
    assert found.shares_above_angle[0] == 1
    assert found.shares_above_angle[-1] == 0


def test_a_role_that_does_not_fit_goes_to_the_next_point_that_fits() -> None:
    y = np.array((0, 0, 1, 2, 2, 0))
    assert nearest_possible_roles(y, (0, 1, 2)) == (0, 1, 2)
    assert nearest_possible_roles(y, (0, 0, 0)) == (0, 1, 2)
    assert nearest_possible_roles(y, (2, 0, 0)) == (3, 4, 0)  # the class of one point has no positive
    assert nearest_possible_roles(y, (5, 5, 5)) == (5, 0, 2)  # after the last point comes the first
    assert nearest_possible_roles(np.arange(4), (0, 1, 2)) is None
    assert nearest_possible_roles(np.zeros(4, int), (0, 1, 2)) is None


def test_both_printed_sums_are_the_loss_s_own() -> None:
    subject = preset_embeddings("overlapping")
    model = Model(subject, Settings(Angular(form="hinge", alpha=45.0), Triplet(mining="all"), roles=(4, 0, 5)))
    a, p, n = (subject.z[k] for k in model.settings.roles)
    assert model.violation == pytest.approx(float((a - p).square().sum() - 4 * (n - (a + p) / 2).square().sum()))
    assert model.of_angular.value == pytest.approx(model.violation)
    with_constant = Model(subject, replace(model.settings, angular=Angular(constant_kept=True)))
    assert with_constant.of_angular.value == pytest.approx(math.log1p(math.exp(model.violation)))
    dropped = Model(subject, replace(model.settings, angular=Angular()))
    assert dropped.of_angular.value == pytest.approx(math.log1p(math.exp(model.violation + 4)))


@pytest.mark.parametrize("form", ["logistic", "N-pair", "hinge"])
def test_a_pair_shares_its_push_among_its_negatives_as_the_formula_says(form: str) -> None:
    z, y = example(20, 5, 4)
    loss, t, a, p = Angular(form=form, alpha=40), math.tan(math.radians(40)) ** 2, 0, 4
    assert y[a] == y[p]
    found = pair_fan(loss, squared_chords(z, z).numpy(), y.numpy(), a, p)
    rows = [np.flatnonzero(y.numpy() == label) for label in range(4) if label != y[a]]
    assert found.negatives.tolist() == (
        sorted(own[1] for own in rows) if form == "N-pair" else sorted(np.concatenate(rows).tolist())
    )
    f = [float(4 * t * (z[a] + z[p]) @ z[n] - 2 * (1 + t) * z[a] @ z[p]) for n in found.negatives]
    whole = 1 + sum(map(math.exp, f))
    shares = [float(value + 2 - 6 * t > 0) if form == "hinge" else math.exp(value) / whole for value in f]
    np.testing.assert_allclose(found.shares, shares)


def test_every_pair_has_its_length_and_the_way_from_its_middle_to_the_nearest_negative() -> None:
    z, y = example(14, 3, 3)
    found = positive_pairs(squared_chords(z, z).numpy(), y.numpy())
    same = [(i, j) for i in range(14) for j in range(i + 1, 14) if y[i] == y[j]]
    assert found.ends.T.tolist() == [list(pair) for pair in same]
    for (i, j), apart, nearest in zip(same, found.length, found.to_negative, strict=True):
        assert apart == pytest.approx(float((z[i] - z[j]).norm()))
        others = [float((z[n] - (z[i] + z[j]) / 2).norm()) for n in range(14) if y[n] != y[i]]
        assert nearest == pytest.approx(min(others))


def test_code_of_unsquared_distances_ends_where_its_own_hinge_does() -> None:
    at = Model(Scene.read("a60_120b100").subject(), Settings(Angular(alpha=40), roles=(0, 1, 2)))
    middle, above = at.triangle.centre, np.array((0.0, 1.0))
    negative = torch.from_numpy(middle + at.unsquared_bound_radius * above)
    anchor, positive = at.embeddings.z[0], at.embeddings.z[1]
    assert float(unsquared_violation(anchor, positive, negative, math.radians(40))) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("opposite", [False, True])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("triplet", TRIPLETS, ids=lambda triplet: "squared" if triplet.squared else "unsquared")
def test_the_claim_on_the_circle_names_where_each_loss_is_largest(opposite: bool, both: bool, triplet: Triplet) -> None:
    turns = np.radians([0.0, 180.0 if opposite else 80.0, 30.0])
    model = alone(np.stack((np.cos(turns), np.sin(turns)), 1), Angular(alpha=20.0), replace(triplet, margin=1.0), both=both)
    anchor, positive, _ = model.triangle.degrees_on_section_circle

    def at(name: str, degrees: np.ndarray) -> np.ndarray:
        return model.loss_at(name, model.triangle.points_on_section_circle(degrees))

    middle = np.degrees(np.angle(np.exp(1j * np.radians([anchor, positive])).sum()))
    around, ends = np.arange(360.0), np.array([anchor, positive, middle])
    (at_anchor, at_positive, at_middle), most = at("triplet", ends), at("triplet", around).max() - 1e-9
    claim = largest_round_the_sphere(model)
    assert ("too" in claim) == (at_middle >= most)
    assert ("triplet loss at the anchor" in claim or "largest at the anchor" in claim) == (at_anchor >= most > at_middle)
    assert ("and at the positive" in claim) == (at_positive >= most > at_middle)
    angular = at("angular", around)
    assert ("the angular loss is the same everywhere" in claim) == (np.ptp(angular) < 1e-9)
    assert opposite or at("angular", ends)[2] >= angular.max() - 1e-9
