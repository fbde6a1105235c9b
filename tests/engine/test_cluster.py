"""Workers of a cluster make calls as local ones do; calls lost by a worker, the scheduler or the network are made again."""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from importlib import import_module
from operator import add
from threading import Event, Thread
from types import SimpleNamespace

import numpy as np
import pytest

from dml_viz.data.datasets.digits import Digits
from dml_viz.engine import TRAINING, Engine, Job, Limits, cluster
from dml_viz.engine.cluster import Cluster
from dml_viz.engine.cluster.worker import answer
from dml_viz.engine.process import WorkerDied
from dml_viz.engine.slices import Training
from dml_viz.engine.versions import versions
from dml_viz.training.loop import Frame, Run, advance, begin, observe
from dml_viz.training.nets.mlp import MLP
from tests import dask_process
from tests.fake_training import FAKE
from tests.served import free_port

SOON = 400
Landed = Callable[[Callable[[], bytes]], None]


class KilledError(Exception):
    """A scheduler's error for a call during which workers died."""


class FakeLink:
    """A scheduler that answers calls when the test says so."""

    died = (KilledError,)

    def __init__(self) -> None:
        self.sent: list[tuple[bytes, str, Landed]] = []
        self.there = 2

    def submit(self, message: bytes, device: str, landed: Landed) -> Callable[[], None]:
        self.sent.append((message, device, landed))
        return lambda: None

    def workers(self) -> int:
        if self.there < 0:
            raise TimeoutError("no answer")
        return self.there

    def close(self) -> None:
        pass

    def answer(self, asked: dict[str, str] | None = None, error: BaseException | None = None) -> None:
        """Answer the first call that waits, or fail it."""
        until(lambda: self.sent)
        message, _, landed = self.sent.pop(0)
        landed(partial(answer, message, asked or dict(versions())) if error is None else partial(_raise, error))


def _raise(error: BaseException) -> bytes:
    raise error


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[FakeLink]:
    """The connections made so far, the last one first."""
    made: list[FakeLink] = []

    def connect(host: str, prepare: bytes) -> FakeLink:
        del host, prepare
        made.insert(0, FakeLink())
        return made[0]

    monkeypatch.setattr(cluster, "import_module", lambda _: SimpleNamespace(connect=connect))
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.01)
    return made


@pytest.fixture
def workers(links: list[FakeLink]) -> Iterator[Cluster]:
    with Cluster("dask://host:1", os.getpid) as connected:
        until(lambda: connected.workers == 2)  # until it has looked, calls wait
        yield connected


def until(condition: Callable[[], object]) -> None:
    """Wait for ``condition``, for `SOON` seconds at most."""
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end, f"not within {SOON} s"
        Event().wait(0.005)


def test_a_call_is_made_on_its_runs_device_and_its_error_is_its_own(workers: Cluster, links: list[FakeLink]) -> None:
    first = workers.submit(add, 2, 3)
    second = workers.submit(str.index, "abc", "d")
    third = workers.submit(repr, SimpleNamespace(run=Run(device="cpu")))
    assert [device for _, device, _ in links[0].sent] == ["auto", "auto", "cpu"]
    for _ in range(3):
        links[0].answer()
    assert first.result(SOON) == 5
    with pytest.raises(ValueError, match="substring"):
        second.result(SOON)
    assert "cpu" in third.result(SOON)
    until(lambda: workers.workers == 2)


def test_a_call_over_which_workers_died_says_so_and_a_lost_one_is_made_again(workers: Cluster, links: list[FakeLink]) -> None:
    deadly = workers.submit(add, 1, 1)
    links[0].answer(error=KilledError("three workers"))
    with pytest.raises(WorkerDied, match="three workers"):
        deadly.result(SOON)
    lost = workers.submit(add, 1, 2)
    links[0].answer(error=CancelledError("the connection closed"))
    assert "the connection closed" in workers.trouble
    links[0].answer()
    assert lost.result(SOON) == 3
    assert workers.trouble == ""


def test_calls_wait_for_a_scheduler_that_is_gone_and_are_made_by_the_next(workers: Cluster, links: list[FakeLink]) -> None:
    first = links[0]
    future = workers.submit(add, 20, 3)
    (late,) = first.sent
    first.there = -1
    until(lambda: len(links) > 1)
    links[0].answer()
    assert future.result(SOON) == 23
    late[2](partial(answer, late[0], dict(versions())))  # the first scheduler's answer comes too late, and is ignored
    links[0].there = -1
    until(lambda: "no answer" in workers.trouble)
    links[0].there = 0


def test_a_connection_that_takes_too_long_is_given_up_and_closed_if_it_is_made_later() -> None:
    free, closed = Event(), Event()
    with pytest.raises(TimeoutError, match=r"^no answer for 0\.01 s$"):
        cluster.call_within(0.01, lambda: free.wait(SOON), lambda _: closed.set())
    free.set()
    assert closed.wait(SOON)
    with pytest.raises(OSError, match="refused"):
        cluster.call_within(SOON, partial(_raise, ConnectionRefusedError("refused")))


def test_a_connection_that_is_always_slow_is_made_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(host: str, prepare: bytes) -> FakeLink:
        del host, prepare
        Event().wait(0.2)
        return FakeLink()

    monkeypatch.setattr(cluster, "import_module", lambda _: SimpleNamespace(connect=connect))
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(cluster, "PATIENCE", 0.15)
    with Cluster("dask://host:1", os.getpid) as slow:
        until(lambda: slow.workers == 2)


def test_a_cluster_without_workers_is_reported(workers: Cluster, links: list[FakeLink]) -> None:
    links[0].there = 0
    until(lambda: "has no workers" in workers.trouble)


def test_a_worker_of_other_versions_makes_no_call_and_the_difference_is_named(workers: Cluster, links: list[FakeLink]) -> None:
    future = workers.submit(add, 1, 2)
    links[0].answer(asked={**versions(), "torch": "1.0"})
    until(lambda: f"torch {versions()['torch']} where this server has 1.0" in workers.trouble)
    links[0].answer()
    assert future.result(SOON) == 3


@pytest.mark.parametrize("ends", [True, False])
def test_a_call_that_is_given_up_is_forgotten(ends: bool, workers: Cluster, links: list[FakeLink]) -> None:
    future = workers.submit(add, 1, 2)
    if not ends:
        workers._calls[future].end = partial(_raise, OSError("the connection is closed"))  # type: ignore[assignment]
    workers.kill(future)
    links[0].answer()
    assert not future.done()


@pytest.mark.parametrize("address", ["dsk://host:1", "dask://", "host:8786", ""])
def test_an_address_of_no_cluster_is_an_error_that_says_what_to_write(address: str) -> None:
    with pytest.raises(ValueError, match="dask://host:8786 or ray://host:10001"):
        Cluster(address, os.getpid)


def test_a_library_that_is_missing_is_an_error_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"requirements-ray\.txt"):
        Cluster("ray://host:1", os.getpid)


class DaskProcesses:
    """A scheduler at ``address`` and its workers."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.start(workers=2)

    def start(self, workers: int) -> None:
        self.scheduler = dask_process.scheduler(self.port)
        self.workers = [dask_process.worker(self.address) for _ in range(workers)]

    def restart(self) -> None:
        """Kill all of it, the scheduler first, and start it anew with one worker."""
        self.end()
        self.start(workers=1)

    def end(self) -> None:
        for process in (self.scheduler, *self.workers):
            dask_process.kill(process)


class Network:
    """The network between a server and the scheduler: a proxy that delays packets while it does not ``flow``."""

    def __init__(self, port: int) -> None:
        self.flow, self._listening = Event(), socket.create_server(("127.0.0.1", 0))
        self._port, self._ends, self._threads = port, list[socket.socket](), list[Thread]()
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.flow.set()
        self._begin(self._accept)

    def cut(self) -> None:
        """Break all connections; new ones are possible."""
        shut(*self._ends)

    def end(self) -> None:
        """Break all connections and close all sockets."""
        self.flow.set()
        shut(self._listening)
        self.cut()
        for thread in self._threads:
            thread.join()
        for end in (self._listening, *self._ends):
            end.close()

    def _begin(self, work: Callable[..., None], *arguments: object) -> None:
        self._threads.append(Thread(target=work, args=arguments))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, far = self._listening.accept()[0], socket.socket()
                self._ends += (near, far)
                if far.connect_ex(("127.0.0.1", self._port)):
                    shut(near)  # the scheduler has yet to start
                    continue
                self._begin(self._pass_on, near, far)
                self._begin(self._pass_on, far, near)

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while packet := one.recv(65_536):
                self.flow.wait()
                other.sendall(packet)
        shut(one, other)


def shut(*ends: socket.socket) -> None:
    """Shut connections down, so that their threads end; they are closed later."""
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def dask() -> Iterator[DaskProcesses]:
    running = DaskProcesses()
    with pytest.MonkeyPatch.context() as patch:  # losses are noticed soon
        patch.setattr(cluster, "LOOK_SECONDS", 0.1)
        yield running
    running.end()


ENDLESS = Run(steps=20_000, every=1, dim=2, lr=0.01)  # it still trains when its workers are lost


def engine_on(address: str, training: Training) -> Engine:
    return Engine(training, lambda: Cluster(f"dask://{address}", training.devices), Limits(unwatched=SOON))


def test_training_on_dask_gives_the_very_frames_of_this_process_and_a_killed_worker_and_scheduler_change_none(
    dask: DaskProcesses,
) -> None:
    run = Run(dataset=Digits(), net=MLP(), steps=30, every=10, dim=3, device="cpu")
    engine = engine_on(dask.address, TRAINING)
    try:
        assert engine.devices()[-1] == "cpu"
        job = engine.create(run, "visitor")
        job.play()
        assert job.wait_for(lambda one: one.status == "done", SOON), job.reason
    finally:
        engine.close()
    start = begin(run)
    assert_same(job, (observe(run, start), *advance(run, start, run.steps)[1]))

    engine = engine_on(dask.address, FAKE)
    try:
        job = engine.create(ENDLESS, "visitor")
        job.play()
        assert job.wait_for(lambda one: one.step >= 50, SOON), job.reason
        dask_process.kill(dask.workers.pop(0))
        assert job.wait_for(lambda one: one.step >= 150, SOON), job.reason
        dask.scheduler.kill()
        until(lambda: f"The cluster dask://{dask.address}" in job.reason)
        assert job.status == "running"
        stopped = job.step
        dask.restart()
        assert job.wait_for(lambda one: one.step >= stopped + 100, SOON), job.reason
    finally:
        engine.close()
    assert_whole(job)


def test_a_call_delayed_by_the_network_is_made_again_and_the_page_says_so(
    dask: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = Network(dask.port)
    engine = engine_on(network.address, FAKE)
    try:
        job = engine.create(ENDLESS, "visitor")
        job.play()
        assert job.wait_for(lambda one: one.step >= 50, SOON), job.reason
        network.flow.clear()
        monkeypatch.setattr(import_module("dml_viz.engine.cluster.dask_link"), "SECONDS", 0.5)  # for an answer
        until(lambda: "does not answer" in job.reason)
        stopped = job.step
        assert job.status == "running"
        assert f"The cluster dask://{network.address}" in job.reason
        assert job.reason.endswith("what trains goes on when it does.")
        monkeypatch.undo()
        network.flow.set()
        assert job.wait_for(lambda one: one.step >= stopped + 50, SOON), job.reason
        until(lambda: job.reason == "")
        network.cut()
        stopped = job.step
        assert job.wait_for(lambda one: one.step >= stopped + 100, SOON), job.reason
    finally:
        engine.close()
        network.end()
    assert_whole(job)


def assert_whole(job: Job) -> None:
    """Assert that the frames of the job so far equal those made in this process."""
    start, steps = FAKE.begin(job.run), job.steps
    frames: list[Frame] = []
    while start.step < steps[-1]:
        start, more = FAKE.advance_while(job.run, start, lambda _: True, job.run.steps)
        frames += more
    assert steps[1:] == tuple(frame.step for frame in frames)
    assert_same(job, frames)


def assert_same(job: Job, frames: Iterable[Frame]) -> None:
    for expected in frames:
        frame = job.at(expected.step)
        assert frame is not None
        np.testing.assert_array_equal(frame.z, expected.z)
        np.testing.assert_equal(frame.scalars, expected.scalars)
        for name, array in expected.arrays.items():
            np.testing.assert_array_equal(frame.arrays[name], array)
