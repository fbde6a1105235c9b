"""Gradients side by side, in numbers: every loss's arrows, pairs, likeness and flow against the loss itself."""

import csv
import io

import numpy as np
import pytest
import torch

from dml_viz.analysis import LossResponse
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import MOST_CLASSES, Scene, preset
from dml_viz.explain.gradients import text
from dml_viz.explain.gradients.model import Model, Settings, likeness
from dml_viz.explain.gradients.model_flow import agreement_with_slope, flow, step_rates
from dml_viz.explain.gradients.model_inputs import loss_input_of_run, loss_input_of_scene
from dml_viz.explain.gradients.model_panels import LONGEST_ARROW, RAW, SCALES, UNIT_MEAN, arrow_factors, mean_length
from dml_viz.losses import LOSSES
from dml_viz.pitfalls._training import example
from tests.samples import for_each

SMALL = 0.002  # radians of a flow's first step
# Losses whose value jumps where a term drops out of the mean, or out of what is mined.
JUMPING = {"triplet", "margin", "snr", "multi_similarity", "ranked_list"}


def subject(dim: int = 3, n: int = 14, classes: int = 3) -> Embeddings:
    z, y = example(n, dim, classes, seed=dim)
    return Embeddings(z, y, "An example.")


def scene(name: str = "one hard negative", dim: int = 2) -> Embeddings:
    return preset(name, dim, proxies=True).subject()


def asked(name: str, of: Embeddings | None = None) -> LossResponse:
    loss = LOSSES[name]()
    return LossResponse(loss, loss_input_of_scene(loss, of or scene(), MOST_CLASSES))


def model(of: Embeddings, names: tuple[str, ...] = tuple(LOSSES)) -> Model:
    return Model(of, Settings(tuple(LOSSES[name]() for name in names)))


def test_a_flow_keeps_the_last_state_whose_numbers_are_finite() -> None:
    far = Scene.read("a0_180b90").subject()
    of = model(far, ("siglip", "triplet"))
    found = of.flows["siglip"]
    assert 0 < found.lost < len(found.value)
    assert np.isfinite(found.points).all()
    assert np.isfinite(found.value).all()
    assert (found.points[found.lost :] == found.points[found.lost - 1]).all()
    assert found.end == "moves"
    assert "not finite; the state before it stays: SigLIP" in text.flow_misleads(of)
    assert not of.flows["triplet"].lost


@pytest.mark.parametrize("scale", SCALES)
def test_arrows_keep_their_proportions_within_a_loss(scale: str) -> None:
    lengths = [asked(name).tangent_lengths for name in ("triplet", "circle", "histogram")]
    found = arrow_factors(lengths, scale)
    if scale == RAW:
        assert found[0] == found[1]
        assert max(factor * own.max() for factor, own in zip(found, lengths, strict=True)) == pytest.approx(LONGEST_ARROW)
    else:
        means = [factor * mean_length(own) for factor, own in zip(found, lengths, strict=True)]
        assert means[0] == pytest.approx(means[1])
    assert found[2] == 0, "the histogram loss has no gradient here"


def test_a_scene_with_another_class_changes_nothing_for_the_others() -> None:
    loss = LOSSES["soft_triple"]()
    few, more = (
        loss_input_of_scene(loss, Embeddings(s.z, s.y, ""), MOST_CLASSES) for s in (subject(3, 12, 2), subject(3, 12, 4))
    )
    rows = len(few.learnt["proxies"])
    assert rows == 2 * loss.per_class
    assert torch.equal(few.learnt["proxies"], more.learnt["proxies"][:rows])


def test_a_run_lends_its_own_loss_what_it_has_learnt() -> None:
    z, y = example(12, 4, 3, seed=0)
    learnt = {"proxies": torch.nn.functional.normalize(torch.ones(5, 4, dtype=z.dtype) + torch.eye(5, 4, dtype=z.dtype))}
    of = Embeddings(z, y + 4, "", learnt)
    loss = LOSSES["proxy_anchor"]()
    own = loss_input_of_run(loss, of, True, (2, 4, 5, 6, 8))
    assert torch.equal(own.learnt["proxies"], learnt["proxies"])
    assert own.y.tolist() == (y + 1).tolist()
    for inputs in (loss_input_of_run(loss, of, False, (2, 4, 5, 6, 8)), loss_input_of_run(loss, of, True, (0, 1))):
        assert len(inputs.learnt["proxies"]) == 3
        assert inputs.y.tolist() == y.tolist()
        mean = z[y == 1].mean(0)
        assert torch.allclose(inputs.learnt["proxies"][1], mean / mean.norm())


@for_each("name", [name for name, kind in LOSSES.items() if kind().learns])
def test_every_loss_that_learns_has_something_in_a_run(name: str) -> None:
    z, y = example(12, 5, 3, seed=0)
    loss = LOSSES[name]()
    inputs = loss_input_of_run(loss, Embeddings(z, 2 * y, ""), False, ())
    assert np.isfinite(LossResponse(loss, inputs).tangent).all()
    assert inputs.note


def test_cosines_are_those_of_the_gradients_and_similar_losses_are_neighbours() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 9, 3))
    gradients = [a, b, 2 * a + 0.01 * b, -b, np.zeros_like(a), 3 * a]
    found = likeness(gradients)
    for i, p in enumerate(found.order):
        for j, q in enumerate(found.order):
            x, y = gradients[p].ravel(), gradients[q].ravel()
            lengths = np.linalg.norm(x) * np.linalg.norm(y)
            if lengths:
                assert found.cosines[i, j] == pytest.approx(x @ y / lengths)
            else:
                assert np.isnan(found.cosines[i, j])
    places = sorted(found.order.index(k) for k in (0, 2, 5))
    assert places[2] - places[0] == 2
    assert found.tree_x.shape == found.tree_y.shape == (5, 4)
    middle = [places.index(k) for places in [list(found.order)] for k in (0, 5)]
    leaf = found.tree_y[:, 0] == 0
    assert {(a, b) for a, _, _, b in found.tree_x[leaf & (found.tree_y[:, 3] == 0)].tolist()} >= {tuple(sorted(middle))}


def test_one_loss_is_like_itself() -> None:
    found = likeness([np.ones((3, 2))])
    assert (found.order, len(found.tree_x)) == ((0,), 0)
    assert found.cosines == pytest.approx(np.ones((1, 1)))


@for_each("where", ["one hard negative", "overlapping"])
@for_each("name", LOSSES)
def test_a_small_step_lowers_the_value_or_a_sentence_says_why_not(name: str, where: str) -> None:
    """The value falls at each step, or the page says with a number that it does not."""
    found = asked(name, scene(where))
    (rate,) = step_rates([found.tangent_lengths], SMALL, UNIT_MEAN)
    gone = flow(found, rate, 25)
    steps = np.diff(gone.value)
    assert len(gone.rises) == (steps > 1e-9 * np.abs(gone.value).max(initial=1)).sum()
    if not gone.rises:
        assert gone.value[-1] <= gone.value[0]
        assert not gone.why
        return
    shorter = gone.why.startswith("The step is too long")
    assert shorter or name in JUMPING or found.loss.held_constant, f"{name} rises: {gone.why}"
    assert any(sign.isdigit() for sign in gone.why)


@for_each("name", LOSSES)
def test_the_gradient_is_the_values_own_unless_something_is_held_constant(name: str) -> None:
    of = scene("overlapping", 3)
    loss = LOSSES[name]()
    share = agreement_with_slope(LossResponse(loss, loss_input_of_scene(loss, of, MOST_CLASSES)))
    if name in ("circle", "ranked_list", "isif"):
        assert loss.held_constant
        assert abs(share - 1) > 0.05
    else:
        assert share == pytest.approx(1, abs=0.02)


def test_a_flow_stays_on_the_sphere_and_names_its_end() -> None:
    found = asked("contrastive", scene("overlapping", 3))
    (rate,) = step_rates([found.tangent_lengths], 0.05, UNIT_MEAN)
    gone = flow(found, rate, 60)
    np.testing.assert_allclose(np.linalg.norm(gone.points, axis=2), 1, atol=1e-12)
    assert np.array_equal(gone.points[0], found.inputs.z.numpy())
    assert gone.within[-1] < gone.within[0]
    assert gone.stalled is not None
    moved = np.linalg.norm(np.diff(gone.points, axis=0), axis=2).mean(1)
    assert moved[gone.stalled :].max() < 0.03 * moved.max()


@pytest.mark.parametrize("fixed", [False, True])
def test_proxies_move_or_stay_fixed(fixed: bool) -> None:
    found = asked("proxy_anchor")
    (rate,) = step_rates([found.tangent_lengths], 0.05, UNIT_MEAN)
    gone = flow(found, rate, 5, learnt_fixed=fixed)
    assert gone.proxies is not None
    assert (np.abs(gone.proxies[-1] - gone.proxies[0]).max() < 1e-12) == fixed


def test_points_without_a_gradient_never_move() -> None:
    found = asked("histogram")
    assert (
        step_rates([found.tangent_lengths], 0.05, UNIT_MEAN)
        == step_rates([found.tangent_lengths, np.ones(3)], 0.05, RAW)[:1]
        == [0.0]
    )
    assert flow(found, 0.0, 4).stalled == 0


def test_a_flow_is_computed_once_for_equal_numbers_and_anew_for_others() -> None:
    found = asked("proxy_nca")
    gone = flow(found, 0.1, 3)
    assert flow(asked("proxy_nca"), 0.1, 3) is gone
    turned = found.with_rows(found.inputs.z, {"proxies": found.inputs.learnt["proxies"].flip(0)})
    for other in (asked("circle"), asked("proxy_nca", scene("separated")), turned):
        assert flow(other, 0.1, 3) is not gone


def test_the_table_has_every_point_of_every_loss() -> None:
    of = model(scene(), ("triplet", "proxy_nca"))
    rows = list(csv.DictReader(io.StringIO(of.gradients_as_csv(("A", "B", "C")))))
    assert len(rows) == 2 * len(of.y)
    for row in rows:
        found, i = of.responses[row["loss"]], int(row["point"])
        np.testing.assert_allclose([float(row["g0"]), float(row["g1"])], found.tangent[i])
        assert float(row["length"]) == pytest.approx(np.linalg.norm(found.tangent[i]))
        if row["weight"]:
            assert abs(float(row["weight"])) == pytest.approx(np.abs(found.weights[i]).max())
    assert {row["heaviest partner"][:5] for row in rows if row["loss"] == "proxy_nca"} == {"proxy"}


def test_partners_are_the_heaviest_first() -> None:
    of = model(subject(3, 150, 5), ("sup_con", "proxy_anchor"))
    for name, found in of.responses.items():
        partners, weights = of.partners(name)
        assert partners.shape == (150, min(8, found.weights.shape[1]))
        best = np.sort(-np.abs(found.weights), axis=1)[:, : partners.shape[1]]
        np.testing.assert_allclose(-np.abs(weights), best)
        assert (partners[weights != 0] >= (150 if found.has_proxies else 0)).all()


def test_a_batch_that_fits_no_loss_is_refused() -> None:
    of, loss = subject(), LOSSES["triplet"]()
    with pytest.raises(ValueError, match="norm"):
        _ = Model(Embeddings(2 * of.z, of.y, ""), Settings((loss,))).responses
