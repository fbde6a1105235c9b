"""The state of a job for readers in any thread: its status, frames and curves, and news for those who listen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import TypeVar

import numpy as np

from dml_viz.embedding.neighbour_map import Rows
from dml_viz.engine.job_view import JobView
from dml_viz.engine.members import JobFrame, Members, StatusKey
from dml_viz.engine.status import RunStatus, Status
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import EvaluationSubset, Run

N = TypeVar("N", bound="News")


class News:
    """Wakes threads that wait, and listeners where the ``key`` of what they must know at once has changed."""

    closed = False  # whether the job is closed for good; readers should drop it

    def __init__(self, key: object) -> None:
        self._changed = Condition()
        self._listeners: set[Callable[[], None]] = set()
        self._last_key = key

    @contextmanager
    def listening(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call ``listener``, in some thread, whenever the key changes inside the block; it must return soon."""
        with self._changed:
            self._listeners.add(listener)
        try:
            yield
        finally:
            with self._changed:
                self._listeners.discard(listener)

    def wait_for(self: N, condition: Callable[[N], bool], timeout: float) -> bool:
        """Wait until ``condition(self)`` is true, at most ``timeout`` seconds; return whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: condition(self), timeout)

    def _announce_key(self, key: Callable[[], object]) -> None:
        """Wake the threads that wait, and the listeners if the key has changed or the job is closed."""
        with self._changed:
            self._changed.notify_all()
            now = key()
            if not self.closed and now == self._last_key:
                return
            self._last_key = now
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()


class JobState(News, JobView):
    """The state of the ``members`` of a job."""

    def __init__(self, members: Members) -> None:
        super().__init__(members.status_key)
        self._members = members

    @property
    def experiment(self) -> Experiment:
        """The experiment as it is trained from the next slice on."""
        return self._members.experiment

    @property
    def run(self) -> Run:
        """The first member's run, as it is trained from the next slice on."""
        return self.experiment.runs[0]

    @property
    def budget(self) -> int:
        """The steps that each member trains in all."""
        return self.experiment.budget

    @property
    def status(self) -> Status:
        with self._changed:
            return self._members.status

    @property
    def changes(self) -> tuple[tuple[int, str], ...]:
        """The changes of the first run while it trained: (step from which on, text)."""
        with self._changed:
            return self._members.first.changes

    @property
    def frames_version(self) -> int:
        """The number of times that frames were replaced, by a reset or in another plane."""
        return self._members.frames_version

    @property
    def steps_per_frame(self) -> int | None:
        """The steps that its members train from frame to frame; for 0 and None see `Member`."""
        return self._members.first.pace

    @property
    def plane(self) -> int:
        """The step in whose plane the first run is drawn; 0 where each step has its own."""
        return self._members.first.plane

    @property
    def subjects(self) -> tuple[EvaluationSubset, ...]:
        return tuple(begun.subject for begun in self._members.begun_per_dataset if begun.subject)

    @property
    def device(self) -> str:
        """The title of the device that trains; empty until a worker has begun a member."""
        return next((begun.device for begun in self._members.begun_per_dataset), "")

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that can be drawn of all members."""
        with self._changed:
            return tuple(self._members.shared.drawable_steps())

    @property
    def latest_step(self) -> int:
        with self._changed:
            return self._members.shared.latest

    def frames(self, step: int | None = None) -> JobFrame | None:
        with self._changed:
            return self._members.frames(step)

    def key_points(self, after: int, before: int) -> tuple[dict[int, Rows], ...]:
        """Of each drawn member the points of its key frames between two steps; see `History.key_points`."""
        with self._changed:
            return self._members.key_points(after, before)

    def rows(self, first: int = 0) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of the curves, and the rows of all shared steps from the ``first``-th on, as `Members.rows` gives them."""
        with self._changed:
            return self._members.rows(first)

    def overview(self) -> RunStatus:
        with self._changed:
            return self._members.overview()

    @property
    def status_key(self) -> StatusKey:
        """A key that changes with all that a reader must know at once, but not with steps between two frames."""
        with self._changed:
            return self._members.status_key

    @property
    def progress(self) -> tuple[object, ...]:
        """A key that changes with all that has to be saved."""
        with self._changed:
            return self._members.status_key, self._members.steps_trained

    def copy(self) -> Members:
        """A copy of the members at their present steps, paused."""
        with self._changed:
            return self._members.copy()

    def _announce(self) -> None:
        self._announce_key(lambda: self._members.status_key)
