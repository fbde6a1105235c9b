"""One worker process seen from its parent: a fresh interpreter that makes calls sent to it over a pipe."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from typing import IO, Any, cast

from dml_viz.engine import worker

# Threads within a worker fight the other workers over the same cores; two processes of two threads each were found to
# train ten times slower than two of one. The libraries read these once, when they are loaded.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
# glibc hands freed memory back to the system and faults it in again, at every step, unless told otherwise.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "100000000", "MALLOC_MMAP_THRESHOLD_": "32000000"}
PATIENCE = 2.0


class WorkerDied(BrokenExecutor):
    """The worker process ended before it answered; a pure call may be made again."""


class WorkerProcess:
    """A running worker; OSError where the system refuses to start one."""

    def __init__(self) -> None:
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.BELOW_NORMAL_PRIORITY_CLASS
        # -P keeps the script's folder out of the path; what the parent can import, the worker can.
        self._popen = subprocess.Popen(
            [sys.executable, "-P", worker.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                **ONE_THREAD,
                **KEEP_MEMORY,
                "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
            },
            creationflags=flags,
        )
        self._calls = cast(IO[bytes], self._popen.stdin)
        self._answers = cast(IO[bytes], self._popen.stdout)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    def answer(self, message: bytes) -> bytes:
        """The answer to one pickled call; `WorkerDied` where the worker ends first."""
        try:
            worker.write(self._calls, message)
            return worker.read(self._answers)
        except (EOFError, OSError) as error:
            self.end()
            raise WorkerDied(f"worker {self.pid} ended with exit code {self._popen.returncode}") from error

    def kill(self) -> None:
        """End it at once, in the middle of a call too; a thread that waits for an answer gets `WorkerDied`."""
        self._popen.kill()

    def end(self) -> None:
        """Let it see the end of its calls, kill it where it does not heed that, and clean up after it."""
        # Closing sends what is still unsent, which a dead worker does not take.
        with suppress(OSError):
            self._calls.close()
        try:
            self._popen.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
        self._answers.close()


def call_message(fn: Callable[..., object], *args: Any, **kwargs: Any) -> bytes:
    """A call as a worker reads it; PicklingError or AttributeError for a function that no other process can import."""
    return pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL)
