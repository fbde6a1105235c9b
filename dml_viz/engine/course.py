"""The course of a run: what has come of it, what is wanted of it, and which call to a worker that asks for next.

Knows no threads and no clock. One call is under way at most. A result that comes after a reset is dropped; so is one
that went beyond the step asked for in the meantime, since training is pure: the way there is trained again from the
state that was kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dml_viz.engine.changes import change_text, check_change
from dml_viz.engine.history import History
from dml_viz.engine.limits import Limits
from dml_viz.engine.slices import Begun, Slice, Trained
from dml_viz.engine.trail import Trail, Way
from dml_viz.training.loop import Run

Status = Literal["running", "paused", "asleep", "done", "failed"]


@dataclass(frozen=True)
class Beginning:
    """A call for the start of ``run``, for its resumption from a pickled ``state``, or for its fork off the run ``before``."""

    run: Run
    state: bytes | None
    before: Run | None = None
    way: Way | None = None


class Course:
    """The course of ``run`` within ``limits``, paused at its start; ``state`` is where it resumes another run, if it does."""

    step: int
    history: History
    trail: Trail
    _state: bytes | None
    _spent: float

    def __init__(self, run: Run, limits: Limits, state: bytes | None = None) -> None:
        self.run = run
        self.limits = limits
        self.begun: Begun | None = None
        self.asleep = False
        self._resumed = state
        self._playing = self._one_step = False
        self._goal: int | None = None
        self._failure = ""
        self._deaths = 0
        self._under_way = self._outdated = False
        self.resets = -1
        self._restart()

    @property
    def status(self) -> Status:
        """What the run does."""
        if self._failure:
            return "failed"
        if self.step >= self.run.steps:
            return "done"
        if not self._playing or self._one_step or self._spent_out:
            return "paused"
        return "asleep" if self.asleep else "running"

    @property
    def reason(self) -> str:
        """Why the run stands still, where that is not what a visitor asked for."""
        if self._failure:
            return self._failure
        if self.status == "paused" and self._spent_out:
            return f"This run has trained for {self.limits.seconds:g} seconds, as long as one may; reset it or start another."
        return "Nobody watches; it goes on when somebody does." if self.status == "asleep" else ""

    @property
    def wants_watching(self) -> bool:
        """Whether it trains on and on, which it should do only while somebody watches."""
        return self._playing and not self._one_step

    def play(self, until: int | None) -> None:
        """Train on: to the budget, or to exactly step ``until``, which gets a frame, and pause there."""
        self._clear()
        self._playing = until is None or until > self.step
        self._goal = until if self._playing else None

    def pause(self) -> None:
        """Ask for no further slice; the one under way still counts."""
        self._playing = self._one_step = False
        self._goal = None

    def one_step(self) -> None:
        """Pause, then make one step more, or one more than already asked for, and a frame of it."""
        if self.status == "done":
            return
        goal = self._goal if self._one_step else None
        self._clear()
        self._playing = self._one_step = True
        self._goal = (self.step if goal is None else goal) + 1

    @property
    def seconds(self) -> float:
        """Seconds that it has trained for."""
        return self._spent

    def reset(self) -> None:
        """Back to the very same start, paused; with its changes, if there were any, from the first step on."""
        self.pause()
        self._clear()
        self._outdated = self._under_way
        self._restart()

    def change(self, run: Run) -> None:
        """Go on as ``run`` from the next slice on; ValueError names a part that cannot change."""
        check_change(self.run, run)
        self.run = run
        self._failure = ""
        if not self._under_way:
            self._note_change()

    def adopt(self, other: Course) -> None:
        """Stand, while still at nothing, where ``other`` stands, with all that it has shown."""
        self.begun, self._state, self.step, self._spent = other.begun, other._state, other.step, other._spent
        self.history.take_over(other.history, self.step + 1)
        self.trail = other.trail.copy()

    def next(self) -> Beginning | Slice | None:
        """The call to make now, which is then under way; None while one is, or where nothing is wanted."""
        if self._under_way or self._failure:
            return None
        call = self._wanted()
        self._under_way = call is not None
        self._sent = self.run
        return call

    def land(self, result: Begun | Trained) -> None:
        """Take in the result of the call under way."""
        self._under_way = False
        if self._outdated:
            self._outdated = False
            return
        self._deaths = 0
        if isinstance(result, Begun):
            self._begin(result)
        elif result.step <= max(self._target, self.step):
            self._take(result)
        self._note_change()
        if self._goal is not None and self.step >= self._goal:
            self.pause()

    def lose(self, why: str, *, worker_died: bool) -> None:
        """The call under way came to nothing: made again if its worker died, up to a limit of deaths; else the run failed."""
        self._under_way = False
        if self._outdated:
            self._outdated = False
            return
        self._deaths += worker_died
        if not worker_died:
            self._failure = why
        elif self._deaths >= self.limits.deaths:
            self._failure = f"{self._deaths} workers in a row died over this slice, perhaps for want of memory: {why}"

    @property
    def _target(self) -> int:
        return self.run.steps if self._goal is None else min(self._goal, self.run.steps)

    @property
    def _spent_out(self) -> bool:
        return self._spent >= self.limits.seconds

    def _wanted(self) -> Beginning | Slice | None:
        if self._state is None:
            return Beginning(self.run, self._resumed)
        if self._playing and not self.asleep and not self._spent_out and self.step < self._target:
            return Slice(self.run, self._state, self._target - self.step, self.limits.slice, self._target)
        latest = self.history.latest
        if not self.asleep and (latest is None or latest.step < self.step):
            # It stands between two frames: what is drawn shall be where it stands.
            return Slice(self.run, self._state, 0, self.limits.slice, self.step)
        return None

    def _clear(self) -> None:
        self._failure = ""
        self._deaths = 0
        self.asleep = self._one_step = False

    def _restart(self) -> None:
        self._used = self._sent = self.run
        self._spent = 0.0
        self.resets += 1
        self.changes: list[tuple[int, str]] = []
        self.history = History(self.limits.history)
        self.trail = Trail()
        self._state = None
        self.step = 0
        if self.begun and self.begun.run == self.run:
            self._begin(self.begun)

    def _begin(self, begun: Begun) -> None:
        self.begun = begun
        self._state = begun.state
        self.step = begun.frame.step
        self.history.add(begun.frame)
        self._remember(begun.state, begun.run)

    def _take(self, trained: Trained) -> None:
        if trained.step > self.step:
            self._used = self._sent
        self._state = trained.state
        self.step = trained.step
        self._remember(trained.state, self._sent)
        self._spent += trained.seconds
        self._failure = trained.failed
        for frame in trained.frames:
            self.history.add(frame)

    def _remember(self, state: bytes, run: Run) -> None:
        """Note the state of this step, to which ``run`` has trained."""
        self.trail.add(self.step, state, run)

    def _note_change(self) -> None:
        """Note at this step how the run differs from the one that trained to it, in place of what was noted here before."""
        self.changes = [(step, what) for step, what in self.changes if step < self.step]
        if what := change_text(self._used, self.run):
            self.changes.append((self.step, what))
