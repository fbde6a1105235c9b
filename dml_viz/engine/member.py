"""A member of a job: one run, what has come of it, what is wanted of it, and which call to a worker that asks for next.

Knows no threads and no clock. One call is under way at most. A result that comes after a reset is dropped; so is one
that went beyond the step asked for in the meantime, since training is pure: the way there is trained again from the
state that was kept.
"""

from dml_viz.engine.changes import check_change
from dml_viz.engine.limits import Limits
from dml_viz.engine.progress import Place, Progress
from dml_viz.engine.slices import Beginning, Begun, Slice, Trained
from dml_viz.engine.status import Status
from dml_viz.training.loop import Run
from dml_viz.training.run import EARLY

OPENING = sorted(EARLY)  # at full speed, too, each of these steps is drawn before the next one is trained


class Member(Progress):
    """A run within ``limits``, paused at its start; ``state`` is where it resumes another run, if it does.

    A member that is alone shows where it pauses and keeps checkpoints of all its way. One that leaves another waits for
    `branch_off`. With a ``pace`` it trains so many steps, shows a frame, and waits for `go_on`; 0 is full speed once the
    first steps are drawn, None full speed from the start, as to a step that is asked for. ``plane`` is the step that its
    plane is fitted at.
    """

    _drawn_next: int
    _parent: "Member | None"

    def __init__(self, run: Run, limits: Limits, place: Place | None = None, state: bytes | None = None) -> None:
        super().__init__(run, limits, place or Place())
        self.asleep = self.under_way = False
        self._resumed = state
        self._playing = self._one_step = self._outdated = False
        self._goal: int | None = None
        self._deaths = 0
        self.pace: int | None = None
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
        return "No one watches; it goes on when someone does." if self.status == "asleep" else ""

    @property
    def wants_watching(self) -> bool:
        """Whether it trains on and on, which it should do only while somebody watches."""
        return self._playing and not self._one_step

    @property
    def waits(self) -> bool:
        """Whether the step of another member at which it begins is still to come."""
        return self._place.leaves > 0 and self._parent is None

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

    def reset(self) -> None:
        """Go back to the very same start, paused; with its changes, if there were any, from the first step on."""
        self.pause()
        self._clear()
        self._outdated = self.under_way
        self._restart()

    def change(self, run: Run) -> None:
        """Go on as ``run`` from the next slice on; ValueError names a part that cannot change."""
        check_change(self.run, run)
        self.run = run
        self._failure = ""
        if not self.under_way:
            self._note_change()

    def copy(self) -> "Member":
        """A paused member where this one is, with all that it has shown; it goes on independently."""
        other = Member(self.run, self.limits, self._place)
        other._parent = self._parent
        if self.begun:
            other._stand_at(self)
        return other

    def go_on(self) -> bool:
        """Train to the next step that is drawn, as far as there is a ``pace``; whether there is anything to do."""
        if self.pace is None or self.step < self._drawn_next:
            return False
        if self.pace:
            self._drawn_next = self.step - self.step % self.pace + self.pace
        else:
            self._drawn_next = next((step for step in OPENING if step > self.step), self.run.steps)
        return self.wants_watching

    def branch_off(self, parent: "Member") -> bool:
        """Begin where ``parent`` was at the step at which this member leaves it; whether that, or its end, changes anything."""
        leaves = self._place.leaves
        if self.waits and parent.checkpoints.plan(leaves):
            self._parent, self._failure, self.plane = parent, "", parent.plane
            self.history.take_over(parent.history, leaves)
            return True
        if self.waits and parent.status in ("failed", "done"):
            self._failure = f"The racer that it leaves at step {leaves} stopped before that."
            return True
        return False

    def next(self) -> Beginning | Slice | None:
        """The call to make now, which is then under way; None while one is, or where nothing is wanted."""
        if self.under_way or self._failure:
            return None
        call = self._wanted()
        self.under_way = call is not None
        self._sent = self.run
        return call

    def land(self, result: Begun | Trained) -> None:
        """Take in the result of the call under way."""
        self.under_way = False
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
        if self._place.bare and self.step >= self.run.steps:
            self.begun = self._state = None

    def lose(self, why: str, *, worker_died: bool) -> None:
        """Note that the call under way gave nothing: it is made again if its worker died, up to a limit; else the run failed."""
        self.under_way = False
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
        if self.waits:
            return None
        if self._state is None:
            parent = self._parent
            plan = parent.checkpoints.plan(self._place.leaves) if parent else None
            if self._place.bare and not (self._playing and self.step < self._target):
                return None
            return Beginning(self.run, self._resumed, parent.run if parent else None, plan, self._place.bare)
        target = self._target
        if self._playing and not self.asleep and not self._spent_out and self.step < target:
            stop = min(next((mark for mark in self._marks if mark > self.step), target), target)
            if self.pace is None or self._goal is not None:
                return Slice(self.run, self._state, stop - self.step, self.limits.slice, target, self._place.bare)
            if (stop := min(stop, self._drawn_next)) > self.step:
                return Slice(self.run, self._state, stop - self.step, self.limits.slice, stop)
        latest = self.history.latest
        if self._place.alone and not self.asleep and (latest is None or latest.step < self.step):
            # It stands between two frames: what is drawn shall be where it stands. In company no other one is there.
            return Slice(self.run, self._state, 0, self.limits.slice, self.step)
        return None

    def _clear(self) -> None:
        self._failure = ""
        self._deaths = 0
        self.asleep = self._one_step = False

    def _restart(self) -> None:
        self._parent = None
        self._drawn_next = 0
        self._at_start()
        origin = self._place.origin
        if origin and origin.begun:
            self._stand_at(origin)
        elif self._place.leaves:
            self.begun = None
        elif self.begun and self.begun.state and self.begun.run == self.run:
            self._begin(self.begun)
