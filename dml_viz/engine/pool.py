"""A pool of worker processes as an executor of the standard library.

Each worker is a fresh interpreter with a pipe of its own and a thread here; calls wait in one first-in-first-out queue. The
standard library's pool is not used for two reasons. Under Streamlit the main module is the page that runs, which the pool's
children would run again. And one killed worker breaks the whole pool, because workers share queues and locks. Here only the
call of a killed worker is lost, and the worker is replaced. A worker that dies before a call was sent to it, while it starts or
waits, takes no call with it. A worker whose parent is gone reads the end of its pipe and ends, on every platform.
"""

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, ParamSpec, TypeVar

from dml_viz.engine.process import PATIENCE, NoWorker, WorkerDied, WorkerProcess, call_message
from dml_viz.engine.worker import unpack

STARTS = 8  # times in a row that a worker is started which dies before it is warm; then calls fail
FIRST_PAUSE = 0.05  # seconds before it is started again; doubled after each further time

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class PoolCall:
    """A pickled call that waits for a worker, and the future of its result."""

    future: Future[Any]
    message: bytes


def spare_cores() -> int:
    """The number of cores that this process may use, less one for the server; at least 1."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, usable - 1)


class WorkerPool(Executor):
    """``workers`` processes (default: `spare_cores`) that make calls of importable functions, in order of submission.

    Every worker makes the call ``warm`` first, so that its imports are done before a visitor comes. A future whose worker dies
    over its call raises `WorkerDied`, and the worker is replaced. If that fails `STARTS` times, futures raise `NoWorker`.
    ``while_waiting`` names a function, as "module:name", that a worker calls after each answer: its argument says, when it is
    called, whether the worker still waits for its next call.
    """

    def __init__(self, workers: int | None = None, warm: Callable[[], object] = os.getpid, while_waiting: str = "") -> None:
        self._warm, self._while_waiting = call_message(warm), while_waiting
        self._calls: SimpleQueue[PoolCall | None] = SimpleQueue()
        self._lock = Lock()
        self._closed = False
        self._ending = Event()  # set once no worker is needed any more
        self._starting: set[int] = set()
        self._made_by: dict[Future[Any], WorkerProcess] = {}
        self._processes: dict[int, WorkerProcess] = {}
        self._threads = [
            Thread(target=self._tend, args=(number,), name=f"worker {number}", daemon=True)
            for number in range(workers or spare_cores())
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that were started and not found dead."""
        with self._lock:
            return tuple(process.pid for process in self._processes.values())

    @property
    def workers(self) -> int:
        """The number of workers, and so of calls at once."""
        return len(self._threads)

    @property
    def trouble(self) -> str:
        """A sentence on why calls wait although no worker is to blame; empty if they do not."""
        return "A worker is starting." if self._starting else ""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future result of ``fn(*args, **kwargs)``, made in a worker; RuntimeError after `shutdown`."""
        future: Future[T] = Future()
        call = PoolCall(future, call_message(fn, *args, **kwargs))
        with self._lock:
            if self._closed:
                raise RuntimeError("the worker pool is shut down; start another")
            self._calls.put(call)
        return future

    def kill(self, future: Future[Any]) -> None:
        """End the worker that makes the call of ``future``, if there is one: the future raises `WorkerDied`."""
        with self._lock:
            process = self._made_by.get(future)
        if process:
            process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse new calls; end the workers after the waiting calls, or cancel these and kill workers that do not end soon."""
        with self._lock:
            self._closed = True
        if cancel_futures:
            self._ending.set()
            with suppress(Empty):
                while True:
                    if call := self._calls.get_nowait():
                        call.future.cancel()
        for _ in self._threads:
            self._calls.put(None)
        if not wait:
            return
        for number, thread in enumerate(self._threads):
            thread.join(PATIENCE if cancel_futures else None)
            with self._lock:
                process = self._processes.get(number)
            if thread.is_alive() and process:
                process.kill()
            thread.join()

    def _tend(self, number: int) -> None:
        process = self._warm_one(number)
        while call := self._calls.get():
            if process is None or process.ended:  # while it waited
                process = self._warm_one(number, process)
            if call.future.set_running_or_notify_cancel() and not self._made(number, call, process):
                process = self._warm_one(number) if process else None
            del call  # a worker that waits for the next one does not keep the job of the last
        if process:
            process.end()
        self._forget(number)

    def _warm_one(self, number: int, ended: WorkerProcess | None = None) -> WorkerProcess | None:
        """A new warm worker, in place of one that has ``ended``; None if none can be started."""
        if ended:
            ended.end()
        self._starting.add(number)
        try:
            for turn in range(STARTS):
                if self._ending.wait(FIRST_PAUSE * 2**turn if turn else 0):
                    break
                if process := self._started(number):
                    return process
        finally:
            self._starting.discard(number)
        return None

    def _started(self, number: int) -> WorkerProcess | None:
        """A new warm worker; None if it dies before it is warm, or cannot be started."""
        try:
            process = WorkerProcess(self._while_waiting)
            with self._lock:
                self._processes[number] = process
            process.answer(self._warm)
        except (OSError, WorkerDied):
            self._forget(number)
            return None
        return process

    def _forget(self, number: int) -> None:
        with self._lock:
            self._processes.pop(number, None)

    def _made(self, number: int, call: PoolCall, process: WorkerProcess | None) -> bool:
        """Set the result of the call's future; return whether the worker is still alive."""
        try:
            if process is None:
                raise NoWorker("no worker could be started; the server's log says why")
            with self._lock:
                self._made_by[call.future] = process
            answer = process.answer(call.message)
        except BrokenExecutor as death:
            self._forget(number)
            call.future.set_exception(death)
            return False
        finally:
            with self._lock:
                self._made_by.pop(call.future, None)
        try:
            result = unpack(answer)
        except Exception as error:
            call.future.set_exception(error)
        else:
            call.future.set_result(result)
        return True
