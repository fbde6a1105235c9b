import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dml_viz.engine import Engine, Job, TooManyRunsError, slices
from dml_viz.engine.limits import Visitor
from dml_viz.engine.slices import Slice, train, train_while_waiting
from dml_viz.losses.fastap import FastAP
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Frame, Run
from tests.fake_training import BAD_SEED, FAKE, LIMITS, NAN_AT, STEPS_A_SLICE, WORST_SEED, ManualEngine, ManualExecutor, Number

RUN = Run(steps=40, every=10, dim=2, lr=0.01)


class Desk(ManualEngine):
    def begun(self, run: Run = RUN, owner: str = "visitor") -> Job:
        live = self.engine.create(run, owner)
        self.workers.make()
        return live

    def trained(self, run: Run = RUN) -> Job:
        live = self.begun(run)
        live.play()
        self.workers.make_all()
        return live


@pytest.fixture
def desk() -> Iterator[Desk]:
    with_engine = Desk()
    yield with_engine
    with_engine.engine.close()


def loss_at(live: Job, step: int) -> float:
    frame = live.at(step)
    assert frame is not None
    assert frame.step == step
    return frame.scalars["loss"]


class ThreeManual(ManualExecutor):
    workers = 3


def test_an_engine_has_the_workers_of_its_executor_whatever_processes_these_are() -> None:
    for executor, workers in ((ThreeManual, 3), (ManualExecutor, 1)):
        engine = Engine(FAKE, executor)
        assert engine.workers == workers
        engine.close()


def test_a_run_waits_at_its_start_and_shows_it(desk: Desk) -> None:
    live = desk.begun()
    assert (live.status, live.step, live.steps) == ("paused", 0, (0,))
    assert live.subject is not None
    assert live.device == "AUTO"
    assert not desk.workers.waiting


def test_a_run_shows_its_start_every_tenth_step_and_the_last_one_of_its_budget(desk: Desk) -> None:
    live = desk.trained(replace(RUN, steps=45))
    assert (live.status, live.step) == ("done", 45)
    assert live.steps == (0, 10, 20, 30, 40, 45)


def test_only_one_slice_of_a_run_is_under_way(desk: Desk) -> None:
    live = desk.begun()
    for command in (live.play, partial(live.step_by, 1), live.reset, live.play, live.watch):
        command()
        assert len(desk.workers.waiting) == 1


def test_runs_take_turns(desk: Desk) -> None:
    lives = [desk.begun(replace(RUN, steps=1000), owner=str(k)) for k in range(30)]
    for live in lives:
        live.play()
    desk.workers.make(30 * 7)
    assert {live.step for live in lives} == {7 * STEPS_A_SLICE}


def test_a_slice_trains_on_to_the_next_frame_as_long_as_it_may() -> None:
    def advance_while(run: Run, state: Number, go_on: Callable[[int], bool], steps: int) -> tuple[Number, tuple[Frame, ...]]:
        for _ in range(steps):
            state, _ = FAKE.advance_while(run, state, go_on, 1)  # type: ignore[arg-type, assignment]
            if not go_on(state.step):
                break
        return state, ()

    training = replace(FAKE, advance_while=advance_while)  # type: ignore[arg-type]
    call = Slice(RUN, pickle.dumps(FAKE.begin(RUN)), RUN.steps, 1e-9)
    assert train(training, call).step == 1
    assert train(training, replace(call, longest=3600)).step == RUN.every
    assert train(training, replace(call, seconds=3600)).step == RUN.steps


def test_a_waiting_worker_trains_the_newest_run_ahead_once_unless_its_steps_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[object] = []
    training = replace(FAKE, ahead=lambda state, go_on: trained.append((state.step, go_on())))
    call = Slice(RUN, pickle.dumps(FAKE.begin(RUN)), STEPS_A_SLICE, 1.0)
    train(training, call)
    for waits in (False, True):
        train_while_waiting(lambda waits=waits: waits)  # type: ignore[misc]
    assert trained == [(STEPS_A_SLICE, False)]
    monkeypatch.setattr(slices, "LONGEST_STEP", 0.0)
    train(training, call)
    train_while_waiting(lambda: True)
    assert len(trained) == 1


def test_a_run_has_the_longer_slices_only_while_no_other_call_waits(desk: Desk) -> None:
    def next_slice() -> Slice:
        call = desk.workers.waiting[0][1].args[-1]
        assert isinstance(call, Slice)
        return call

    first, second = desk.begun(owner="first"), desk.begun(owner="second")
    first.play()
    assert next_slice().longest == LIMITS.slice_alone
    second.play()
    desk.workers.make()
    assert next_slice().longest == 0
    desk.workers.make()
    assert next_slice().longest == 0


def test_a_larger_budget_lets_a_run_that_is_done_go_on(desk: Desk) -> None:
    live = desk.trained()
    live.change(replace(RUN, steps=60))
    assert live.status == "running"
    desk.workers.make_all()
    assert (live.status, live.step) == ("done", 60)


def test_a_run_trained_to_a_step_stops_there_with_a_frame_of_it(desk: Desk) -> None:
    live = desk.begun()
    live.play(until=17)
    desk.workers.make_all()
    assert (live.status, live.step, live.steps) == ("paused", 17, (0, 10, 17))


def test_single_steps_show_each_step_and_change_no_later_one(desk: Desk) -> None:
    whole = desk.trained()
    expected = [loss_at(whole, step) for step in (20, 30, 40)]
    live = desk.begun()
    live.play(until=11)
    desk.workers.make_all()
    for _ in range(2):
        live.step_by(1)
        assert live.status == "paused"
        desk.workers.make_all()
    assert live.steps == (0, 10, 11, 12, 13)
    live.play()
    desk.workers.make_all()
    assert [loss_at(live, step) for step in (20, 30, 40)] == expected


def test_single_steps_add_up_while_the_first_is_under_way(desk: Desk) -> None:
    live = desk.begun()
    for steps in (1, 2):
        live.step_by(steps)
    desk.workers.make_all()
    assert (live.status, live.step) == ("paused", 3)


def test_a_paused_run_shows_its_step(desk: Desk) -> None:
    live = desk.begun()
    live.play()
    desk.workers.make(2)
    live.pause()
    desk.workers.make_all()
    assert (live.status, live.step) == ("paused", 3 * STEPS_A_SLICE)
    assert live.steps[-1] == live.step


def test_a_slice_that_went_beyond_the_step_asked_for_is_trained_again(desk: Desk) -> None:
    live = desk.begun()
    live.play()
    live.play(until=3)
    desk.workers.make_all()
    assert (live.status, live.step, live.steps) == ("paused", 3, (0, 3))


def test_reset_goes_back_to_the_same_start_and_drops_what_is_under_way(desk: Desk) -> None:
    live = desk.begun()
    start = live.at()
    live.play()
    desk.workers.make(2)
    live.reset()
    assert (live.status, live.step, live.steps) == ("paused", 0, (0,))
    desk.workers.make_all()
    assert (live.step, live.at()) == (0, start)
    live.play()
    desk.workers.make_all()
    assert loss_at(live, 40) == loss_at(desk.trained(), 40)


def test_a_reset_run_starts_with_the_knobs_it_was_given_on_the_way(desk: Desk) -> None:
    live = desk.trained()
    other = replace(RUN, lr=0.1)
    live.change(other)
    live.reset()
    desk.workers.make_all()
    assert live.changes == ()
    live.play()
    desk.workers.make_all()
    assert [loss_at(live, step) for step in (0, 40)] == [loss_at(desk.trained(other), step) for step in (0, 40)]


def test_a_change_counts_from_the_slice_after_the_one_under_way(desk: Desk) -> None:
    live = desk.begun()
    live.play()
    live.change(replace(RUN, lr=0.1))
    assert live.changes == ()
    desk.workers.make()
    assert live.changes == ((STEPS_A_SLICE, "lr 0.01 → 0.1"),)
    desk.workers.make_all()
    assert live.changes == ((STEPS_A_SLICE, "lr 0.01 → 0.1"),)


def test_changes_at_one_step_are_one_change_and_none_when_taken_back(desk: Desk) -> None:
    live = desk.begun()
    live.play(until=7)
    desk.workers.make_all()
    live.change(replace(RUN, lr=0.1))
    live.change(replace(RUN, lr=0.1, loss=FastAP(bins=25)))
    desk.workers.make_all()
    assert live.changes == ((7, "lr 0.01 → 0.1, bins 10 → 25"),)
    live.change(RUN)
    assert live.changes == ()


def test_a_change_survives_the_death_of_the_worker_that_first_trains_with_it(desk: Desk) -> None:
    live = desk.begun()
    live.play(until=10)
    desk.workers.make_all()
    live.change(replace(RUN, lr=0.1))
    live.play()
    desk.workers.fail(BrokenExecutor("killed"))
    desk.workers.make_all()
    assert live.changes == ((10, "lr 0.01 → 0.1"),)


@pytest.mark.parametrize(("field", "value"), [("dim", 3), ("seed", 1), ("every", 20), ("device", "cpu")])
def test_a_change_that_needs_another_run_is_refused_by_name(desk: Desk, field: str, value: object) -> None:
    live = desk.begun()
    with pytest.raises(ValueError, match=f"{field} cannot change .* start a new run"):
        live.change(replace(RUN, **{field: value}))
    assert live.run == RUN


def test_a_run_without_viewers_sleeps_and_wakes_with_a_viewer(desk: Desk) -> None:
    live = desk.begun()
    live.play()
    desk.workers.make()
    desk.now += 5.1
    desk.workers.make()
    assert live.status == "asleep"
    assert "watches" in live.reason
    desk.workers.make_all()
    step = live.step
    assert step == 2 * STEPS_A_SLICE
    live.watch()
    assert live.status == "running"
    desk.workers.make_all()
    assert live.status == "done"


def test_an_owner_has_one_run_and_the_earlier_one_is_gone_with_its_slice(desk: Desk) -> None:
    first = desk.begun()
    first.play()
    second = desk.engine.create(RUN, "visitor")
    assert first.closed
    assert desk.engine.get(first.id) is None
    assert desk.workers.waiting[0][0].cancelled()
    desk.workers.make_all()
    assert first.step == 0
    assert second.at() is not None


def test_the_run_of_a_closed_session_sleeps_at_once_and_wakes_if_it_was_only_the_network(desk: Desk) -> None:
    live = desk.begun()
    live.play()
    desk.engine.leave("visitor")
    assert live.status == "asleep"
    desk.workers.make()
    assert not desk.workers.waiting
    desk.now += 59
    desk.engine.sweep()
    live.watch()
    assert live.status == "running"


def test_the_run_of_a_closed_session_is_freed_after_a_while(desk: Desk) -> None:
    live = desk.begun()
    desk.engine.leave("visitor")
    desk.now += 61
    desk.engine.sweep()
    assert desk.engine.get(live.id) is None
    assert live.closed


def test_an_abandoned_run_is_freed(desk: Desk) -> None:
    live = desk.begun()
    desk.now += 599
    desk.engine.sweep()
    assert desk.engine.get(live.id) is live
    desk.now += 2
    desk.engine.sweep()
    assert desk.engine.get(live.id) is None


def test_a_release_frees_the_run_at_once(desk: Desk) -> None:
    live = desk.begun()
    desk.engine.close_jobs_of("visitor")
    assert live.closed
    assert desk.engine.get(live.id) is None


def test_a_copy_of_a_run_is_where_it_is_and_goes_its_own_way(desk: Desk) -> None:
    first = desk.begun()
    first.play(until=17)
    desk.workers.make_all()
    other = desk.engine.create(first, "another")
    assert (other.status, other.step, other.steps, other.experiment) == ("paused", 17, first.steps, first.experiment)
    other.reset()
    desk.workers.make_all()
    assert (other.step, first.step, first.closed) == (0, 17, False)
    desk.engine.leave("visitor")
    desk.engine.create(first, "somebody with the link")
    assert not first.closed
    again = desk.engine.create(first, "visitor, reloaded", visitor=first.visitor)
    assert (again.step, first.closed) == (17, True)


def test_a_run_with_a_pace_waits_for_each_frame_to_be_drawn(desk: Desk) -> None:
    live = desk.begun()
    live.set_steps_per_frame(7)
    live.play()
    desk.workers.make_all()
    assert live.step == 0
    for step in (7, 14, 21):
        live.watch(frame_drawn=False)
        live.watch()
        desk.workers.make_all()
        assert (live.step, live.latest_step) == (step, step)
    live.set_steps_per_frame(0)
    live.watch()
    desk.workers.make_all()
    assert live.step == 34, "the opening of a run is shown at full speed, too"
    live.set_steps_per_frame(None)
    desk.workers.make_all()
    assert live.status == "done"


def test_a_full_server_says_so_and_an_owner_may_still_replace_his_run() -> None:
    desk = Desk(replace(LIMITS, runs=2))
    for owner in ("one", "two", "one"):
        desk.begun(owner=owner)
    with pytest.raises(TooManyRunsError, match=r"^This server trains 2 runs .* closes a tab that trains, or .* 10 minutes$"):
        desk.engine.create(RUN, "three")
    desk.engine.leave("one")
    assert desk.begun(owner="three"), "the run of a closed tab makes room at once"
    desk.engine.close()


def test_a_visitor_has_so_many_jobs_in_all_tabs_and_so_many_runs_in_them() -> None:
    desk = Desk(replace(LIMITS, visitor_jobs=3, visitor_runs=5, crowd=2))
    one, race = Visitor("one"), Experiment((RUN,) * 4, ("loss",), seeds=4)
    first = desk.engine.create(race, "tab 1", visitor=one)
    desk.engine.create(RUN, "tab 2", visitor=one)
    with pytest.raises(TooManyRunsError, match=r"^1 runs are too many beside the 5 .* may have 5 at once"):
        desk.engine.create(RUN, "tab 3", visitor=one)
    desk.engine.create(RUN, "tab 1", visitor=one)
    assert first.closed
    desk.engine.create(RUN, "tab 3", visitor=one)
    with pytest.raises(TooManyRunsError, match=r"^You have 3 runs and races, .* its place is free at once$"):
        desk.engine.create(RUN, "tab 4", visitor=one)
    desk.engine.create(RUN, "another tab", visitor=Visitor("another"))
    desk.engine.leave("tab 3")
    assert desk.engine.create(RUN, "tab 4", visitor=one)
    class_of_six = Visitor("192.0.2.1", crowd=True)
    assert all(desk.engine.create(RUN, f"desk {k}", visitor=class_of_six) for k in range(6))
    with pytest.raises(TooManyRunsError, match=r"^Your network has 6 runs and races, as many as it may"):
        desk.engine.create(RUN, "desk 6", visitor=class_of_six)
    desk.engine.close()


def test_an_address_has_so_many_jobs_whatever_its_visitors_call_themselves_and_the_rest_is_for_others() -> None:
    desk = Desk(replace(LIMITS, address_jobs=4))
    for k in range(4):
        desk.engine.create(RUN, f"tab {k}", visitor=Visitor(f"cookie {k}", address="192.0.2.1"))
    with pytest.raises(TooManyRunsError, match=r"^4 runs and races come from your network address"):
        desk.engine.create(RUN, "tab 4", visitor=Visitor("cookie 4", address="192.0.2.1"))
    assert desk.engine.create(RUN, "another", visitor=Visitor("another", address="192.0.2.2"))
    desk.engine.leave("tab 0")
    assert desk.engine.create(RUN, "tab 4", visitor=Visitor("cookie 4", address="192.0.2.1"))
    desk.engine.close()


def test_two_tabs_of_a_visitor_train_no_more_than_the_one_tab_of_another(desk: Desk) -> None:
    lives = [desk.engine.create(replace(RUN, steps=1000), f"tab {k}", visitor=Visitor(name)) for k, name in enumerate("aab")]
    desk.workers.make_all()
    for live in lives:
        live.play()
    for _ in range(40):
        desk.now += 0.1
        desk.workers.make()
    assert [live.step // STEPS_A_SLICE for live in lives] == [10, 10, 20]


def test_a_run_says_what_it_waits_for_and_a_hung_worker_is_replaced(desk: Desk) -> None:
    whole = desk.trained()
    hung, other = desk.begun(owner="one"), desk.begun(owner="two")
    hung.play(), other.play()
    assert (hung.reason, other.reason) == ("", "")
    desk.now += 3
    assert hung.reason.startswith("Its worker has given no answer for 3 seconds; after 60 another takes its place")
    assert other.reason == "It waits for its turn: 2 visitors share 1 worker."
    hung.watch(), other.watch()
    desk.now += 58
    hung.watch(), other.watch()
    desk.engine.replace_hung(60)
    assert desk.workers.waiting[0][0].cancelled(), "what the hung worker gives is not wanted any more"
    desk.workers.make_all()
    assert [live.status for live in (hung, other)] == ["done", "done"]
    assert_equal_frames([hung.at(step) for step in hung.steps], [whole.at(step) for step in whole.steps])


def test_a_worker_that_is_starting_is_not_called_hung(desk: Desk) -> None:
    live = desk.begun()
    live.play()
    desk.workers.trouble = "A worker is starting."  # type: ignore[attr-defined]
    desk.now += 90
    desk.engine.replace_hung(60)
    assert live.reason == "A worker is starting."
    desk.workers.trouble = ""  # type: ignore[attr-defined]
    desk.now += 50
    desk.engine.replace_hung(60)
    live.watch()
    desk.workers.make_all()
    assert live.status == "done"


def test_a_run_that_hangs_every_worker_fails_and_says_so(desk: Desk) -> None:
    live = desk.begun()
    live.play()
    for _ in range(LIMITS.deaths):
        live.watch()
        desk.now += 61
        live.watch()
        desk.engine.replace_hung(60)
    assert live.status == "failed"
    assert live.reason.endswith("a worker gave no answer for 60 seconds and was replaced")


def test_the_seconds_of_a_run_are_capped_until_it_is_reset() -> None:
    desk = Desk(replace(LIMITS, seconds=1e-9))
    live = desk.trained()
    assert (live.status, live.step) == ("paused", STEPS_A_SLICE)
    assert "reset it or start another" in live.reason
    live.play()
    desk.workers.make_all()
    assert live.step == STEPS_A_SLICE
    live.reset()
    assert live.reason == ""
    desk.engine.close()


def test_a_killed_worker_changes_no_frame(desk: Desk) -> None:
    whole = desk.trained()
    expected = [whole.at(step) for step in whole.steps]
    live = desk.begun()
    live.play()
    while desk.workers.waiting:
        desk.workers.fail(BrokenExecutor("killed"))
        desk.workers.fail(BrokenExecutor("killed"))
        desk.workers.make()
    assert live.status == "done"
    assert_equal_frames([live.at(step) for step in live.steps], expected)


def test_a_slice_that_kills_every_worker_fails_the_run_and_says_so(desk: Desk) -> None:
    live = desk.begun()
    live.play()
    for _ in range(LIMITS.deaths):
        desk.workers.fail(BrokenExecutor("exit code -9"))
    assert live.status == "failed"
    assert "3 workers in a row died" in live.reason
    live.play()
    desk.workers.make_all()
    assert live.status == "done"


def test_a_race_that_loses_a_run_to_killed_workers_ends_and_names_the_run_and_why(desk: Desk) -> None:
    race = desk.engine.create(Experiment((RUN, replace(RUN, seed=7)), ("A", "B")), "visitor", slot="race")
    desk.workers.make(2)
    race.play()
    while not race.reason:
        desk.workers.fail(BrokenExecutor("exit code -9"))
    desk.workers.make_all()
    assert (race.status, race.reason.partition(": ")[0]) == ("incomplete", "1 of 2 runs failed; A, seed 1 of 1")
    assert "3 workers in a row died" in race.reason
    assert [member.status for member in race.overview().members] == ["failed", "done"]
    race.play()  # trains what is missing, and nothing else
    assert len(desk.workers.waiting) == 1
    desk.workers.make_all()
    assert (race.status, race.reason) == ("done", "")


def test_an_error_in_a_worker_fails_the_run_with_its_words(desk: Desk) -> None:
    live = desk.begun(replace(RUN, seed=WORST_SEED))
    assert (live.status, live.reason) == ("failed", "RuntimeError: the data are not there")


def test_a_run_that_met_nan_goes_on_when_its_learning_rate_is_lowered(desk: Desk) -> None:
    live = desk.trained(replace(RUN, seed=BAD_SEED))
    assert (live.status, live.step, live.reason) == ("stopped", NAN_AT, f"NaN at step {NAN_AT}")
    live.play()
    live.step_by(1)
    assert (live.status, desk.workers.waiting) == ("stopped", [])  # the same steps would stop there again
    live.change(replace(RUN, seed=BAD_SEED, lr=0.001))
    desk.workers.make_all()
    assert (live.status, live.changes) == ("done", ((NAN_AT, "lr 0.01 → 0.001"),))


def test_a_broken_executor_is_replaced() -> None:
    class Broken(ManualExecutor):
        def submit(self, *args: object, **kwargs: object) -> object:
            raise BrokenExecutor("all workers are gone")

    made = [Broken(), ManualExecutor()]
    engine = Engine(FAKE, lambda: made.pop(0))
    assert not made
    engine.close()


def test_listeners_are_called_for_frames_and_for_the_end(desk: Desk) -> None:
    live = desk.begun()
    steps: list[int] = []
    with live.listening(lambda: steps.append(live.latest_step)):
        live.play(until=10)
        desk.workers.make_all()
        desk.engine.close_jobs_of("visitor")
    assert steps == [0, 10, 10]
    assert live.closed


def test_run_ids_cannot_be_guessed(desk: Desk) -> None:
    ids = {desk.engine.create(RUN, str(k)).id for k in range(20)}
    assert len(ids) == 20
    assert min(map(len, ids)) >= 20


def test_commands_for_a_run_that_is_gone_do_nothing(desk: Desk) -> None:
    live = desk.begun()
    desk.engine.close_jobs_of("visitor")
    for command in (live.play, live.pause, partial(live.step_by, 1), live.reset, live.watch):
        command()
        assert not desk.workers.waiting
    assert desk.engine.get(live.id) is None


def assert_equal_frames(frames: list[Frame | None], expected: list[Frame | None]) -> None:
    assert len(frames) == len(expected)
    for frame, other in zip(frames, expected, strict=True):
        assert frame is not None
        assert other is not None
        assert frame.step == other.step
        assert frame.notes == other.notes
        np.testing.assert_equal(frame.scalars, other.scalars)
        for name in frame.arrays.keys() | other.arrays.keys():
            np.testing.assert_array_equal(frame.arrays[name], other.arrays[name])
