"""A process that makes one call for a visitor, and the watch over it."""

import logging
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Any, TypeVar

import psutil

from dml_viz.data.bounded import _child
from dml_viz.threads import ONE_THREAD, once

LOG = logging.getLogger(__name__)
LOOKS = 0.02  # seconds from one look at the child to the next
SETTINGS = {
    **ONE_THREAD,
    "MALLOC_ARENA_MAX": "1",  # a thread's arena takes address space, which is limited
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
T = TypeVar("T")


@dataclass(frozen=True)
class Bounds:
    """The bounds of a child process: bytes of ``memory``, ``seconds`` of processor time, and time by the ``clock``."""

    seconds: float
    clock: float
    memory: int = 900 << 20  # 1 GB with what is taken between two looks


class NotBegunError(Exception):
    """The child ended before it had read its call."""


class Ended(Exception):  # noqa: N818  its name is what happened
    """The child ended before it answered, for the ``reason`` "memory", "time" or "" for another."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def call(fn: Callable[..., T], *args: Any, bounds: Bounds, progress: Callable[[float], object] = lambda share: None) -> T:
    """The result of ``fn(*args, progress)`` in a child, or the FileError that it raised; `Ended` if the child ended first.

    ``progress`` is called in this thread with what the child reports; an exception of it ends the child.
    """
    for start in (children().next_child, Child):
        child = start()
        try:
            return child.result_of_call(fn, args, progress, bounds)
        except NotBegunError:  # the child that waited has ended just now, because no call came for long
            continue
        finally:
            child.end()
    raise Ended("")


class Child:
    """A process that makes one call, and may wait for it."""

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            # -P keeps the script's folder out of the path; PYTHONPATH lets the child import what its parent can.
            [sys.executable, "-P", _child.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what libraries print about a visitor's file is in no log
            env={**os.environ, **SETTINGS, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
            creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),  # on Windows; others are nice
        )

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._popen.poll() is None

    def result_of_call(self, fn: Callable[..., T], args: Sequence[Any], progress: Callable[[float], object], bounds: Bounds) -> T:
        """The result of the call; `Ended` if the process ends first."""
        assert self._popen.stdin
        assert self._popen.stdout
        done, watch = Event(), Watchdog(self._popen, bounds)
        watching = Thread(target=watch.until, args=(done,), name="watch of a reader", daemon=True)
        try:
            with self._popen.stdin as calls:
                pickle.dump((fn, args, bounds.memory, bounds.seconds), calls, pickle.HIGHEST_PROTOCOL)
            while True:
                kind, value = pickle.load(self._popen.stdout)
                if kind == "begun":
                    watching.start()
                elif kind == "progress":
                    progress(value)
                elif kind == "error":
                    raise value
                elif kind == "value":
                    return value
                else:
                    if kind == "broken":
                        LOG.error("a file could not be read:\n%s", value)
                    raise Ended("memory" if kind == "memory" else "")
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise (Ended(watch.reason) if watching.ident else NotBegunError) from error
        finally:
            done.set()

    def end(self) -> None:
        """End the process and close its pipes."""
        self._popen.kill()
        self._popen.wait()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):
                assert pipe
                pipe.close()


class Watchdog:
    """A watchdog of a child process, which it kills beyond the bounds."""

    def __init__(self, popen: subprocess.Popen[bytes], bounds: Bounds) -> None:
        self._popen, self._bounds, self.reason = popen, bounds, ""

    def until(self, done: Event) -> None:
        """Look at the child from now on, until the event is set or the child is gone."""
        began = time.monotonic()
        with suppress(psutil.Error):
            process = psutil.Process(self._popen.pid)
            before = _seconds(process)
            while not done.wait(LOOKS):
                if process.memory_info().rss > self._bounds.memory:
                    self.reason = "memory"
                elif _seconds(process) - before > self._bounds.seconds or time.monotonic() - began > self._bounds.clock:
                    self.reason = "time"
                if self.reason:
                    self._popen.kill()
                    return


class Children:
    """At most one child that waits for the next call, warm. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waits: Child | None = None

    def start_spare_child(self) -> None:
        """Start a child that waits for the next call, unless there is one."""
        with self._lock:
            if self._waits and not self._waits.alive:
                self._waits.end()
                self._waits = None
            self._waits = self._waits or Child()

    def next_child(self) -> Child:
        """The child that waits, else a new one."""
        with self._lock:
            child, self._waits = self._waits, None
        return child or Child()


@once
def children() -> Children:
    """The children of this process."""
    return Children()


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
