"""The engine with its own workers and the real training."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.wire import messages, unpack
from dml_viz.engine import Job, Limits, start
from dml_viz.engine.messages import frame_message, subject_message
from dml_viz.engine.pool import WorkerPool
from dml_viz.engine.recordings import record
from dml_viz.engine.slices import WHILE_WAITING
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Frame, Run, advance, begin, observe
from dml_viz.training.nets.mlp import MLP

RUN = Run(Digits(), net=MLP(width=32), dim=2, steps=60, every=20, device="cpu")
SOON, LONG = 240.0, 3600.0  # seconds; no page watches in these tests, so unwatched runs go on for long


class Local:
    """An engine on a local worker, within the test's reach; it trains no icons first, as one that waits for visitors does."""

    def __init__(self) -> None:
        self.pool = WorkerPool(1, while_waiting=WHILE_WAITING)
        self.engine = start(lambda: self.pool, Limits(unwatched=LONG))

    def begun(self, run: Run = RUN, owner: str = "visitor") -> Job:
        return self.engine.create(run, owner)


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    one = Local()
    yield one
    one.engine.close()


def frames_of(run: Run) -> list[Frame]:
    start = begin(run)
    return [observe(run, start), *advance(run, start, run.steps)[1]]


def assert_same(live: Job, frames: list[Frame]) -> None:
    assert live.steps == tuple(frame.step for frame in frames)
    for expected in frames:
        frame = live.at(expected.step)
        assert frame is not None
        np.testing.assert_array_equal(frame.z, expected.z)
        np.testing.assert_equal(frame.scalars, expected.scalars)
        for name, array in expected.arrays.items():
            np.testing.assert_array_equal(frame.arrays[name], array)


def test_a_live_run_gives_the_very_frames_of_one_uninterrupted_advance(local: Local) -> None:
    live = local.begun()
    live.play()
    assert live.wait_for(lambda live: live.status == "done", SOON), live.overview()
    assert_same(live, frames_of(RUN))


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nothing else hangs a process from outside")
def test_a_worker_that_hangs_in_the_middle_of_a_run_is_killed_and_replaced_and_costs_no_frame(local: Local) -> None:
    run = replace(RUN, every=20)
    local.engine.devices()  # the worker is warm
    live = local.begun(run)
    live.play(until=20)
    assert live.wait_for(lambda live: live.status == "paused", SOON), live.overview()
    (hung,) = local.pool.pids
    os.kill(hung, signal.SIGSTOP)
    live.play()
    while hung in local.pool.pids:
        live.wait_for(lambda live: live.status == "done", 0.1)
        local.engine.replace_hung(0.5)
    assert live.wait_for(lambda live: live.status == "done", SOON), live.overview()
    assert_same(live, frames_of(run))


def test_a_run_stopped_and_stepped_continues_as_if_uninterrupted(local: Local) -> None:
    live = local.begun()
    live.play(until=33)
    assert live.wait_for(lambda live: live.latest_step == 33, SOON), live.overview()
    for step in (34, 35):
        live.step_by(1)
        assert live.wait_for(lambda live, step=step: live.latest_step == step, SOON), live.overview()
    live.play()
    assert live.wait_for(lambda live: live.status == "done", SOON), live.overview()
    expected = {frame.step: frame for frame in frames_of(RUN)}
    for step in (40, 60):
        frame = live.at(step)
        assert frame is not None
        np.testing.assert_array_equal(frame.z, expected[step].z)


def test_a_dozen_runs_on_one_worker_all_progress(local: Local) -> None:
    run = replace(RUN, steps=20_000, every=1000)
    lives = [local.begun(run, owner=str(k)) for k in range(12)]
    for live in lives:
        live.play()
    for live in lives:
        assert live.wait_for(lambda live: live.step > 0, SOON), live.overview()
    for k in range(12):
        local.engine.close_jobs_of(str(k))


def test_workers_report_their_devices_with_the_cpu_among_them(local: Local) -> None:
    assert local.engine.devices()[-1] == "cpu"


def test_a_real_run_packs_for_the_browser(local: Local) -> None:
    live = local.begun()
    live.play(until=20)
    assert live.wait_for(lambda live: live.latest_step == 20, SOON), live.overview()
    subject = subject_message(live)
    assert subject is not None
    header, arrays = unpack(subject)
    points = len(arrays["y"])
    assert arrays["images"].shape == (points, 8, 8)
    assert len(header["classes"]) == len(header["categories"]) == 10
    header, arrays = unpack(frame_message(live))
    assert arrays["0.view"].shape == (points, 2)
    assert arrays["0.near"].shape == (points, 8)
    assert arrays["rows"].shape == (2, 1 + len(header["columns"]))
    assert (frame := live.at()) is not None
    assert frame.scalars.keys() == set(header["columns"])


def test_a_recording_holds_the_subject_and_every_frame_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "made" / "start.bin"
    size = record(Experiment.of(RUN), path)
    recording = path.read_bytes()
    assert len(recording) == size
    (subject, _), *frames = map(unpack, messages(recording))
    assert subject["kind"] == "subject"
    assert [header["step"] for header, _ in frames] == [0, 20, 40, 60]
    for (header, arrays), frame in zip(frames, frames_of(RUN), strict=True):
        assert header["status"] == "done"
        assert header["latest"] == RUN.steps
        view = np.rint(4096 * (arrays["0.view"] / 32767.5 - 1)) / 4096  # as a browser reads it
        np.testing.assert_allclose(view, frame.arrays["view"], rtol=0, atol=1 / 8191)
        np.testing.assert_array_equal(arrays["rows"], np.array([[frame.step, *frame.scalars.values()]], np.float32))


def test_a_closed_engine_leaves_no_processes(local: Local) -> None:
    """The last test of the module, because it closes its engine."""
    live = local.begun(replace(RUN, steps=20_000))
    live.play()
    assert live.wait_for(lambda live: live.step > 0, SOON), live.overview()
    pids = local.pool.pids
    local.engine.close()
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
