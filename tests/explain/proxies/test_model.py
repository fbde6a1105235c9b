"""The Proxies page's numbers are the losses': weights, gradients, common mistakes, class means and flows."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from torch import Tensor

from dml_viz.data.wire import messages, unpack
from dml_viz.embedding.class_directions import k_means_centres, means, spread
from dml_viz.embedding.scene import SCENES, Scene, preset, preset_embeddings
from dml_viz.embedding.sphere import tangent
from dml_viz.engine.recordings import FOLDER, RACE
from dml_viz.explain.proxies.model import Model, Settings
from dml_viz.explain.proxies.model_bound import bound_along_gradient, least_loss_and_pull
from dml_viz.explain.proxies.model_influence import recorded_structure, structure
from dml_viz.explain.proxies.model_response import RATE, ProxyLoss, flow, proxy_response
from dml_viz.explain.proxies.scenes import with_proxies
from dml_viz.explain.proxies.text import look_for_widths
from dml_viz.losses.discriminative import Discriminative
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple
from dml_viz.pitfalls._training import directions, example
from dml_viz.pitfalls.proxy_nca import POSITIVE_IN_DENOMINATOR, with_few_proxies, with_wrong_sign
from tests.samples import for_each

LOSSES = (
    ProxyNCA(scale=3.0, smoothing=0.2),
    ProxyNCA(positive_in_denominator=True),
    ProxyAnchor(),
    ProxyAnchor(alpha=64.0, delta=0.5),
    MarginSoftmax(),
    MarginSoftmax(form="ArcFace"),
    SoftTriple(centres=2, tau=0.0),
)
PER_SAMPLE = tuple(loss for loss in LOSSES if not isinstance(loss, ProxyAnchor))


def batch(loss: ProxyLoss, dim: int = 3, classes: int = 5) -> tuple[Tensor, Tensor, Tensor]:
    z, y = example(17, dim, classes)
    return z, y, directions(classes * loss.per_class, dim)


@for_each("loss", LOSSES, ids=repr)
@for_each("dim", [2, 3, 8])
def test_a_response_is_that_of_its_loss(loss: ProxyLoss, dim: int) -> None:
    z, y, proxies = batch(loss, dim)
    response, found = proxy_response(loss, z, y, proxies), loss.gradients(z, y, proxies=proxies)
    weights = loss.weights(z, y, proxies=proxies).proxy
    assert weights is not None
    assert response.value == pytest.approx(float(found.value))
    np.testing.assert_allclose(response.weights, weights.numpy(), atol=1e-12)
    np.testing.assert_allclose(response.tangent, found.z.numpy(), atol=1e-9)
    np.testing.assert_allclose(response.gradient_at_proxies, found.learnt["proxies"].numpy(), atol=1e-9)


@pytest.mark.parametrize(
    "loss", [ProxyNCA(scale=3.0, positive_in_denominator=True), ProxyNCA(scale=2.0), ProxyAnchor()], ids=repr
)
def test_the_wrong_sign_is_that_loss_at_the_antipodes(loss: ProxyLoss) -> None:
    z, y, proxies = batch(loss)
    wrong, right = proxy_response(loss, z, y, proxies, wrong_sign=True), proxy_response(loss, z, y, -proxies)
    assert wrong.value == right.value
    np.testing.assert_array_equal(wrong.weights, -right.weights)
    np.testing.assert_allclose(wrong.tangent, right.tangent, atol=1e-12)
    np.testing.assert_allclose(wrong.gradient_at_proxies, -right.gradient_at_proxies, atol=1e-12)


def test_the_wrong_sign_is_that_of_published_code() -> None:
    loss = ProxyNCA(scale=3.0, positive_in_denominator=True)
    z, y, proxies = batch(loss)
    leaf = z.clone().requires_grad_()
    value = with_wrong_sign(leaf, y, proxies)
    response = proxy_response(loss, z, y, proxies, wrong_sign=True)
    assert response.value == pytest.approx(float(value.detach()))
    np.testing.assert_allclose(response.tangent, tangent(torch.autograd.grad(value, leaf)[0], z).numpy(), atol=1e-9)


def test_too_few_proxies_are_those_of_a_published_note() -> None:
    z, y, proxies = batch(POSITIVE_IN_DENOMINATOR)
    response = proxy_response(POSITIVE_IN_DENOMINATOR, z, y, proxies[:2])
    leaf = z.clone().requires_grad_()
    each = with_few_proxies(leaf, y, proxies[:2])
    assert response.value == pytest.approx(float(each.mean().detach()))
    np.testing.assert_allclose(response.tangent, tangent(torch.autograd.grad(each.mean(), leaf)[0], z).numpy(), atol=1e-9)
    assert response.count_without_gradient == int((y >= 2).sum())


@pytest.mark.parametrize("loss", PER_SAMPLE, ids=repr)
def test_samples_without_a_proxy_have_no_gradient_where_samples_choose(loss: ProxyLoss) -> None:
    z, y, proxies = batch(loss)
    response = proxy_response(loss, z, y, proxies[: 2 * loss.per_class])
    assert not response.weights[y >= 2].any()
    assert response.weights[y < 2].any()


def test_proxy_anchor_pushes_samples_without_a_proxy() -> None:
    z, y, proxies = batch(ProxyAnchor())
    response = proxy_response(ProxyAnchor(), z, y, proxies[:2])
    assert (response.weights[y >= 2] > 0).any(1).all()
    assert response.count_without_gradient == 0


@pytest.mark.parametrize("loss", [loss for loss in PER_SAMPLE if loss != MarginSoftmax(form="ArcFace")], ids=repr)
def test_rows_of_a_softmax_per_sample_sum_to_zero(loss: ProxyLoss) -> None:
    response = proxy_response(loss, *batch(loss))
    assert np.abs(response.weights.sum(1)).max() < 1e-12 * response.total_weight_bound


def test_rows_and_columns_of_proxy_anchor_do_not_sum_to_zero() -> None:
    response = proxy_response(ProxyAnchor(), *batch(ProxyAnchor()))
    assert np.abs(response.weights.sum(1)).max() > 0.1
    assert np.abs(response.weights.sum(0)).max() > 0.1


@for_each("loss", LOSSES[:4], ids=repr)
@for_each("name", SCENES)
def test_no_weight_is_larger_than_the_most_there_can_be(loss: ProxyLoss, name: str) -> None:
    subject = preset_embeddings(name)
    response = proxy_response(loss, subject.z, subject.y, means(subject.z, subject.y, int(subject.y.max()) + 1))
    pull, push = response.pull_and_push_bounds
    assert -response.weights.min() <= pull * (1 + 1e-12)
    assert response.weights.max() <= push * (1 + 1e-12)
    assert response.pull_share <= 1 + 1e-12


@for_each("name", SCENES)
def test_proxy_nca_pulls_with_full_weight_wherever_the_samples_are(name: str) -> None:
    subject = preset_embeddings(name)
    classes = int(subject.y.max()) + 1
    for proxies in (means(subject.z, subject.y, classes), spread(classes, 2)):
        assert proxy_response(ProxyNCA(), subject.z, subject.y, proxies).pull_share == pytest.approx(1)


@for_each("loss", LOSSES, ids=repr)
@for_each("wrong_sign", [False, True])
def test_the_curve_of_a_pair_against_its_similarity_goes_through_its_current_value(loss: ProxyLoss, wrong_sign: bool) -> None:
    response = proxy_response(loss, *batch(loss), wrong_sign=wrong_sign)
    weights = response.weights_along(3, 4, np.array((response.cosine_similarities[3, 4], -0.5, 0.5)))
    assert weights[0] == pytest.approx(response.weights[3, 4])
    assert len(set(np.round(weights, 12))) > 1 or isinstance(loss, ProxyNCA)


def test_the_curve_of_a_pair_against_its_similarity_is_that_of_moving_the_sample_alone() -> None:
    # With one sample and two opposite proxies the move changes nothing else.
    proxies, y = torch.tensor(((1.0, 0.0), (-1.0, 0.0)), dtype=torch.float64), torch.tensor((0,))

    def at(angle: float) -> torch.Tensor:
        return torch.tensor(((np.cos(angle), np.sin(angle)),))

    curve = proxy_response(ProxyAnchor(), at(1.0), y, proxies).weights_along(0, 0, np.cos((0.2, 2.0)))
    moved = [proxy_response(ProxyAnchor(), at(angle), y, proxies).weights[0, 0] for angle in (0.2, 2.0)]
    np.testing.assert_allclose(curve, moved)


def test_means_point_where_the_classes_do() -> None:
    z, y = example(30, 4, 3)
    for label, row in enumerate(means(z, y, 4)[:3]):
        assert float(row @ z[y == label].mean(0)) == pytest.approx(float(z[y == label].mean(0).norm()))
    assert means(z, y, 4).norm(dim=1).numpy() == pytest.approx(1)


def test_points_that_cancel_out_still_have_a_direction() -> None:
    z = torch.tensor(((1.0, 0.0), (-1.0, 0.0)), dtype=torch.float64)
    assert means(z, torch.tensor((0, 0)), 1).tolist() == [[1.0, 0.0]]


@for_each("dim", [2, 3, 8])
@for_each("classes", [1, 2, 7])
def test_spread_proxies_are_unit_and_apart(dim: int, classes: int) -> None:
    rows = spread(classes, dim)
    assert rows.norm(dim=1).numpy() == pytest.approx(1)
    assert float((rows @ rows.T - 2 * torch.eye(classes)).max()) < 0.95


def test_centres_find_two_modes_of_a_class() -> None:
    subject = preset_embeddings("two modes in one class")
    found = k_means_centres(subject.z, subject.y, means(subject.z, subject.y, 3), 2)
    nearest = (subject.z[subject.y == 0] @ found[:2].T).amax(1)
    assert len(found) == 6
    assert float(nearest.min()) > 0.99


def test_more_centres_than_points_are_points_again() -> None:
    subject = preset_embeddings("a class of one")
    found = k_means_centres(subject.z, subject.y, means(subject.z, subject.y, 4), 10)
    assert found.shape == (40, 2)
    assert found.norm(dim=1).numpy() == pytest.approx(1)


def test_a_flow_goes_down_the_gradient_at_the_rate_it_says() -> None:
    response = proxy_response(ProxyAnchor(), *batch(ProxyAnchor()))
    gone = flow(response, 3, 5.0)
    first = response.inputs.z.numpy() - RATE / response.pull_and_push_bounds[0] * response.tangent
    proxies = response.proxies.numpy() - 5 * RATE / response.pull_and_push_bounds[0] * response.gradient_at_proxies
    np.testing.assert_allclose(gone.states[1].inputs.z, first / np.linalg.norm(first, axis=1, keepdims=True))
    np.testing.assert_allclose(gone.proxies[1], proxies / np.linalg.norm(proxies, axis=1, keepdims=True))
    assert gone.pull_shares[0] == response.pull_share
    assert len(gone.states) == 4
    assert gone.states[-1].value < response.value


def test_proxy_nca_never_stops_pulling_and_proxy_anchor_does() -> None:
    subject = preset_embeddings("separated")
    proxies = spread(3, 2)
    nca, anchor = (flow(proxy_response(loss, subject.z, subject.y, proxies), 120, 1.0) for loss in (ProxyNCA(), ProxyAnchor()))
    np.testing.assert_allclose(nca.pull_shares, 1)
    assert anchor.pull_shares[0] == pytest.approx(1, abs=1e-3)
    assert anchor.pull_shares[-1] < 1e-6
    assert min(nca.cosine[-1], anchor.cosine[-1]) > 0.95


def test_the_pull_of_proxy_anchor_can_rise_where_other_proxies_push() -> None:
    subject = preset_embeddings("an outlier")
    proxies = means(subject.z, subject.y, 3)
    gone = flow(proxy_response(ProxyAnchor(), subject.z, subject.y, proxies), 120, 1.0)
    assert gone.pull_shares[-1] > gone.pull_shares[0] > 0.3


def test_with_the_wrong_sign_proxies_move_to_the_antipodes() -> None:
    subject = preset_embeddings("separated")
    gone = flow(proxy_response(ProxyNCA(), subject.z, subject.y, means(subject.z, subject.y, 3), wrong_sign=True), 120, 1.0)
    assert gone.cosine[0] > 0.9
    assert gone.cosine[-1] < -0.9


def model(*, truncated: bool = False, proxy: int = -1, sample: int = 0) -> Model:
    subject = preset_embeddings("an outlier")
    learnt = {"proxies": means(subject.z, subject.y, 3)}
    return Model(replace(subject, learnt=learnt), Settings(truncated=truncated, sample=sample, proxy=proxy))


def test_a_model_knows_the_own_proxy_and_its_nearest_rival() -> None:
    assert (model().own_proxy, model().proxy) == (0, 0)
    assert model().rival == int(np.argsort(model().nca.cosine_similarities[0])[-2])
    assert model(proxy=2).rival == 2
    assert model(sample=3).rival == 1 + int(model().nca.cosine_similarities[3, 1] < model().nca.cosine_similarities[3, 2])


def test_a_model_with_too_few_proxies_has_none_for_the_rest() -> None:
    short = model(truncated=True, sample=10, proxy=2)
    assert (short.proxy_class_count, short.own_proxy, short.proxy, short.rival) == (1, -1, 0, 0)
    assert model(truncated=True).rival == -1


def test_tables_of_weights_correlate_with_the_variant() -> None:
    whole = model()
    one, other = whole.anchor.weights.ravel(), whole.third_loss.weights.ravel()
    assert whole.weight_correlations["anchor"] == pytest.approx(np.corrcoef(one, other)[0, 1])


def test_structure_is_the_rank_correlation_of_distances_between_proxies_and_between_class_means() -> None:
    z, y, proxies = batch(ProxyNCA(), 3, 6)
    proxies = torch.cat((proxies, proxies[:1]))  # of a class without samples
    at_means = torch.stack([z[y == label].mean(0) for label in range(6)])
    known = spearmanr(pdist(proxies[:6].numpy()), pdist((at_means / at_means.norm(dim=1, keepdim=True)).numpy()))
    found = structure(z, y, proxies)
    assert found.pairs == 15
    assert found.correlation == pytest.approx(known.statistic)
    assert -0.9 < found.correlation < 0.9
    assert structure(z, y, means(z, y, 6)).correlation == pytest.approx(1)
    assert math.isnan(structure(z, y, torch.ones_like(proxies)).correlation), "all equally far apart"


def test_proxies_of_the_recorded_race_rank_classes_almost_as_their_means_do() -> None:
    subject, *_, end = map(unpack, messages((FOLDER / "race.bin").read_bytes()))
    (place,) = (k for k, racer in enumerate(RACE.racers) if f"{k}.proxies" in end[1])
    angles = [np.arctan2(*(end[1][f"{place}.{name}"].T.astype(float) - 32767.5)) for name in ("view", "proxies")]
    of_class = [np.angle(np.exp(1j * angles[0][subject[1]["y"] == label]).mean()) for label in range(10)]
    apart = [np.abs(np.exp(1j * each[:, None]) - np.exp(1j * each)) for each in (np.array(of_class), angles[1])]
    known = spearmanr(*(each[np.triu_indices(10, 1)] for each in apart)).statistic
    assert RACE.racers[place].loss.name == "Proxy-NCA"
    assert end[0]["step"] == RACE.run.steps
    assert recorded_structure().correlation == pytest.approx(known, abs=1e-3)
    assert 0.9 < known < 0.999
    assert recorded_structure().pairs == 45


@pytest.mark.parametrize("dim", [2, 3])
def test_changes_of_gradients_are_the_second_derivatives_of_the_loss(dim: int) -> None:
    scene = with_proxies(preset("one hard negative"), "class means").within(dim).subject()
    model = Model(scene, Settings(anchor=ProxyAnchor(alpha=4, delta=0.5)))
    found = model.influence["anchor"]
    proxies, y = scene.learnt["proxies"], scene.y

    def value(flat: torch.Tensor) -> torch.Tensor:
        loss = ProxyAnchor(alpha=4, delta=0.5)
        return loss.of_pairs(loss.pairs(flat.reshape(len(y), dim), y, {"proxies": proxies}))

    table = torch.autograd.functional.hessian(value, scene.z.flatten()).reshape(len(y), dim, len(y), dim)
    onto = torch.eye(dim) - scene.z[:, :, None] * scene.z[:, None]  # (N, d, d)
    expected = torch.linalg.norm(torch.einsum("iab,ibjc,jcd->ijad", onto, table, onto), dim=(2, 3)).numpy()
    others = ~np.eye(len(y), dtype=bool)
    np.testing.assert_allclose(found.changes[others], expected[others], rtol=1e-5, atol=1e-8)
    assert not model.influence["nca"].others.any()
    assert model.influence["nca"].changes.diagonal().all()
    assert 0.1 < found.share_changed < 0.5
    assert model.influence["triplet"].share_changed > 0.2


def test_the_bound_is_above_the_mean_of_all_triplets_and_reaches_it_at_the_corners() -> None:
    y = torch.arange(12) % 3
    z = torch.nn.functional.normalize(torch.randn(12, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
    centroids = torch.eye(3, dtype=torch.float64)
    found = bound_along_gradient(z, y, centroids)
    assert found is not None
    d = [
        (float((z[a] - z[p]).norm()), float((z[a] - z[n]).norm()))
        for a in range(12)
        for p in range(12)
        for n in range(12)
        if a != p and y[a] == y[p] and y[a] != y[n]
    ]
    assert found.count == len(d)
    assert found.triplets[0] == pytest.approx(np.mean([near - far for near, far in d]))
    loss = float(Discriminative().value(z, y, proxies=centroids))
    assert found.bound[0] == pytest.approx(3 * (3 - 1) * (4 - 1) * 4 * 12 * loss / len(d))
    assert (found.bound >= found.triplets - 1e-9).all()
    gap = found.bound - found.triplets
    assert gap[-1] < 0.05 * gap[0]
    at_corners = bound_along_gradient(centroids[y], y, centroids)
    assert at_corners is not None
    assert at_corners.bound[0] == pytest.approx(at_corners.triplets[0])
    assert bound_along_gradient(z, torch.arange(12), centroids) is None


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_least_loss_is_that_of_samples_on_proxies_equally_far_apart(scale: float) -> None:
    corners = torch.eye(4, dtype=torch.float64) - 0.25
    corners = torch.nn.functional.normalize(corners, dim=1)
    y = torch.arange(8) % 4
    included, left_out, pull = least_loss_and_pull(4, np.array([scale]))[:, 0]
    for expected, in_denominator in ((included, True), (left_out, False)):
        loss = ProxyNCA(scale=scale, positive_in_denominator=in_denominator)
        found = proxy_response(loss, corners[y], y, corners)
        assert found.value == pytest.approx(expected)
        assert found.pull_share == pytest.approx(pull if in_denominator else 1)


@for_each("nca", [ProxyNCA(smoothing=0.3), ProxyNCA(smoothing=0.3, positive_in_denominator=True), ProxyNCA(scale=3.0)], ids=repr)
@for_each("wrong_sign", [False, True])
def test_what_is_said_of_edges_counts_their_signs(nca: ProxyNCA, wrong_sign: bool) -> None:
    model = Model(
        with_proxies(preset("overlapping"), "class means").within(2).subject(), Settings(nca=nca, wrong_sign=wrong_sign)
    )
    said, own = look_for_widths(model), model.nca.same_class
    if "signs" in said:
        pulls = [int((model.nca.weights[of] < 0).sum()) for of in (own, ~own)]
        assert [int(each) for each in re.findall(r"(\d+) of \d+ edges", said)] == pulls
    else:
        assert not nca.smoothing
        assert ((model.nca.weights[own] > 0) == wrong_sign).all()


@for_each("truncated", [False, True])
def test_samples_whose_class_has_no_proxy_are_not_said_to_be_pulled(truncated: bool) -> None:
    scene = with_proxies(Scene.read("a0_10b90_100c180_190d270_280"), "class means")
    model = Model(scene.subject(), Settings(truncated=truncated))
    assert ("equally hard; 4 other samples have no edge" in look_for_widths(model)) == truncated
