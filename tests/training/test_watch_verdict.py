"""The verdict on a watched loop: every step counts, what falls is said, and what is all right is not accused."""

from dataclasses import replace

import numpy as np
import pytest

from dml_viz.training.frame import Frame
from dml_viz.training.watch.steps import BUCKETS, LossEnvelope, Losses
from dml_viz.training.watch.verdict import ESTIMATED, Verdict, retrieval_falls

POINTS = 500


def losses(first: int, *values: float) -> Losses:
    return Losses(first, np.array(values, np.float32))


def frame(step: int, r1: float = 0.9, loss: float = 1.0, active: float = 0.8, *notes: str) -> Frame:
    return Frame(step, np.zeros((POINTS, 2), np.float32), {}, {"r1.unseen": r1, "loss": loss, "active": active}, {}, notes)


@pytest.mark.parametrize("steps", [1, 5, 2 * BUCKETS, 2 * BUCKETS + 1, 100_003])
def test_the_curve_of_a_long_loop_keeps_every_extreme(steps: int) -> None:
    values = np.random.default_rng(0).normal(size=steps).astype(np.float32)
    curve = LossEnvelope()
    for first in range(0, steps, 777):
        curve.add(Losses(first + 1, values[first : first + 777]))
        curve.add(Losses(first + 1, values[first : first + 777]))  # a message that came twice
    rows = curve.min_max_by_bucket()
    assert len(rows) <= 2 * BUCKETS
    assert (curve.last, curve.known, curve.not_finite) == (steps, steps, 0)
    size = int(rows[1, 0] - rows[0, 0]) if len(rows) > 1 else 1
    for first, low, high in rows:
        of_bucket = values[int(first) - 1 : int(first) - 1 + size]
        assert (low, high) == (of_bucket.min(), of_bucket.max())


def test_a_loss_that_is_not_finite_between_two_frames_is_said_for_good() -> None:
    one = Verdict(probe=True)
    one.add_losses(losses(1, *[1.0] * 320))
    one.add_frame(frame(320))
    assert not one.notes
    one.add_losses(losses(321, *[1.0] * 114, np.nan))
    assert one.notes == ("At step 435 the loss is not finite.",)
    one.add_losses(losses(436, np.inf, np.nan))
    assert one.notes == ("From step 435 on the loss is not finite.",)
    one.add_losses(losses(438, 1.0))
    one.add_frame(frame(438, 0.9, 1.0, 0.8, "Collapse: here."))
    assert one.notes == ("At step 435 the loss is not finite, and at 3 of 438 steps in all.", "Collapse: here.")


def test_the_all_clear_says_how_far_it_reaches() -> None:
    one = Verdict(probe=True)
    one.add_frame(frame(320))
    assert "steps between frames are not known" in one.all_well_sentence  # as of a sender of the first version
    one.add_losses(losses(1, *[1.0] * 435))
    assert one.all_well_sentence.startswith("Diagnosis at step 320 of 435: no collapse, no dead gradient.")
    assert one.all_well_sentence.endswith("The loss is finite at all 435 steps.")
    one.add_frame(frame(435, active=np.nan))
    assert one.all_well_sentence.startswith("Diagnosis at step 435: no collapse, its gradient is not known.")
    one.add_losses(losses(501, *[1.0] * 10))  # the values before were lost with a server
    assert one.all_well_sentence.endswith("The loss is finite at 445 of 510 steps; the others are not known.")


def test_a_batch_most_of_which_has_no_gradient_is_said() -> None:
    one = Verdict(probe=True)
    for step in range(1, 8):
        one.add_frame(frame(step, active=0.14))
    assert one.notes == ("86 % of the batch has no gradient: nothing is learnt from these points.",)


def series(scores: np.ndarray, falling: float = 0.0) -> np.ndarray:
    steps = np.arange(1, len(scores) + 1) * 10.0
    return np.stack([steps, scores, 1 - falling * steps / steps[-1]], 1)


def test_retrieval_that_falls_is_said_with_what_the_loss_does() -> None:
    noise = np.random.default_rng(1).normal(0, 0.004, 40)
    falls = np.linspace(0.97, 0.92, 40) + noise
    said = retrieval_falls(series(falls, 0.6), POINTS, probe=True)
    assert said.startswith("Retrieval falls while the loss falls: R@1 is 0.9")
    assert "it was 0.97 at steps 10 to 80" in said
    assert "lower the learning rate" in retrieval_falls(series(falls), POINTS, probe=True)
    few = retrieval_falls(series(np.array([0.97, 0.9])), POINTS, probe=True)
    assert few.startswith("Retrieval falls: R@1 is 0.90 at step 20, it was 0.97 at step 10")
    assert not retrieval_falls(series(np.array([0.97, 0.9])), POINTS, probe=False)


@pytest.mark.parametrize("more", [0, 5])
def test_a_fall_since_there_are_more_classes_is_no_fall(more: int) -> None:
    one = Verdict(probe=False)
    for step in range(1, 41):
        late = step > 20
        easier = frame(step, r1=0.75 if late else 0.9)
        one.add_frame(replace(easier, arrays={"y": np.arange(POINTS) % (5 + more * late)}))
    assert bool(one.notes) == (more == 0)


@pytest.mark.parametrize("probe", [True, False])
def test_noise_and_a_rise_are_no_fall(probe: bool) -> None:
    drawn = np.random.default_rng(2)
    said = 0
    for count in (ESTIMATED, 20, 100, 400):
        for _ in range(50):
            level = drawn.uniform(0.3, 0.95)
            scores = drawn.binomial(60, level, count) / 60
            said += bool(retrieval_falls(series(scores, 0.5), 60, probe=probe))
    assert said <= 2
    assert not retrieval_falls(series(np.linspace(0.3, 0.9, 30)), POINTS, probe=probe)
