"""A pool of worker processes in the shape of the standard library's executors.

Each worker is a fresh interpreter with a pipe of its own and a thread here that tends it; calls wait in one
first-in-first-out queue. The standard library's pool is not used, because under Streamlit the main module is whatever
page runs, which its children would execute once more, and because one killed worker breaks all of it: its workers share
queues and locks that a dying one may hold. Here a killed worker takes its own call with it and is replaced. A worker
whose parent is gone reads the end of its pipe and ends, on every platform.
"""

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

from dml_viz.engine.process import PATIENCE, WorkerDied, WorkerProcess, call_message
from dml_viz.engine.worker import unpack

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """A pickled call that waits for a worker, and the future of its result."""

    future: Future[Any]
    message: bytes


def spare_cores() -> int:
    """The cores that this process may use less one, which is left to the server; at least 1."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, usable - 1)


class WorkerPool(Executor):
    """``workers`` processes (default: `spare_cores`) that make calls of importable functions, in order of submission.

    Every worker makes the call ``warm`` before all others, so that its imports are done before a visitor comes.
    A future whose worker dies raises `WorkerDied`; the call after it finds a new worker.
    """

    def __init__(self, workers: int | None = None, warm: Callable[[], object] = os.getpid) -> None:
        self._warm = call_message(warm)
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._lock = Lock()
        self._closed = False
        self._starting: set[int] = set()
        self._made_by: dict[Future[Any], WorkerProcess] = {}
        self._processes: dict[int, WorkerProcess] = {}
        self._threads = [
            Thread(target=self._tend, args=(place,), name=f"worker {place}", daemon=True)
            for place in range(workers or spare_cores())
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
        """How many calls it makes at once."""
        return len(self._threads)

    @property
    def trouble(self) -> str:
        """What keeps calls waiting, though no worker is to blame."""
        return "A worker is starting." if self._starting else ""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future result of ``fn(*args, **kwargs)``, made in a worker; RuntimeError after `shutdown`."""
        future: Future[T] = Future()
        call = Call(future, call_message(fn, *args, **kwargs))
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
        """Take no more calls and end the workers after those that wait; or cancel these, and kill who does not end soon."""
        with self._lock:
            self._closed = True
        if cancel_futures:
            self._cancel_waiting()
        for _ in self._threads:
            self._calls.put(None)
        if not wait:
            return
        for place, thread in enumerate(self._threads):
            thread.join(PATIENCE if cancel_futures else None)
            with self._lock:
                process = self._processes.get(place)
            if thread.is_alive() and process:
                process.kill()
            thread.join()

    def _tend(self, place: int) -> None:
        process = self._started(place)
        while call := self._calls.get():
            if call.future.set_running_or_notify_cancel():
                process = process or self._started(place)
                if not self._made(place, call, process):
                    process = None
        if process:
            process.end()
        self._forget(place)

    def _started(self, place: int) -> WorkerProcess | None:
        """A new worker that is warm; None where it cannot be had, so that the call that wants it says so."""
        self._starting.add(place)
        try:
            process = WorkerProcess()
            with self._lock:
                self._processes[place] = process
            process.answer(self._warm)
        except (OSError, WorkerDied):
            self._forget(place)
            return None
        finally:
            self._starting.discard(place)
        return process

    def _forget(self, place: int) -> None:
        with self._lock:
            self._processes.pop(place, None)

    def _made(self, place: int, call: Call, process: WorkerProcess | None) -> bool:
        """Settle the call's future; whether the worker lives on."""
        try:
            if process is None:
                raise WorkerDied("a worker could not be started; its error is in the server's log")
            with self._lock:
                self._made_by[call.future] = process
            answer = process.answer(call.message)
        except WorkerDied as death:
            self._forget(place)
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

    def _cancel_waiting(self) -> None:
        try:
            while True:
                if call := self._calls.get_nowait():
                    call.future.cancel()
        except Empty:
            return
