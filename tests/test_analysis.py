"""The response of any loss to any embeddings is the loss's own: its value, gradients and weights, each computed once."""

import itertools

import numpy as np
import pytest
import torch

from dml_viz.analysis import ACTIVE, LossResponse, fresh_learnt, response_to
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import SCENES, preset
from dml_viz.embedding.sphere import tangent
from dml_viz.losses import LOSSES
from dml_viz.pitfalls._training import example
from tests.samples import for_each


def scene(name: str = "one hard negative", dim: int = 2) -> Embeddings:
    return preset(name, dim).subject()


def batch(dim: int = 3, n: int = 14, classes: int = 3) -> Embeddings:
    z, y = example(n, dim, classes, seed=dim)
    return Embeddings(z, y, "An example.")


def response(name: str, to: Embeddings | None = None) -> LossResponse:
    return response_to(to or scene(), LOSSES[name]())


@for_each("to", [scene(), scene("overlapping", 3), batch(8)], ids=["circle", "sphere", "d = 8"])
@for_each("name", LOSSES)
def test_a_response_is_the_loss_and_made_of_its_pairs(name: str, to: Embeddings) -> None:
    found, loss = response(name, to), LOSSES[name]()
    wanted = loss.gradients(to.z, to.y, **found.inputs.learnt)
    assert found.value == pytest.approx(float(wanted.value))
    np.testing.assert_allclose(found.tangent if loss.unit else found.raw_gradient, wanted.z.numpy(), atol=1e-12)
    for learnt, gradient in wanted.learnt.items():
        np.testing.assert_allclose(found.gradients.learnt[learnt], gradient, atol=1e-12)
    scale = max(1.0, float(np.abs(found.weights).max()))
    np.testing.assert_allclose(found.tangent, tangent(torch.from_numpy(found.raw_gradient), to.z).numpy(), atol=1e-9 * scale)
    if loss.unit:
        np.testing.assert_allclose(found.raw_gradient, found.weights @ found.partners.numpy(), atol=1e-9 * scale)
    assert 0 <= found.radial_share <= 1 or not found.raw_gradient.any()
    assert found.evaluation_seconds > 0


# Circle and sphere take turns like the squares of a chessboard, so that each loss and each scene is on both.
@for_each(("row", "name"), [*enumerate(LOSSES)], ids=LOSSES)
@for_each(("column", "where"), [*enumerate(SCENES)], ids=SCENES)
def test_every_scene_gives_every_loss_finite_numbers(name: str, where: str, row: int, column: int) -> None:
    found = response(name, scene(where, 2 + (row + column) % 2))
    for array in (found.tangent, found.raw_gradient, found.weights, np.array(found.value)):
        assert np.isfinite(array).all()
    active, points = found.active_points
    assert 0 <= active <= points == len(found.tangent)
    assert 0 <= found.active_pairs[0] <= found.active_pairs[1]


@for_each("name", [name for name, kind in LOSSES.items() if not kind().learns])
def test_the_weight_of_a_pair_is_the_sum_of_both_of_its_orders(name: str) -> None:
    to, loss = batch(5, 18, 4), LOSSES[name]()
    found, weights = response(name, to), loss.weights(to.z, to.y).pair
    assert weights is not None
    for (i, j), weight, positive in zip(found.pair_indices.tolist(), found.pair_weights, found.is_positive, strict=True):
        assert weight == pytest.approx(float(weights[i, j] + weights[j, i]), abs=1e-12)
        assert positive == (to.y[i] == to.y[j])
    counts = [found.active_pairs_of_kind(positive) for positive in (True, False)]
    assert tuple(map(sum, zip(*counts, strict=True))) == found.active_pairs


def test_active_pairs_are_counted_once() -> None:
    found = response("contrastive")
    n = len(found.tangent)
    sizes = [abs(found.weights[i, j]) for i, j in itertools.combinations(range(n), 2)]
    assert found.active_pairs == (sum(size > ACTIVE * max(sizes) for size in sizes), n * (n - 1) // 2)
    assert response("proxy_nca").active_pairs[1] == n * 3


def test_rounding_is_no_gradient() -> None:
    found = response("pairwise_margin", scene("antipodal"))
    assert not found.tangent_lengths.any()
    assert found.active_points[0] == 0


@pytest.mark.parametrize("name", ["contrastive", "proxy_anchor", "fastap"])
def test_a_loss_is_evaluated_once_for_all_that_is_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, asked = LOSSES[name], []
    weigh = kind.value_and_weights
    monkeypatch.setattr(kind, "value_and_weights", lambda loss, pairs: (asked.append(loss), weigh(loss, pairs))[1])
    found = response(name)
    assert np.isfinite([found.value, found.gradient_norm, found.radial_share, found.largest_weight]).all()
    assert len(found.is_active) == len(found.pair_similarities)
    assert len(asked) == 1


def test_losses_share_the_distances_of_their_embeddings() -> None:
    to = scene()
    assert response("triplet", to).pairs.d2 is response("contrastive", to).pairs.d2 is to.d2


def test_learnt_tensors_are_the_embeddings_own_or_fresh() -> None:
    own = torch.tensor([1.1, 1.2, 1.3], dtype=torch.float64)
    plain, loss = scene(), LOSSES["margin"](learn_beta=True)
    bring = Embeddings(plain.z, plain.y, "", {"beta": own, "proxies": plain.z})
    assert response_to(bring, loss).inputs.learnt == {"beta": own}
    fresh = response_to(plain, loss).inputs.learnt["beta"]
    assert torch.equal(fresh, fresh_learnt(loss, 3, 2)["beta"])


def test_a_flow_goes_down_the_gradient_on_the_sphere() -> None:
    start = response("proxy_anchor")
    states = list(start.flow(20, 0.01, 0.0))
    assert len(states) == 21
    assert states[0] is start
    assert states[-1].value < start.value
    for state in states:
        torch.testing.assert_close(state.inputs.z.norm(dim=1), torch.ones(len(start.tangent), dtype=torch.float64))
        assert torch.equal(state.inputs.learnt["proxies"], start.inputs.learnt["proxies"])
    lengths = [state.inputs.learnt["proxies"].norm(dim=1) for state in start.flow(3, 0.01, 0.01)]
    torch.testing.assert_close(lengths[0], lengths[-1])
