"""Sweeps on the engine: stored by run and version, resumed after a kill, bit for bit, and cheap for the server."""

import math
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.engine import TRAINING, Engine, Job, Limits, sweeps
from dml_viz.engine.members import METRICS
from dml_viz.engine.results import Recorded, RecordedResult, Result, results_as_csv, score_table
from dml_viz.engine.slices import Training
from dml_viz.engine.store import FolderStore, Store
from dml_viz.engine.sweeps import TIMED, Cost, Results, like, seconds_of, start_sweep, timed_cost, timed_for, train_sweep
from dml_viz.training.loop import Run
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.sweep import LOOKS, Sweep, steps_of_looks
from tests.fake_training import BAD_SEED, FAKE, ManualExecutor, read_sweep
from tests.tables import rows

RUN = Run(Digits(), net=MLP(width=16), dim=3, sampler=PByK(4, 8), steps=40, device="cpu")
SWEEP = read_sweep(RUN, ["loss.bins:5_10_20"], 2)
LIMITS = Limits(unwatched=600)


class Bench:
    """An engine whose workers are moved by hand."""

    def __init__(self, training: Training = FAKE, store: Store | None = None) -> None:
        self.workers = ManualExecutor()
        self.engine = Engine(training, lambda: self.workers, LIMITS, store=store)
        self.workers.make_all()

    def swept(self, sweep: Sweep) -> Job | None:
        """The job of a sweep's missing runs, at its end."""
        job = start_sweep(self.engine, sweep, "visitor")
        self.workers.make_all()
        return job

    def results(self, sweep: Sweep) -> tuple[Result | None, ...]:
        return Results(self.engine.store).find_all(sweep)


@pytest.fixture(autouse=True)
def nothing_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "recorded_results", lambda: Recorded({}))


@pytest.fixture(scope="module")
def trained() -> tuple[Result, ...]:
    """The results of the real runs of the sweep, each trained alone."""
    return tuple(RecordedResult.trained(run) for run in SWEEP.runs)


def test_a_sweep_that_is_waited_for_goes_on_beside_that_of_another_and_ends_with_its_session() -> None:
    bench, other = Bench(), read_sweep(RUN, ["lr:0.001_0.002"], 1)

    def meanwhile(*_: int) -> None:
        start_sweep(bench.engine, other, "another", slot="export sweep")
        bench.workers.make_all()

    assert None not in train_sweep(bench.engine, SWEEP, meanwhile, owner="visitor")
    with pytest.raises(ValueError, match="the sweep stopped at step 0 of 40"):
        train_sweep(bench.engine, replace(other, seeds=2), lambda *_: bench.engine.close_jobs_of("visitor"), owner="visitor")


def test_no_more_than_some_values_of_a_sweep_are_timed_each_for_its_neighbours() -> None:
    sweep = read_sweep(RUN, ["loss.bins:" + "_".join(map(str, range(4, 24)))], 2)
    timed = timed_for(sweep)
    assert {like(run) for run in sweep.runs} == set(timed)
    assert len(set(timed.values())) <= TIMED
    assert timed[like(sweep.runs[2])].loss.bins in (4, 5, 6)


def test_each_run_of_a_sweep_scores_as_if_alone_and_a_second_call_trains_nothing(trained: tuple[Result, ...]) -> None:
    bench = Bench(TRAINING)
    job = bench.swept(SWEEP)
    assert job
    assert job.status == "done"
    for mine, alone in zip(bench.results(SWEEP), trained, strict=True):
        assert mine
        np.testing.assert_array_equal(mine.rows, alone.rows)
    assert start_sweep(bench.engine, SWEEP, "another") is None
    # A sweep that shares runs with it trains only the others.
    wider = read_sweep(RUN, ["loss.bins:5_10_20_50"], 2)
    assert {run.loss.bins for run in Results(bench.engine.store).missing(wider)} == {50}  # type: ignore[attr-defined]


def test_a_sweep_broken_off_with_its_server_goes_on_bit_for_bit(trained: tuple[Result, ...], tmp_path: Path) -> None:
    first = Bench(TRAINING, FolderStore(tmp_path))
    start_sweep(first.engine, SWEEP, "visitor")
    while sum(result is not None for result in first.results(SWEEP)) < 2:
        first.workers.make()
    first.workers.fail(BrokenExecutor("killed"))  # a worker dies, then the server
    first.workers.waiting.clear()
    second = Bench(TRAINING, FolderStore(tmp_path))
    job = second.swept(SWEEP)
    assert job
    assert len(job.experiment.runs) == len(SWEEP.runs) - 2
    for mine, alone in zip(second.results(SWEEP), trained, strict=True):
        assert mine
        np.testing.assert_array_equal(mine.rows, alone.rows)


def test_a_worker_that_is_killed_costs_no_run() -> None:
    bench, quiet = Bench(), Bench()
    quiet.swept(SWEEP)
    start_sweep(bench.engine, SWEEP, "visitor")
    for _ in range(8):
        bench.workers.make(2)
        bench.workers.fail(BrokenExecutor("killed"))
    bench.workers.make_all()
    for mine, other in zip(bench.results(SWEEP), quiet.results(SWEEP), strict=True):
        assert mine
        assert other
        np.testing.assert_array_equal(mine.rows, other.rows)


def test_runs_are_trained_seed_by_seed_and_a_pause_stops_them() -> None:
    bench = Bench()
    job = start_sweep(bench.engine, SWEEP, "visitor")
    assert job
    bench.workers.make(12)
    steps = [member.step for member in job.overview().members]
    assert steps == sorted(steps, reverse=True)
    assert sum(0 < step < RUN.steps for step in steps) <= 1
    job.pause()
    bench.workers.make_all()
    assert job.status == "paused"
    before = [member.step for member in job.overview().members]
    assert sum(step > 0 for step in before) < len(before)  # a member that is not played has not begun
    job.play()
    bench.workers.make_all()
    assert job.status == "done"
    assert None not in bench.results(SWEEP)


def test_a_run_that_stops_before_its_end_has_no_result_and_is_not_trained_again() -> None:
    bench = Bench()
    sweep = read_sweep(replace(RUN, seed=BAD_SEED - 1, lr=0.01), ["loss.bins:5_10"], 2)
    job = bench.swept(sweep)
    assert job
    assert [member.status for member in job.overview().members] == ["done", "done", "stopped", "stopped"]
    assert [result is None for result in bench.results(sweep)] == [False, False, True, True]
    results = Results(bench.engine.store)
    assert [bool(results.stopped(run)) for run in sweep.runs] == [False, False, True, True]
    assert start_sweep(bench.engine, sweep, "another") is None
    wider = read_sweep(replace(RUN, seed=BAD_SEED - 1, lr=0.01), ["loss.bins:5_10_20"], 2)
    assert {run.loss.bins for run in results.missing(wider)} == {20}  # type: ignore[attr-defined]


@pytest.mark.parametrize("members", [2, 200])
def test_results_of_many_members_cost_the_server_no_more_than_of_few(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads are counted, because times vary: only the status of the landed member is read."""
    from dml_viz.engine.member import Member

    asked = []
    status = Member.status.fget  # type: ignore[attr-defined]
    assert status
    bench = Bench()
    sweep = (
        read_sweep(RUN, ["lr:" + "_".join(f"0.00{k:02}" for k in range(1, members // 10 + 1))], 10)
        if members > 20
        else (read_sweep(RUN, ["lr:0.001_0.002"], 1))
    )
    job = start_sweep(bench.engine, sweep, "visitor")
    assert job
    assert len(job.experiment.runs) == members
    bench.workers.make(4)
    monkeypatch.setattr(Member, "status", property(lambda self: asked.append(1) or status(self)))
    bench.workers.make(4)
    assert len(asked) <= 4 * 8


def test_a_finished_member_holds_no_state() -> None:
    bench = Bench()
    job = bench.swept(SWEEP)
    assert job
    assert all(member._state is None and member.begun is None for member in job._members._each)
    assert all(not frame.z.size for member in job._members._each for frame in member.history._frames)


def test_the_price_is_the_time_of_the_runs() -> None:
    cost = Cost(begin=0.1, step=0.01, frame=0.02)
    (run, *_) = SWEEP.runs
    assert cost.of(run) == pytest.approx(sweeps.OVERHEAD * (0.1 + 40 * 0.01 + LOOKS * 0.02))
    runs, costs = SWEEP.runs, [cost] * len(SWEEP.runs)
    assert seconds_of(runs, costs, 1) == pytest.approx(6 * cost.of(run))
    assert seconds_of(runs, costs, 2) == pytest.approx(3 * cost.of(run))
    assert seconds_of(runs, costs, 100) == pytest.approx(cost.of(run))
    timed = timed_cost(TRAINING, run)
    assert 0 < timed.step < timed.begin + timed.frame + 1
    assert math.isfinite(timed.of(run))


@pytest.mark.parametrize("steps", [3, 101, 125, 300, 19_999])
def test_the_scores_of_a_look_are_those_of_the_step_that_is_named(steps: int) -> None:
    sweep = replace(SWEEP, run=replace(RUN, steps=steps))
    shown = np.array([step for step in range(steps + 1) if sweep.runs[0].shows(step)], np.float32)
    table = score_table(sweep, [Result(np.tile(shown[:, None], 1 + len(METRICS)), 0)] * len(sweep.runs))  # scores are steps
    np.testing.assert_array_equal(table[0, 0, :, 0], steps_of_looks(steps))


def test_the_table_has_the_scores_of_the_runs_at_each_evaluation(trained: tuple[Result, ...]) -> None:
    some: list[Any] = [*trained[:4], None, trained[5]]
    table = score_table(SWEEP, some)
    assert table.shape == (3, 2, 1 + LOOKS, len(METRICS))
    assert np.isnan(table[1, 1]).all()
    assert np.isfinite(np.delete(table.reshape(6, -1), 3, 0)).all()
    np.testing.assert_array_equal(table[2, 1], trained[5].rows[:, 1:])
    head, *lines = rows(results_as_csv(SWEEP, some))
    assert head == ["loss.bins", "seed", "step", *METRICS, "seconds"]
    assert len(lines) == 5 * (1 + LOOKS)
    assert {(line[0], line[1]) for line in lines} == {(str(b), str(s)) for b in (5, 10, 20) for s in (0, 1)} - {("10", "1")}
