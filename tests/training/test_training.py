import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.data.training_set import training_set
from dml_viz.losses import LOSSES, Gradients, Loss, Pairs
from dml_viz.params import param
from dml_viz.training.loop import (
    LEARNERS,
    Frame,
    Run,
    State,
    advance,
    advance_while,
    begin,
    fit_plane_again,
    fork,
    observe,
    subset_of,
    train_ahead,
)
from dml_viz.training.nets.conv import Conv
from dml_viz.training.nets.mlp import MLP
from tests.samples import for_each

SMALL = Run(Digits(), dim=3, net=MLP(16, 1), sampler=PByK(5, 8), lr=0.003, steps=60, every=20, device="cpu")
WITH_PROXIES = replace(SMALL, loss=LOSSES["proxy_anchor"]())


@dataclass(frozen=True)
class Brittle(Loss):
    """A loss without a gradient, or with a chosen term that is not finite, or with the gradient's sign reversed."""

    title = sentence = formula = reference = elsewhere = variant_text = "for tests"
    families = ("pairs",)

    breaks: str = param("everything", "what breaks", choices=("everything", "the loss", "the gradient", "the sign"))

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> float:
        return 0.0

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        z = pairs.z
        value, gradient = torch.zeros(()), torch.zeros_like(z)
        if self.breaks == "the loss":
            value = value * torch.inf
        if self.breaks == "the gradient":
            gradient[3, 1] = torch.nan
        if self.breaks == "the sign":
            value, gradient[:, 0] = 1.1 + z[:, 0].mean(), -1 / len(z)
        return Gradients(value, gradient, {})


def same_state(a: State, b: State) -> bool:
    pairs = [(a.weights, b.weights), *zip(a.learnt, b.learnt, strict=True)]
    arrays = [(getattr(p, part), getattr(q, part)) for p, q in pairs for part in ("value", "mean", "square")]
    return a.step == b.step and a.failed == b.failed and all(np.array_equal(p, q) for p, q in arrays)


def same_frame(a: Frame, b: Frame) -> bool:
    scalars = a.scalars.keys() == b.scalars.keys() and all(
        np.array_equal(a.scalars[k], b.scalars[k], equal_nan=True) for k in a.scalars
    )
    arrays = a.arrays.keys() == b.arrays.keys() and all(np.array_equal(a.arrays[k], b.arrays[k]) for k in a.arrays)
    learnt = all(np.array_equal(a.learnt[name], b.learnt[name]) for name in a.learnt | b.learnt)
    return a.step == b.step and a.notes == b.notes and scalars and arrays and learnt and np.array_equal(a.z, b.z)


def numpy_generator() -> np.ndarray:
    key: np.ndarray = np.random.get_state(legacy=False)["state"]["key"]
    return key


def sliced(run: Run, slices: tuple[int, ...]) -> tuple[State, list[Frame]]:
    """Trained slice by slice, every second time from a pickled state, so with another learner."""
    state = begin(run)
    frames: list[Frame] = []
    for place, steps in enumerate(slices):
        state, new = advance(run, pickle.loads(pickle.dumps(state)) if place % 2 else state, steps)
        frames += new
    return state, frames


@cache
def trained(run: Run) -> tuple[State, list[Frame]]:
    """A whole run, trained once for all slices."""
    return advance(run, begin(run), run.steps)


@pytest.mark.parametrize("run", [SMALL, WITH_PROXIES, replace(SMALL, net=Conv(4), dim=8)], ids=["mlp", "proxies", "conv"])
@pytest.mark.parametrize("slices", [(1,) * 60, (7, 13, 40), (20, 20, 20)], ids=["ones", "uneven", "even"])
def test_slicing_changes_no_bit(run: Run, slices: tuple[int, ...]) -> None:
    whole, frames = trained(run)
    state, pieces = sliced(run, slices)
    assert same_state(state, whole)
    assert len(pieces) == len(frames)
    assert all(map(same_frame, pieces, frames))


def test_a_frame_has_the_numbers_learnt_by_its_step() -> None:
    run = replace(SMALL, loss=LOSSES["margin"](learn_beta=True), steps=2, every=1)  # type: ignore[call-arg]
    (first, second), (alone,) = advance(run, begin(run), 2)[1], advance(run, begin(run), 1)[1]
    assert same_frame(first, alone)
    assert not np.array_equal(first.learnt["beta"], second.learnt["beta"])


@pytest.fixture
def two_threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(threads)


def test_the_number_of_threads_changes_no_bit_and_is_left_as_it_was(two_threads: None) -> None:
    wide = replace(SMALL, net=MLP(256, 2), dim=64, sampler=PByK(5, 64), steps=8)
    two, (*_, frame) = advance(wide, begin(wide), 8)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)
    one, (*_, same) = advance(wide, begin(wide), 8)
    assert same_state(one, two)
    assert same_frame(frame, same)


def test_equal_seeds_begin_equally_and_another_seed_does_not() -> None:
    assert same_state(begin(WITH_PROXIES), begin(WITH_PROXIES))
    assert not same_state(begin(SMALL), begin(replace(SMALL, seed=1)))


def test_training_leaves_the_global_generators_alone() -> None:
    torch_before, numpy_before = torch.get_rng_state(), numpy_generator().copy()
    advance(SMALL, begin(SMALL), 20)
    assert torch.equal(torch.get_rng_state(), torch_before)
    assert np.array_equal(numpy_generator(), numpy_before)


def test_a_step_is_that_of_the_plain_pytorch_loop() -> None:
    run = replace(WITH_PROXIES, steps=5)
    state, _ = advance(run, begin(run), 5)
    data = training_set(run.dataset, run.protocol, torch.device("cpu"))
    generator = torch.Generator().manual_seed(run.seed)
    net = run.net.build(data.side, run.dim, generator)
    learnt = {name: t.requires_grad_() for name, t in run.loss.initial_tensors(data.classes, run.dim, generator).items()}
    groups: list[dict[str, Any]] = [{"params": net.parameters()}, {"params": learnt.values(), "lr": run.lr * run.proxy_lr}]
    adam = torch.optim.Adam(groups, lr=run.lr)
    for rows in run.sampler.batch_indices(data.table, run.seed, 0, 5):
        adam.zero_grad()
        run.loss.value(net(data.x[rows]), data.y[rows], **learnt).backward()
        adam.step()
    weights = torch.nn.utils.parameters_to_vector(net.parameters()).detach().numpy()
    assert np.allclose(state.weights.value, weights, atol=1e-5)
    for name, tensor in learnt.items():
        assert np.allclose(state.learnt.loss[name].value, tensor.detach().numpy(), atol=1e-4)


def test_a_change_during_a_run_affects_only_later_steps() -> None:
    slow = replace(SMALL, lr=0.0001)
    half, before = advance(SMALL, begin(SMALL), 20)
    changed, _ = advance(slow, half, 20)
    unchanged, frames = advance(SMALL, half, 20)
    assert same_frame(before[0], advance(SMALL, begin(SMALL), 40)[1][0])
    assert np.abs(changed.weights.value - half.weights.value).max() < np.abs(unchanged.weights.value - half.weights.value).max()
    assert frames[-1].step == 40


def test_a_run_without_a_stride_has_more_frames_at_first() -> None:
    run = replace(SMALL, every=0, steps=40)
    assert [frame.step for frame in advance(run, begin(run), 40)[1]] == [1, 2, 3, 5, 8, 13, 21, 34, 40]


def test_proxies_move_at_their_own_rate() -> None:
    start = begin(WITH_PROXIES)
    moved = {}
    for rate in (1.0, 50.0):
        state, _ = advance(replace(WITH_PROXIES, proxy_lr=rate), start, 1)
        (name,) = state.learnt.loss
        moved[rate] = np.abs(state.learnt.loss[name].value - start.learnt.loss[name].value).max()
    # The first step of Adam is as long as its learning rate.
    assert moved[1.0] == pytest.approx(WITH_PROXIES.lr, rel=1e-2)
    assert moved[50.0] == pytest.approx(50 * WITH_PROXIES.lr, rel=1e-2)


def test_frames_come_at_every_multiple_and_at_the_end_of_the_budget() -> None:
    run = replace(SMALL, steps=50)
    state, frames = advance(run, begin(run), 1000)
    assert [frame.step for frame in frames] == [20, 40, 50]
    assert state.step == 50
    assert advance(run, state, 1) == (state, ())


def test_a_frame_is_the_observation_of_its_state() -> None:
    state, frames = advance(WITH_PROXIES, begin(WITH_PROXIES), 20)
    assert same_frame(frames[-1], observe(WITH_PROXIES, state))
    assert observe(WITH_PROXIES, begin(WITH_PROXIES)).step == 0


def test_steps_that_are_trained_ahead_change_no_result() -> None:
    for later in (WITH_PROXIES, replace(WITH_PROXIES, lr=0.001)):
        for steps in (3, 53):
            state, expected = (advance(WITH_PROXIES, begin(WITH_PROXIES), 7)[0] for _ in range(2))
            train_ahead(state, lambda: True)
            assert LEARNERS[state].step == WITH_PROXIES.every - 1  # the next step has a frame
            (after, frames), (wanted, seen) = (advance(later, each, steps) for each in (state, expected))
            assert same_state(after, wanted)
            assert all(map(same_frame, frames, seen))
            assert len(frames) == len(seen)


def test_a_run_that_has_stopped_or_ended_trains_nothing_ahead() -> None:
    stopped, _ = advance(replace(SMALL, loss=Brittle(breaks="the loss")), begin(SMALL), 5)
    ended, _ = advance(SMALL, begin(SMALL), SMALL.steps)
    assert (bool(stopped.failed), ended.step) == (True, SMALL.steps)
    for state in (stopped, ended):
        train_ahead(state, lambda: pytest.fail("it was asked"))


def test_a_loss_that_is_not_finite_before_its_first_step_is_no_fault_of_the_learning_rate() -> None:
    broken, later = replace(SMALL, loss=Brittle(breaks="the loss")), advance(SMALL, begin(SMALL), 7)[0]
    for state in (begin(broken), fork(SMALL, broken, later)):
        stopped, _ = advance(broken, state, 5)
        assert f"step {state.step}: the loss is not finite" in stopped.failed
        assert stopped.failed.endswith("at any learning rate; change the loss or its knobs.")


def test_a_slice_ends_after_the_step_at_which_it_may_not_go_on() -> None:
    answers = iter([True, True, False])
    state, _ = advance_while(SMALL, begin(SMALL), lambda _: next(answers), 50)
    assert state.step == 3


@pytest.mark.parametrize(("breaks", "term"), [("the loss", "the loss"), ("the gradient", "the gradient at the embeddings")])
def test_a_value_that_is_not_finite_stops_the_run_and_names_step_and_term(breaks: str, term: str) -> None:
    good, _ = advance(SMALL, begin(SMALL), 7)
    broken = replace(SMALL, loss=Brittle(breaks=breaks))
    state, frames = advance(broken, good, 30)
    assert f"step 7: {term} is not finite" in state.failed
    assert state.failed.endswith("it stops there again; lower the learning rate.")
    assert frames[-1].notes == (state.failed,)
    assert same_state(replace(state, failed=""), good)
    assert advance(broken, state, 30) == (state, ())
    assert advance(SMALL, replace(state, failed=""), 1)[0].step == 8


def test_a_dead_gradient_is_noted() -> None:
    (note,) = observe(replace(SMALL, loss=Brittle()), begin(SMALL)).notes
    assert "0 % of the batch has a gradient" in note


def test_a_collapse_is_noted_with_its_spread() -> None:
    start = begin(SMALL)
    weights = np.zeros_like(start.weights.value)
    weights[-3:] = 1.0  # the bias of the embedding, so that every image lands in one place
    frame = observe(SMALL, replace(start, weights=replace(start.weights, value=weights)))
    assert any(note.startswith("Collapse: the unseen points lie 0.000 apart") for note in frame.notes)


def test_a_loss_above_its_start_is_noted_as_divergence() -> None:
    run = replace(SMALL, loss=Brittle(breaks="the sign"))
    _, frames = advance(run, begin(run), 60)
    assert any(note.startswith("Divergence: the loss is") for note in frames[-1].notes)


def test_a_batch_that_is_harder_than_the_first_is_no_divergence() -> None:
    run = replace(SMALL, sampler=PByK(2, 2), lr=1e-5, steps=100, every=5)
    state = begin(run)
    first, frames = observe(run, state).scalars["loss"], advance(run, state, run.steps)[1]
    assert any(frame.scalars["loss"] > 1.1 * first for frame in frames)
    assert not [note for frame in frames for note in frame.notes if note.startswith("Divergence")]


def test_training_raises_recall_on_unseen_classes() -> None:
    run = Run(Digits(), net=MLP(), dim=3, sampler=PByK(8, 32), lr=0.0002, device="cpu", steps=300, every=300)
    start = begin(run)
    *_, frame = advance(run, start, 300)[1]
    assert frame.scalars["r1.unseen"] > observe(run, start).scalars["r1.unseen"] + 0.05
    assert frame.notes == ()


def test_the_plane_of_a_wide_embedding_stays_until_it_is_fitted_again() -> None:
    run = replace(SMALL, dim=8)
    start = begin(run)
    state, (frame, *_) = advance(run, start, 40)
    assert start.plane is not None
    assert state.plane is not None
    assert np.array_equal(state.plane, start.plane)
    assert np.allclose(start.plane.T @ start.plane, np.eye(2), atol=1e-6)
    assert np.allclose(frame.arrays["view"], frame.z @ start.plane, atol=1e-6)
    anew = observe(run, fit_plane_again(run, state))
    assert anew.scalars["plane.share"] >= observe(run, state).scalars["plane.share"]


def test_an_embedding_on_the_sphere_is_drawn_as_it_is() -> None:
    frame = observe(SMALL, begin(SMALL))
    assert np.array_equal(frame.arrays["view"], frame.z)
    assert "plane.share" not in frame.scalars


def test_neighbours_stay_within_their_group_and_leave_the_query_out() -> None:
    frame, static = observe(SMALL, begin(SMALL)), subset_of(SMALL)
    near = frame.arrays["near"]
    assert near.shape == (len(static.y), 8)
    assert (static.unseen[near] == static.unseen[:, None]).all()
    assert (near != np.arange(len(near))[:, None]).all()
    similarity = frame.z.astype(np.float64) @ frame.z.T.astype(np.float64)
    query = int(np.flatnonzero(static.unseen)[0])
    others = np.flatnonzero(static.unseen & (np.arange(len(near)) != query))
    assert np.isclose(similarity[query, near[query, 0]], similarity[query, others].max())


def test_proxies_are_drawn_on_the_sphere_one_for_each_class_trained_on() -> None:
    frame, static = observe(WITH_PROXIES, begin(WITH_PROXIES)), subset_of(WITH_PROXIES)
    assert frame.arrays["proxies"].shape == (len(static.train_classes), 3)
    assert np.allclose(np.linalg.norm(frame.arrays["proxies"], axis=1), 1, atol=1e-6)


def test_evaluated_points_are_few_and_unseen_ones_are_of_classes_not_trained_on() -> None:
    static = subset_of(SMALL)
    assert len(static.y) <= 500
    assert set(static.y[static.unseen]).isdisjoint(static.train_classes)
    assert set(static.y[~static.unseen]) == set(static.train_classes)
    assert static.images.shape == (len(static.y), 8, 8)
    assert static.baseline["unseen"] > 0.9


def test_a_state_is_plain_and_small() -> None:
    assert len(pickle.dumps(begin(Run(Digits(), net=MLP(), device="cpu")))) < 400_000


@for_each(
    "knobs", [{"lr": 0.0}, {"lr": 1.1}, {"steps": 20_001}, {"dim": 4}, {"protocol": "none"}, {"seed": -1}, {"device": "abacus"}]
)
def test_a_run_beyond_its_caps_is_refused_by_name(knobs: dict[str, object]) -> None:
    (name,) = knobs
    with pytest.raises(ValueError, match=f"Run: {name} = .* is not allowed; choose"):
        Run(**knobs)  # type: ignore[arg-type]


def test_a_state_of_another_net_or_loss_is_refused() -> None:
    with pytest.raises(ValueError, match="begin anew"):
        advance(replace(SMALL, net=MLP(17, 1)), begin(SMALL), 1)
    with pytest.raises(ValueError, match="begin anew"):
        advance(WITH_PROXIES, begin(SMALL), 1)


def test_a_device_that_is_not_there_is_refused() -> None:
    if torch.backends.mps.is_available():
        pytest.skip("this machine has an Apple GPU")
    with pytest.raises(ValueError, match="'mps' is not on this machine; choose one of auto"):
        observe(replace(SMALL, device="mps"), begin(SMALL))
