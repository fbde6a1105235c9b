"""The live runs and races of a server: one of each per owner, a limited number in all, forgotten when nobody comes back."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from threading import Event, Lock, Thread
from typing import Any

from dml_viz.engine.chain import Host
from dml_viz.engine.course import Course
from dml_viz.engine.limits import Limits
from dml_viz.engine.live import Live
from dml_viz.engine.race import LiveRace
from dml_viz.engine.slices import Training, packed
from dml_viz.training.loop import Frame, Run, State
from dml_viz.training.race import Race

SWEEP_SECONDS = 10.0


class TooManyRunsError(RuntimeError):
    """As many runs are live as this server keeps."""


class Engine:
    """Live runs, trained by the workers of an executor; safe to use from any thread.

    ``executor_factory`` makes the executor, and makes another where one is broken: any class with the standard
    library's ``submit`` will do, so that a cluster's executor takes the place of the local `WorkerPool`.
    Methods that take a ``run_id`` do nothing for a run that is not live any more.
    """

    def __init__(
        self,
        training: Training,
        executor_factory: Callable[[], Executor],
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or Limits()
        self._executor_factory = executor_factory
        self._executor = executor_factory()
        self._renewal = Lock()
        self._host = Host(self.submit, training, self.limits, clock, self._idle)
        self._devices = self.submit(training.devices)
        self._lives: dict[str, Live | LiveRace] = {}
        self._lock = Lock()
        self._closing = Event()
        self._sweeper = Thread(target=self._keep_sweeping, name="engine sweeper", daemon=True)
        self._sweeper.start()

    def create(self, run: Run, owner: str, state: State | None = None) -> str:
        """The id, which cannot be guessed, of a new live run, paused at its start: step 0, or ``state``.

        The owner's earlier run is closed. `TooManyRunsError` where the server keeps no more.
        """
        return self._add(Live, owner, lambda name: Live(name, owner, run, self._host, packed(state) if state else None))

    def create_race(self, race: Race, owner: str, first: Live | None = None) -> str:
        """The id of a new live race, paused at its start, as `create` makes a run; the owner's earlier race is closed.

        Where the live run ``first`` is given, the first racer begins as a copy of it: so a run is forked.
        """
        course = first.copy() if first else None
        return self._add(LiveRace, owner, lambda name: LiveRace(name, owner, race, self._host, course))

    def devices(self) -> tuple[str, ...]:
        """The devices of the workers, best first; waits until one of them is warm. The server itself touches none."""
        if self._devices.done() and self._devices.exception():
            self._devices = self.submit(self._host.training.devices)
        return self._devices.result()

    def get(self, run_id: str) -> Live | None:
        """The live run, if there is one of that id."""
        live = self.find(run_id)
        return live if isinstance(live, Live) else None

    def race(self, race_id: str) -> LiveRace | None:
        """The live race, if there is one of that id."""
        live = self.find(race_id)
        return live if isinstance(live, LiveRace) else None

    def find(self, any_id: str) -> Live | LiveRace | None:
        """The live run or race of that id."""
        with self._lock:
            return self._lives.get(any_id)

    def play(self, run_id: str, until: int | None = None) -> None:
        """Train: to the budget, or to exactly step ``until``, of which a frame is made, and pause there."""
        self._command(run_id, lambda course: course.play(until))

    def pause(self, run_id: str) -> None:
        """Train no further; the slice under way still counts."""
        self._command(run_id, Course.pause)

    def step(self, run_id: str) -> None:
        """Pause, then make one step and a frame of it, wherever it falls."""
        self._command(run_id, Course.one_step)

    def reset(self, run_id: str) -> None:
        """Back to the very same start, paused, the history gone."""
        self._command(run_id, Course.reset)

    def change(self, run_id: str, run: Run) -> None:
        """Go on as ``run``, of another learning rate, budget or loss knobs; ValueError names anything else that differs."""
        self._command(run_id, lambda course: course.change(run))

    def watch(self, run_id: str) -> None:
        """Somebody looks at the run now."""
        if live := self.find(run_id):
            live.watch()

    def latest(self, run_id: str) -> Frame | None:
        """The newest frame of the run, if it has one."""
        live = self.get(run_id)
        return live.latest if live else None

    def at(self, run_id: str, step: int) -> Frame | None:
        """The frame of the run nearest to ``step``, at or before it."""
        live = self.get(run_id)
        return live.at(step) if live else None

    def leave(self, owner: str) -> None:
        """The owner's session is gone, or its network is: what is live of it sleeps, and is kept a while for its return."""
        for live in self._of(owner):
            live.leave()

    def release(self, owner: str) -> None:
        """Close the owner's run and race, and free what they hold."""
        self._drop(self._of(owner))

    def sweep(self) -> None:
        """Close the runs that nobody came back to in time."""
        with self._lock:
            lives = tuple(self._lives.values())
        self._drop(tuple(live for live in lives if live.given_up))

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """The future result of a call made by a worker, behind the slices that wait already."""
        with self._renewal:
            try:
                return self._executor.submit(fn, *args)
            except BrokenExecutor:
                self._executor.shutdown(wait=False)
                self._executor = self._executor_factory()
                return self._executor.submit(fn, *args)

    def close(self) -> None:
        """Close every run and end the workers."""
        self._closing.set()
        with self._lock:
            lives = tuple(self._lives.values())
        self._drop(lives)
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._sweeper.join()

    def _command(self, run_id: str, order: Callable[[Course], None]) -> None:
        if live := self.get(run_id):
            live.command(order)

    def _of(self, owner: str) -> tuple[Live | LiveRace, ...]:
        with self._lock:
            return tuple(live for live in self._lives.values() if live.owner == owner)

    def _add(self, kind: type[Live | LiveRace], owner: str, make: Callable[[str], Live | LiveRace]) -> str:
        """Make one of a kind in place of the owner's earlier one."""
        self.sweep()
        with self._lock:
            earlier = tuple(one for one in self._lives.values() if one.owner == owner and isinstance(one, kind))
            if not earlier and len(self._lives) >= self.limits.runs:
                raise TooManyRunsError(
                    f"{self.limits.runs} runs are live, as many as this server keeps (runs in dml_viz/engine/limits.py); "
                    "close a tab that trains, or come back later"
                )
            live = make(secrets.token_urlsafe(16))
            self._lives[live.id] = live
        self._drop(earlier)
        return live.id

    def _drop(self, lives: tuple[Live | LiveRace, ...]) -> None:
        with self._lock:
            for live in lives:
                self._lives.pop(live.id, None)
        for live in lives:
            live.close()

    def _idle(self) -> int:
        """How many workers have nothing to do, as far as the executor says; one that does not say has none to spare."""
        return int(getattr(self._executor, "idle", 0))

    def _keep_sweeping(self) -> None:
        while not self._closing.wait(SWEEP_SECONDS):
            self.sweep()
