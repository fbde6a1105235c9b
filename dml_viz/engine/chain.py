"""What all that lives in an engine has in common: an owner, watchers, listeners, and an end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from typing import Any, Self

from dml_viz.engine.course import Beginning, Course, Status
from dml_viz.engine.glance import Glance
from dml_viz.engine.limits import Limits
from dml_viz.engine.slices import Slice, Training, begin, train


def land(course: Course, future: Future[Any]) -> None:
    """Give ``course`` what came of the call that it waits for, or tell it that nothing did, and why."""
    try:
        course.land(future.result())
    except (BrokenExecutor, CancelledError) as death:
        course.lose(str(death), worker_died=True)
    except Exception as error:
        course.lose(f"{type(error).__name__}: {error}", worker_died=False)


@dataclass(frozen=True)
class Host:
    """What an engine gives its runs: how a call is submitted, what trains, the limits, and the time in seconds.

    ``idle()`` says how many workers have nothing to do and nothing to come.
    """

    submit: Callable[..., Future[Any]]
    training: Training
    limits: Limits
    clock: Callable[[], float]
    idle: Callable[[], int] = lambda: 0


class Chain(ABC):
    """A chain of slices, commanded and read from any thread; it sleeps while nobody watches."""

    def __init__(self, chain_id: str, owner: str, host: Host) -> None:
        self.id, self.owner = chain_id, owner
        self._host = host
        self._changed = Condition()
        self._listeners: set[Callable[[], None]] = set()
        self._watched = host.clock()
        self._left: float | None = None
        self._closed = False
        self._told: Glance | None = None

    @abstractmethod
    def glance(self) -> Glance:
        """How things stand."""

    @abstractmethod
    def _sleep(self, asleep: bool) -> bool:
        """Fall asleep, or wake up; whether it was asleep before."""

    @abstractmethod
    def _submit_next(self) -> None:
        """Submit what is to be trained next, if anything is and nothing is under way."""

    @abstractmethod
    def _cancel(self) -> None:
        """Cancel what waits for a worker."""

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
    def closed(self) -> bool:
        """Whether the engine has let go of it; it trains no more."""
        return self._closed

    @property
    def given_up(self) -> bool:
        """Whether nobody has come back to it for so long that it need not be kept."""
        now, limits = self._host.clock(), self._host.limits
        with self._changed:
            left_for = now - self._left if self._left is not None else 0.0
            return left_for > limits.released or now - self._watched > limits.forgotten

    def watch(self) -> None:
        """Somebody looks: what fell asleep goes on."""
        with self._changed:
            self._seen()
            if not self._sleep(False):
                return
        self._submit_next()

    def leave(self) -> None:
        """Its session is gone: fall asleep at once, until somebody watches again."""
        with self._changed:
            self._left = self._host.clock()
            self._sleep(True)
        self._tell()

    def close(self) -> None:
        """Let go of it for good: what is under way is dropped, what waits for a worker is not made, readers are told."""
        with self._changed:
            self._closed = True
        self._cancel()
        self._tell()

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

    def wait_for(self, condition: Callable[[Self], bool], timeout: float) -> bool:
        """Wait until ``condition`` of it holds, at most ``timeout`` seconds; whether it does."""
        with self._changed:
            return self._changed.wait_for(lambda: condition(self), timeout)

    def _seen(self) -> None:
        self._watched, self._left = self._host.clock(), None

    @property
    def _unwatched(self) -> bool:
        return self._host.clock() - self._watched > self._host.limits.unwatched

    def _submit(self, call: Beginning | Slice) -> Future[Any]:
        if isinstance(call, Beginning):
            return self._host.submit(begin, self._host.training, call.run, call.state, call.before, call.way)
        return self._host.submit(train, self._host.training, call)

    def _tell(self) -> None:
        """Wake the threads that wait, and the listeners where there is news or the end."""
        with self._changed:
            self._changed.notify_all()
            glance = self.glance()
            if not self._closed and self._told is not None and glance.news == self._told.news:
                return
            self._told = glance
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()
