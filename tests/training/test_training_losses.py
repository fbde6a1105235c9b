"""Every loss trains: those of raw rows, of views of images, with proxies, with learnt numbers."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.engine.changes import change_text, check_change
from dml_viz.losses import KNOWN, LOSSES, Loss, Shape
from dml_viz.params import params
from dml_viz.training.loop import Frame, Run, State, advance, begin, observe
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.state import AdamParameters, LossAndMethodTensors
from dml_viz.training.step import Learner
from tests.losses.test_losses import spelled
from tests.samples import sample
from tests.training.test_training import same_frame, same_state, sliced

STEPS = 24
RUN = Run(Digits(), dim=3, net=MLP(16, 1), sampler=PByK(5, 8), lr=0.003, proxy_lr=10.0, steps=STEPS, every=12, device="cpu")


@cache
def trained(run: Run) -> tuple[State, list[Frame]]:
    """A whole run, trained once for all tests."""
    return advance(run, begin(run), STEPS)


def variants() -> Iterator[Loss]:
    """Every loss at its defaults, and with some of its switches changed alone, or with each."""
    yield from (kind() for kind in KNOWN.values())
    yield from sample(switched_alone(), 10)


def switched_alone() -> Iterator[Loss]:
    for kind in KNOWN.values():
        for knob in params(kind):
            if knob.kind is bool or knob.choices:
                yield from (kind(**{knob.name: end}) for end in knob.ends if end != knob.default)


every_variant = pytest.mark.parametrize("loss", list(variants()), ids=spelled)


@every_variant
def test_a_loss_trains_with_finite_frames_however_its_steps_are_sliced(loss: Loss) -> None:
    run = replace(RUN, loss=loss)
    state, frames = trained(run)
    again, pieces = sliced(run, (1, 10, 13))
    assert state.step == STEPS
    assert same_state(state, again)
    assert [frame.step for frame in frames] == [12, 24]
    assert all(map(same_frame, frames, pieces))
    assert not [problem for frame in frames for problem in problems(frame)]


def problems(frame: Frame) -> Iterator[str]:
    yield from (note for note in frame.notes if "finite" in note)
    yield from (name for name, array in frame.arrays.items() if not np.isfinite(array).all())
    seldom = ("nmi.unseen", "order.seen", "order.unseen")
    yield from (name for name, value in frame.scalars.items() if not (np.isfinite(value) or name in seldom))


@pytest.mark.parametrize("loss", [kind() for kind in LOSSES.values()], ids=spelled)
def test_on_the_batch_that_it_began_with_a_trained_loss_is_lower(loss: Loss) -> None:
    if loss.held_constant:
        return  # its gradient is not that of its value
    run = replace(RUN, loss=loss)
    assert first_loss(run, trained(run)[0]) < first_loss(run, begin(run))


def first_loss(run: Run, state: State) -> float:
    return observe(run, replace(state, step=0)).scalars["loss"]


def test_a_loss_of_raw_rows_is_shown_normalised_with_the_rows_lengths() -> None:
    run = replace(RUN, loss=LOSSES["n_pair"]())
    _, (*_, frame) = advance(run, begin(run), STEPS)
    assert np.allclose(np.linalg.norm(frame.z, axis=1), 1, atol=1e-6)
    assert frame.scalars["mean.length"] > 0
    assert "mean.length" not in observe(RUN, begin(RUN)).scalars


def test_a_run_may_change_from_raw_rows_to_unit_rows_and_back() -> None:
    raw, unit = (replace(RUN, loss=LOSSES["n_pair"](normalise=normalise)) for normalise in (False, True))
    check_change(raw, unit)
    state, _ = advance(raw, begin(raw), 8)
    state, _ = advance(unit, state, 8)
    state, _ = advance(raw, state, 8)
    assert state.step == STEPS
    assert not state.failed


def test_learning_to_find_the_twin_view_raises_recall_of_classes() -> None:
    run = Run(
        Digits(), net=MLP(), dim=3, sampler=PByK(8, 32), lr=0.0002, loss=LOSSES["isif"](), device="cpu", steps=200, every=200
    )
    start = begin(run)
    *_, frame = advance(run, start, run.steps)[1]
    assert frame.scalars["r1.unseen"] > observe(run, start).scalars["r1.unseen"] + 0.02


def test_a_batch_of_views_holds_every_second_image_twice() -> None:
    plain = replace(RUN, augmentation=Augmentation(turn=0, zoom=0, shift=0, noise=0))
    images, views = (Learner(run, begin(run)).backward().rows for run in (plain, replace(plain, loss=LOSSES["isif"]())))
    torch.testing.assert_close(views, images[::2].repeat(2, 1), rtol=0, atol=1e-4)


def test_views_may_change_during_a_run() -> None:
    run = replace(RUN, loss=LOSSES["isif"]())
    still = replace(run, augmentation=Augmentation(noise=0))
    check_change(run, still)
    assert change_text(run, still) == "noise 0.05 → 0"
    start = begin(run)
    assert same_state(start, begin(still))
    assert not same_state(advance(run, start, 1)[0], advance(still, start, 1)[0])


def test_every_proxy_of_a_class_is_sent_and_drawn() -> None:
    run = replace(RUN, loss=LOSSES["soft_triple"](centres=3))
    start = begin(run)
    frame = observe(run, start)
    assert frame.learnt["proxies"].shape == (15, 3)
    assert np.array_equal(frame.arrays["proxies"], frame.learnt["proxies"])
    assert np.allclose(np.linalg.norm(frame.learnt["proxies"], axis=1), 1, atol=1e-6)


def test_learnt_numbers_of_a_loss_are_reported_by_their_mean_and_not_drawn() -> None:
    run = replace(RUN, loss=LOSSES["margin"](learn_beta=True))
    state, (*_, frame) = advance(run, begin(run), STEPS)
    assert frame.learnt["beta"].shape == (5,)
    assert frame.scalars["learnt.mean β"] == pytest.approx(state.learnt.loss["beta"].value.mean())
    assert frame.scalars["learnt.mean β"] != pytest.approx(run.loss.beta)  # type: ignore[attr-defined]
    assert "proxies" not in frame.arrays


def learning_numbers() -> Iterator[Loss]:
    """Every loss that learns a number, with the switch for it."""
    for kind in LOSSES.values():
        numbers = [each for each in kind.learnable if each.shape is Shape.NUMBER]
        if numbers:
            yield kind(**{each.switch: True for each in numbers if each.switch})


numbers_learnt = pytest.mark.parametrize("loss", list(learning_numbers()), ids=spelled)


@numbers_learnt
def test_a_learnt_number_moves_at_its_own_rate_and_is_reported_as_it_is_drawn(loss: Loss) -> None:
    start = begin(replace(RUN, loss=loss))
    for rate in (1.0, 20.0):
        run = replace(RUN, loss=loss, proxy_lr=rate)
        after, _ = advance(run, start, 1)
        scalars = observe(run, after).scalars
        for name, declared in loss.learns.items():
            value = after.learnt.loss[name].value
            # The first step of Adam is as long as its learning rate.
            assert abs(float(value) - float(start.learnt.loss[name].value)) == pytest.approx(rate * RUN.lr, rel=1e-2)
            assert scalars[f"learnt.{declared.symbol}"] == float(declared.to_curve(torch.from_numpy(value)))


@numbers_learnt
def test_training_clamps_a_learnt_number_to_its_range(loss: Loss) -> None:
    run = replace(RUN, loss=loss)
    start = begin(run)
    for name, declared in loss.learns.items():
        beyond = np.float32(min(declared.high, 1e9) + 1)
        outside = LossAndMethodTensors({**start.learnt.loss, name: AdamParameters.untrained(np.array(beyond))})
        after, _ = advance(run, replace(start, learnt=outside), 1)
        moved = float(after.learnt.loss[name].value)
        assert moved == np.float32(declared.high) if declared.bounded else moved > 1e8


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (LOSSES["soft_triple"](centres=3), LOSSES["soft_triple"](centres=4), "4 proxies a class .* 3 proxies a class"),
        (LOSSES["margin"](), LOSSES["margin"](learn_beta=True), "would learn beta .* has learnt nothing"),
    ],
    ids=["more of them", "others"],
)
def test_a_knob_that_changes_what_is_learnt_wants_a_new_run(before: Loss, after: Loss, reason: str) -> None:
    old, new = replace(RUN, loss=before), replace(RUN, loss=after)
    with pytest.raises(ValueError, match=f"{reason}.*; start a new run"):
        check_change(old, new)
    with pytest.raises(ValueError, match="begin anew"):
        advance(new, begin(old), 1)
