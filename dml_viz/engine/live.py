"""A live run: its course, moved along by workers, commanded and read from any thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np

from dml_viz.engine.chain import Chain, Host, land
from dml_viz.engine.course import Course
from dml_viz.engine.glance import Glance, glance_at
from dml_viz.training.loop import Frame, Run, WatchedSubject


class Live(Chain):
    """One live run, paused at its start; when a slice lands the next is submitted, behind those of all other runs.

    ``changes`` are (step, what) for every change of a knob since the start.
    """

    def __init__(self, run_id: str, owner: str, run: Run, host: Host, state: bytes | None = None) -> None:
        super().__init__(run_id, owner, host)
        self._course = Course(run, host.limits, state)
        self._under_way: Future[Any] | None = None
        self._told = self.glance()
        self._submit_next()

    @property
    def run(self) -> Run:
        """The run as it is trained from the next slice on."""
        return self._course.run

    @property
    def budget(self) -> int:
        """Steps to train in all."""
        return self.run.steps

    @property
    def changes(self) -> tuple[tuple[int, str], ...]:
        """The changes on the way: (step from which on, what)."""
        return self.glance().changes

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

    def copy(self) -> Course:
        """A course that stands where this run stands, with all that it has shown; it goes on independently."""
        with self._changed:
            course = Course(self.run, self._host.limits)
            course.adopt(self._course)
            return course

    def glance(self) -> Glance:
        """How things stand."""
        with self._changed:
            return glance_at(self._course)

    def command(self, order: Callable[[Course], None]) -> None:
        """Have its course do as ``order`` says; raises what that raises. Who commands it watches it."""
        with self._changed:
            self._seen()
            order(self._course)
        self._tell()
        self._submit_next()

    def _sleep(self, asleep: bool) -> bool:
        before, self._course.asleep = self._course.asleep, asleep
        return before

    def _cancel(self) -> None:
        if self._under_way:
            self._under_way.cancel()

    def _submit_next(self) -> None:
        with self._changed:
            if self._closed:
                return
            if self._unwatched and self._course.wants_watching:
                self._course.asleep = True
            call = self._course.next()
        self._tell()
        if call is not None:
            self._under_way = self._submit(call)
            self._under_way.add_done_callback(self._land)

    def _land(self, future: Future[Any]) -> None:
        with self._changed:
            if self._closed:
                return
            land(self._course, future)
        self._tell()
        self._submit_next()
