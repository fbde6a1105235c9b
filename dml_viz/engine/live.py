"""A live run: its course, moved along by workers, commanded and read from any thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from typing import Any

import numpy as np

from dml_viz.engine.course import Beginning, Course, Status
from dml_viz.engine.glance import Glance, glance_at
from dml_viz.engine.limits import Limits
from dml_viz.engine.slices import Slice, Training, begin, train
from dml_viz.training import Frame, Run, WatchedSubject


@dataclass(frozen=True)
class Host:
    """What an engine gives its runs: how a call is submitted, what trains, the limits, and the time in seconds."""

    submit: Callable[..., Future[Any]]
    training: Training
    limits: Limits
    clock: Callable[[], float]


class Live:
    """One live run, paused at its start; when a slice lands the next is submitted, behind those of all other runs.

    ``changes`` are (step, what) for every change of a knob since the start.
    """

    def __init__(self, run_id: str, owner: str, run: Run, host: Host, state: bytes | None = None) -> None:
        self.id, self.owner = run_id, owner
        self._host = host
        self._course = Course(run, host.limits, state)
        self._changed = Condition()
        self._listeners: set[Callable[[], None]] = set()
        self._watched = host.clock()
        self._left: float | None = None
        self._closed = False
        self._under_way: Future[Any] | None = None
        self._told = self.glance()
        self._submit_next()

    @property
    def run(self) -> Run:
        """The run as it is trained from the next slice on."""
        return self._course.run

    @property
    def status(self) -> Status:
        """What it does: "running", "paused" by hand, "asleep" because nobody watches, "done" at its budget, or "failed"."""
        return self.glance().status

    @property
    def reason(self) -> str:
        """Why it stands still, where that is not what a visitor asked for."""
        return self.glance().reason

    @property
    def step(self) -> int:
        """Steps trained."""
        return self.glance().step

    @property
    def budget(self) -> int:
        """Steps to train in all."""
        return self.run.steps

    @property
    def changes(self) -> tuple[tuple[int, str], ...]:
        """The changes on the way: (step from which on, what)."""
        return self.glance().changes

    @property
    def closed(self) -> bool:
        """Whether the engine has let go of it; it trains no more."""
        return self._closed

    @property
    def subject(self) -> WatchedSubject | None:
        """What the run watches; None until a worker has begun it."""
        begun = self._course.begun
        return begun.subject if begun else None

    @property
    def device(self) -> str:
        """The title of the device that it trains on; empty until a worker has begun it."""
        begun = self._course.begun
        return begun.device if begun else ""

    @property
    def latest(self) -> Frame | None:
        """The newest frame; None until a worker has begun the run."""
        with self._changed:
            return self._course.history.latest

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps whose frames are kept."""
        with self._changed:
            return self._course.history.steps

    def at(self, step: int) -> Frame | None:
        """The frame kept nearest to ``step``, at or before it."""
        with self._changed:
            return self._course.history.at(step)

    def rows(self, first: int = 0) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of the curves, and the rows (step, then values; float32) of all frames from the ``first``-th on."""
        with self._changed:
            return self._course.history.columns, self._course.history.rows(first)

    def glance(self) -> Glance:
        """How things stand."""
        with self._changed:
            return glance_at(self._course)

    def command(self, order: Callable[[Course], None]) -> None:
        """Have its course do as ``order`` says; raises what that raises. Who commands it watches it."""
        with self._changed:
            self._watched, self._left = self._host.clock(), None
            order(self._course)
        self._tell()
        self._submit_next()

    def watch(self) -> None:
        """Somebody looks: a run that fell asleep goes on."""
        with self._changed:
            self._watched, self._left = self._host.clock(), None
            if not self._course.asleep:
                return
            self._course.asleep = False
        self._submit_next()

    def leave(self) -> None:
        """Its session is gone: fall asleep at once, until somebody watches again."""
        with self._changed:
            self._left = self._host.clock()
            self._course.asleep = True
        self._tell()

    def close(self) -> None:
        """Let go of it for good: what is under way is dropped, what waits for a worker is not made, readers are told."""
        with self._changed:
            self._closed = True
        if self._under_way:
            self._under_way.cancel()
        self._tell()

    @property
    def given_up(self) -> bool:
        """Whether nobody has come back to it for so long that it need not be kept."""
        now, limits = self._host.clock(), self._host.limits
        with self._changed:
            left_for = now - self._left if self._left is not None else 0.0
            return left_for > limits.released or now - self._watched > limits.forgotten

    @contextmanager
    def listening(self, listener: Callable[[], None]) -> Iterator[None]:
        """Inside the block, ``listener`` is called, in some thread and briefly, whenever there is news."""
        with self._changed:
            self._listeners.add(listener)
        try:
            yield
        finally:
            with self._changed:
                self._listeners.discard(listener)

    def wait_for(self, condition: Callable[[Live], bool], timeout: float) -> bool:
        """Wait until ``condition`` of this run holds, at most ``timeout`` seconds; whether it does."""
        with self._changed:
            return self._changed.wait_for(lambda: condition(self), timeout)

    def _submit_next(self) -> None:
        with self._changed:
            if self._closed:
                return
            unwatched = self._host.clock() - self._watched > self._host.limits.unwatched
            if unwatched and self._course.wants_watching:
                self._course.asleep = True
            call = self._course.next()
        self._tell()
        if call is not None:
            self._under_way = self._submit(call)
            self._under_way.add_done_callback(self._land)

    def _submit(self, call: Beginning | Slice) -> Future[Any]:
        if isinstance(call, Beginning):
            return self._host.submit(begin, self._host.training, call.run, call.state)
        return self._host.submit(train, self._host.training, call)

    def _land(self, future: Future[Any]) -> None:
        with self._changed:
            if self._closed:
                return
            try:
                self._course.land(future.result())
            except (BrokenExecutor, CancelledError) as death:
                self._course.lose(str(death), worker_died=True)
            except Exception as error:
                self._course.lose(f"{type(error).__name__}: {error}", worker_died=False)
        self._tell()
        self._submit_next()

    def _tell(self) -> None:
        """Wake the threads that wait, and the listeners where there is news or the end."""
        with self._changed:
            self._changed.notify_all()
            glance = self.glance()
            if not self._closed and glance.news == self._told.news:
                return
            self._told = glance
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()
