"""One worker process, as its parent uses it: a fresh interpreter that makes the calls sent over a pipe."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from importlib import import_module
from typing import IO, Any, cast

from dml_viz.engine import worker
from dml_viz.threads import ONE_THREAD

# By default glibc returns freed memory to the system and requests it again, at every step.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "100000000", "MALLOC_MMAP_THRESHOLD_": "32000000"}
PATIENCE = 2.0  # seconds within which a worker must end
ROOM = 2**20  # bytes in a pipe: with the usual 65,536 both ends of it wait for each other many times for one state


class WorkerDied(BrokenExecutor):
    """The worker process ended before it answered; a pure call may be made again."""


class NoWorker(BrokenExecutor):
    """No worker could be started, so that the call was not made."""


class WorkerProcess:
    """A running worker, which calls the function named ``while_waiting`` when it waits; OSError if the system starts none."""

    def __init__(self, while_waiting: str = "") -> None:
        # -P keeps the script's folder out of the path; PYTHONPATH lets the worker import what its parent can.
        self._popen = subprocess.Popen(
            [sys.executable, "-P", worker.__file__, while_waiting],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                **ONE_THREAD,  # two processes of two threads each trained ten times more slowly than two of one thread
                **KEEP_MEMORY,
                "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
            },
            creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),  # on Windows; others are nice
        )
        self._calls = cast(IO[bytes], self._popen.stdin)
        self._answers = cast(IO[bytes], self._popen.stdout)
        with suppress(ImportError, AttributeError, OSError):  # Linux alone can, and allows each user so many
            fcntl = import_module("fcntl")
            for pipe in (self._calls, self._answers):
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, ROOM)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._popen.poll() is not None

    def answer(self, message: bytes) -> bytes:
        """The answer to one pickled call; `WorkerDied` if the worker ends first."""
        try:
            worker.write(self._calls, message)
            return worker.read(self._answers)
        except (EOFError, OSError) as error:
            self.end()
            raise WorkerDied(f"worker {self.pid} ended with exit code {self._popen.returncode}") from error

    def kill(self) -> None:
        """End the worker at once, even during a call; a thread that waits for an answer gets `WorkerDied`."""
        self._popen.kill()

    def end(self) -> None:
        """Close the pipe of calls, kill the worker if it does not end by that, and close the pipe of answers."""
        # Closing flushes the pipe, which fails if the worker is dead.
        with suppress(OSError):
            self._calls.close()
        try:
            self._popen.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
        self._answers.close()


def call_message(fn: Callable[..., object], *args: Any, **kwargs: Any) -> bytes:
    """A call pickled for a worker; PicklingError or AttributeError for a function that no other process can import."""
    return pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL)
