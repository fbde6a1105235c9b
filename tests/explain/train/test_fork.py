"""Forks: their starting state, the way back to a step, and two branches in the engine."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from dml_viz.data.datasets.digits import Digits
from dml_viz.engine.checkpoints import MOST, Checkpoints
from dml_viz.losses.fastap import FastAP
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple
from dml_viz.losses.triplet import Triplet
from dml_viz.training.experiment import Branch
from dml_viz.training.loop import Run, advance, begin, fork, observe
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.race import Race, Racer
from tests.fake_training import NAN_AT
from tests.training.test_race import RUN, Track, shown

SMALL = Run(Digits(), net=MLP(width=16), dim=2, steps=40, every=10, device="cpu")


@pytest.fixture
def track() -> Iterator[Track]:
    one = Track()
    yield one
    one.engine.close()


def forked(before: Run, run: Run, step: int = 20) -> tuple[object, ...]:
    state, _ = advance(before, begin(before), step)
    return state, fork(before, run, state)


def test_a_fork_with_nothing_changed_goes_on_bit_for_bit() -> None:
    state, other = forked(SMALL, SMALL)
    for mine, theirs in zip(advance(SMALL, state, 20)[1], advance(SMALL, other, 20)[1], strict=True):  # type: ignore[arg-type]
        np.testing.assert_array_equal(mine.z, theirs.z)
        np.testing.assert_equal(mine.scalars, theirs.scalars)


def test_another_loss_goes_on_from_the_same_weights_with_adam_anew() -> None:
    before, run = SMALL, replace(SMALL, loss=Triplet())
    state, _ = advance(before, begin(before), 20)
    other = fork(before, run, state)
    np.testing.assert_array_equal(other.weights.value, state.weights.value)
    assert (other.step, other.adam) == (20, 20)
    assert not other.weights.square.any()
    np.testing.assert_array_equal(observe(run, other).z, observe(before, state).z)
    # Adam's first step has the length of the rate in every weight with a gradient, whatever came before it.
    after, _ = advance(run, other, 1)
    moved = np.abs(after.weights.value - other.weights.value)
    assert moved.max() == pytest.approx(run.lr, rel=1e-2)
    again, _ = advance(run, after, 5)
    assert again.adam == 20


def test_another_knob_keeps_adam() -> None:
    state, _ = advance(SMALL, begin(SMALL), 20)
    other = fork(SMALL, replace(SMALL, loss=FastAP(bins=25)), state)
    assert other.adam == 0
    np.testing.assert_array_equal(other.weights.square, state.weights.square)


def test_proxies_are_copied_where_they_fit_and_initialised_where_not() -> None:
    before = replace(SMALL, loss=ProxyNCA())
    state, _ = advance(before, begin(before), 20)
    forked = fork(before, replace(SMALL, loss=ProxyAnchor()), state)
    np.testing.assert_array_equal(forked.learnt.loss["proxies"].value, state.learnt.loss["proxies"].value)
    centres = replace(SMALL, loss=SoftTriple())
    drawn = fork(before, centres, state)
    np.testing.assert_array_equal(drawn.learnt.loss["proxies"].value, begin(centres).learnt.loss["proxies"].value)
    assert not fork(before, SMALL, state).learnt.loss


# The way back -------------------------------------------------------------------------------------------------------


def test_checkpoints_keep_some_states_and_reach_every_step_passed() -> None:
    checkpoints, slower = Checkpoints(), replace(RUN, lr=0.5)
    for step in range(0, 1001, 5):
        checkpoints.add(step, str(step).encode(), RUN if step <= 600 else slower)
    for step in (0, 3, 333, 600, 601, 777, 999, 1000):
        plan = checkpoints.plan(step)
        assert plan is not None
        walked = [run for run, steps in plan.segments for _ in range(steps)]
        begins = int(plan.state)
        assert [RUN if k < 600 else slower for k in range(begins, step)] == walked
        assert step - begins <= 2 * 1000 / MOST
    assert checkpoints.plan(1001) is None
    checkpoints.add(1000, b"1000", slower)
    assert checkpoints.plan(1000) is not None
    assert len(checkpoints._states) <= MOST + 1


def test_checkpoints_of_a_resumed_run_do_not_reach_earlier_steps() -> None:
    checkpoints = Checkpoints()
    checkpoints.add(50, b"", RUN)
    assert checkpoints.plan(49) is None
    assert checkpoints.plan(50) is not None


# Branches in a race -------------------------------------------------------------------------------------------------


def test_a_branch_with_nothing_changed_is_its_parent(track: Track) -> None:
    race = Race(RUN, (Racer(FastAP()), Racer(FastAP(), Branch(17, 0)), Racer(FastAP(bins=25), Branch(23, 1))))
    live = track.raced(race)
    assert (live.status, live.steps[-1]) == ("done", 40)
    frames = live.frames(40)
    assert frames is not None
    first, second, third = frames.members
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.scalars == second.scalars == third.scalars
    assert {0, 10, 20, 30, 40} <= set(live.steps)


def test_a_racer_that_has_not_branched_off_yet_delays_no_other(track: Track) -> None:
    live = track.begun(Race(RUN, (Racer(FastAP()), Racer(FastAP(), Branch(17, 0)))))
    live.play()
    track.workers.make(2)
    assert live.steps == (0, 10)
    newest = live.frames()
    assert newest is not None
    assert newest.members[1] is None
    track.workers.make_all()
    newest = live.frames()
    assert newest is not None
    assert newest.members[1] is not None


@pytest.mark.parametrize("seed", [13, 0])
def test_a_branch_off_a_racer_that_stops_before_it_says_so(track: Track, seed: int) -> None:
    step = NAN_AT + 5 if seed == 13 else 50
    race = Race(replace(RUN, seed=seed), (Racer(FastAP()), Racer(Triplet(), Branch(step, 0))))
    live = track.raced(race)
    last = live.overview().members[1]
    assert (live.status, last.status) == ("done" if seed == 0 else "stopped", "stopped")
    assert "stopped before that" in last.reason


def test_a_live_run_is_forked_at_a_step_that_it_has_passed_and_both_go_on(track: Track) -> None:
    plain = track.engine.create(RUN, "visitor")
    plain.play(until=27)
    track.workers.make_all()
    race = Race(RUN, (Racer(RUN.loss), Racer(RUN.loss, Branch(13, 0))))
    live = track.engine.create(race.experiment, "visitor", slot="race", first=plain)
    track.workers.make_all()
    assert [standing.step for standing in live.overview().members] == [27, 13]
    live.play()
    track.workers.make_all()
    expected = dict(track.trained(RUN))
    for racer in (0, 1):
        values = dict(shown(live, racer))
        assert {step: values[step] for step in (0, 10, 20, 30, 40) if step in values} == {
            step: value for step, value in expected.items() if step in values
        }
        assert values[40] == expected[40]
    assert (plain.step, plain.status) == (27, "paused")


def test_a_reset_fork_is_at_its_step_again(track: Track) -> None:
    plain = track.engine.create(RUN, "visitor")
    plain.play()
    track.workers.make_all()
    race = Race(RUN, (Racer(RUN.loss), Racer(Triplet(), Branch(20, 0))))
    live = track.engine.create(race.experiment, "visitor", slot="race", first=plain)
    live.play()
    track.workers.make_all()
    assert live.status == "done"
    live.reset()
    track.workers.make_all()
    assert [standing.step for standing in live.overview().members] == [40, 20]
