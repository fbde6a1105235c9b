"""Workers as real processes; each test waits for an event, never for a time."""

import math
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from dml_viz.engine import Engine, Limits, worker
from dml_viz.engine import pool as pool_module
from dml_viz.engine.pool import WorkerPool, spare_cores
from dml_viz.engine.process import NoWorker
from dml_viz.engine.sweeps import Results, start_sweep
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Run
from tests.fake_training import FAKE, read_sweep

ROOT = Path(__file__).parents[2]
SOON, LATE = 300.0, 600.0  # seconds


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script of an app, which writes beside itself when it is executed."""
    script = tmp_path_factory.mktemp("app") / "app.py"
    script.write_text("from pathlib import Path\nPath(__file__).with_suffix('.executed').touch()\n")
    return script


@pytest.fixture(scope="module")
def pool(app: Path) -> Iterator[WorkerPool]:
    """Two workers of a process whose main module is the app, as it is under ``streamlit run``."""
    main = ModuleType("__main__")
    main.__file__ = str(app)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", main)
        with WorkerPool(2) as workers:
            while len(workers.pids) < 2:
                workers.submit(os.getpid).result(SOON)
            yield workers


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_calls_are_made_elsewhere_and_answered_in_order(pool: WorkerPool) -> None:
    futures = [pool.submit(math.sqrt, k) for k in range(20)]
    assert [future.result(SOON) for future in futures] == [math.sqrt(k) for k in range(20)]
    assert pool.submit(os.getpid).result(SOON) != os.getpid()


def test_an_error_comes_back_with_the_trace_of_where_it_was_raised(pool: WorkerPool) -> None:
    with pytest.raises(ValueError, match="math domain error") as raised:
        pool.submit(math.sqrt, -1).result(SOON)
    assert "Traceback" in raised.value.__notes__[0]


@pytest.mark.parametrize("maker", ["lambda: 1", "open('/dev/null')"])
def test_a_result_that_cannot_be_pickled_is_an_error_and_the_worker_lives_on(pool: WorkerPool, maker: str) -> None:
    with pytest.raises(Exception, match=r"pickle|lambda"):
        pool.submit(eval, maker).result(SOON)
    assert pool.submit(math.sqrt, 4).result(SOON) == 2


def test_a_function_that_no_other_process_can_import_is_refused_at_once(pool: WorkerPool) -> None:
    with pytest.raises(Exception, match="lambda"):
        pool.submit(lambda: 1)


def test_output_of_a_call_does_not_get_into_its_answer(pool: WorkerPool) -> None:
    assert pool.submit(print, "said in a worker", flush=True).result(SOON) is None
    assert pool.submit(math.sqrt, 4).result(SOON) == 2


def test_workers_have_one_thread_each_and_give_way_to_the_server(pool: WorkerPool) -> None:
    assert pool.submit(os.getenv, "OMP_NUM_THREADS").result(SOON) == "1"
    if hasattr(os, "nice"):
        assert pool.submit(os.nice, 0).result(SOON) > os.nice(0)


def test_a_killed_worker_takes_only_its_own_call_with_it_and_is_replaced(pool: WorkerPool) -> None:
    before = set(pool.pids)
    deadly = pool.submit(signal.raise_signal, signal.SIGKILL)
    harmless = [pool.submit(math.sqrt, k) for k in range(20)]
    with pytest.raises(BrokenExecutor, match="exit code -9"):
        deadly.result(SOON)
    assert [future.result(SOON) for future in harmless] == [math.sqrt(k) for k in range(20)]
    assert len(before - set(pool.pids)) == 1


def test_workers_do_not_execute_the_app_that_is_the_main_module_under_streamlit_run(pool: WorkerPool, app: Path) -> None:
    # Calls of the test before were made by a worker that was started while this process runs.
    for _ in pool.pids:
        main = pool.submit(eval, "__import__('sys').modules['__main__'].__file__").result(SOON)
        assert Path(main) == Path(worker.__file__)
    assert not list(app.parent.glob("*.executed"))


WAITED = [0]


def wait(still: Callable[[], bool]) -> None:
    WAITED[0] += 1
    while still():
        pass


def times_waited() -> int:
    return WAITED[0]


def test_a_worker_calls_a_function_while_it_waits_until_the_next_call_comes() -> None:
    with WorkerPool(1, while_waiting=f"{__name__}:wait") as workers:
        assert [workers.submit(times_waited).result(SOON) for _ in range(3)] == [0, 1, 2]


def test_a_call_takes_no_harm_from_a_worker_that_was_killed_while_it_waited() -> None:
    with WorkerPool(1) as workers:
        first = workers.submit(os.getpid).result(SOON)
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        assert workers.submit(os.getpid).result(SOON) not in (first, os.getpid())


KILLED_AT_FIRST = """
import pathlib, signal
starts = pathlib.Path({folder!r})
(starts / str(number := len(list(starts.iterdir())))).touch()
if number < 2:
    signal.raise_signal(signal.SIGKILL)
"""


def test_workers_that_are_killed_while_they_start_cost_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "FIRST_PAUSE", 0.0)
    warm = partial(exec, KILLED_AT_FIRST.format(folder=str(tmp_path)))
    engine = Engine(FAKE, lambda: WorkerPool(1, warm), Limits(unwatched=SOON))
    run = Run(steps=40)
    sweep = read_sweep(run, ["loss.bins:5_10"], 2)
    race = Experiment(tuple(replace(run, seed=seed) for seed in range(3)), ("A", "B", "C"))
    jobs = [engine.create(run, "visitor"), engine.create(race, "visitor", slot="race")]
    for job in jobs:
        job.play()
    jobs += filter(None, [start_sweep(engine, sweep, "visitor")])
    for job in jobs:
        assert job.wait_for(lambda now: now.status not in ("running", "asleep"), SOON)
    assert [(job.status, job.reason) for job in jobs] == [("done", "")] * 3
    assert not Results(engine.store).missing(sweep)
    engine.close()


def test_workers_that_cannot_start_fail_the_call_and_not_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "FIRST_PAUSE", 0.0)
    with WorkerPool(1, warm=os.abort) as workers:
        for _ in range(2):
            with pytest.raises(NoWorker, match="could be started"):
                workers.submit(os.getpid).result(SOON)


def test_a_closed_pool_leaves_no_processes_be_they_idle_or_busy() -> None:
    workers = WorkerPool(2)
    workers.submit(math.sqrt, 4).result(SOON)
    busy, waiting = workers.submit(signal.pause), [workers.submit(signal.pause) for _ in range(3)]
    pids = workers.pids
    workers.shutdown(cancel_futures=True)
    assert pids
    assert not any(map(is_there, pids))
    with pytest.raises((BrokenExecutor, CancelledError)):
        busy.result(SOON)
    assert all(future.done() for future in waiting)
    with pytest.raises(RuntimeError, match="shut down"):
        workers.submit(math.sqrt, 4)


def test_one_core_is_left_to_the_server() -> None:
    assert spare_cores() >= 1
    assert spare_cores() < max(2, os.cpu_count() or 1)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waiting for a process of another parent needs Linux")
def test_workers_end_when_their_server_is_killed() -> None:
    script = (
        "import os, signal\nfrom dml_viz.engine.pool import WorkerPool\npool = WorkerPool(1)\n"
        "print(pool.submit(os.getpid).result(), flush=True); signal.pause()"
    )
    server = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    with server.stdout, given_up(server):
        end = os.pidfd_open(int(server.stdout.readline()))
        server.kill()
        server.wait()
    assert select.select([end], [], [], SOON)[0]
    os.close(end)


@contextmanager
def given_up(process: subprocess.Popen[str]) -> Iterator[None]:
    """Kill ``process`` if it takes too long, so that its readers go on."""
    timer = threading.Timer(LATE, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
