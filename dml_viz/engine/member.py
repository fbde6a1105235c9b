"""A member of a job: one run, its progress, its commands, and the next call to a worker.

It uses no threads and no clock. At most one call is under way. A result that comes after a reset is dropped, and so is a result
beyond a step that was asked for in the meantime: the steps up to it are trained again from the last state, with equal results.
"""

from dataclasses import replace

from dml_viz.engine.limits import Limits
from dml_viz.engine.progress import Progress, Role
from dml_viz.engine.slices import Beginning, Begun, Slice, SliceResult
from dml_viz.engine.status import ENDED, Status
from dml_viz.training.loop import Run
from dml_viz.training.run import EARLY

OPENING = sorted(EARLY)  # even at full speed, each of these steps is drawn before the next one is trained


class Member(Progress):
    """A run within ``limits``, paused at its start.

    A member that is alone has a frame wherever it pauses, and checkpoints over all its steps. A member that leaves another waits
    for `begin_at_branch`. With a ``pace`` it trains so many steps, shows a frame and waits for `allow_next_frame`; 0 is full
    speed after the first steps, None full speed from the start. On the way to a step that was asked for, it trains at full speed.
    ``plane`` is the step whose frame its plane is fitted to.
    """

    def __init__(self, run: Run, limits: Limits, role: Role) -> None:
        super().__init__(run, limits, role)
        self.under_way = False
        self.pace: int | None = None
        self._goal: int | None = None
        self.reset()

    @property
    def status(self) -> Status:
        """The status of the run."""
        if self._failure:
            return "failed"
        if self._stopped:
            return "stopped"
        if self.step >= self.run.steps:
            return "done"
        if not self._playing or self._stepping or self._spent_out:
            return "paused"
        return "asleep" if self.asleep else "running"

    @property
    def reason(self) -> str:
        """The reason why the run does not train, if no visitor stopped it."""
        if early := self._failure or self._stopped:
            return early
        if self.status == "paused" and self._spent_out:
            return f"This run has trained for {self.limits.seconds:g} seconds, as long as one may; reset it or start another."
        return "No one watches; it goes on when someone does." if self.status == "asleep" else ""

    @property
    def wants_watching(self) -> bool:
        """Whether the run trains continuously, which it should do only while a page watches."""
        return self._playing and not self._stepping

    @property
    def waits(self) -> bool:
        """Whether the member waits for another member to come to the step at which it branches off."""
        return self._role.leaves > 0 and self._parent is None

    def play(self, until: int | None) -> None:
        """Train to the budget, or to exactly step ``until``, which gets a frame, and pause there."""
        self._clear()
        self._playing = until is None or until > self.step
        self._goal = until if self._playing else None

    def pause(self) -> None:
        """Want no further slice; the one under way still counts."""
        self._playing = self._stepping = False
        self._goal = None

    def step_by(self, steps: int) -> None:
        """Pause, then train ``steps`` more than are trained or were asked for in this way; the last one gets a frame."""
        if self.status in ("done", "stopped"):
            return
        goal = self._goal if self._stepping else None
        self._clear()
        self._playing = self._stepping = True
        self._goal = (self.step if goal is None else goal) + steps

    def reset(self) -> None:
        """Go back to the same start, paused; changes that were made hold from the first step on."""
        self.pause()
        self._clear()
        self._outdated = self.under_way
        self._parent: Member | None = None
        self._drawn_next = 0
        self._at_start()
        origin = self._role.origin
        if origin and origin.begun:
            self._stand_at(origin)
        elif self._role.leaves:
            self.begun = None
        elif self.begun and self.begun.state and self.begun.run == self.run:
            self._begin(self.begun)

    def change(self, run: Run) -> None:
        """Train as ``run``, which `check_change` allows, from the next slice on.

        A run that stopped goes on if more than its budget has changed.
        """
        if self.waits or replace(self.run, steps=run.steps) != run:
            self._stopped = ""
        self.run = run
        self._failure = ""
        if not self.under_way:
            self._note_change()

    def copy(self) -> "Member":
        """A paused copy at the same step, with all frames, which goes on independently."""
        other = Member(self.run, self.limits, self._role)
        other._parent = self._parent
        if self.begun:
            other._stand_at(self)
        return other

    def allow_next_frame(self) -> bool:
        """Allow training to the next step that is drawn, if there is a ``pace``; return whether there is anything to train."""
        if self.pace is None or self.step < self._drawn_next:
            return False
        if self.pace:
            self._drawn_next = self.step - self.step % self.pace + self.pace
        else:
            self._drawn_next = next((step for step in OPENING if step > self.step), self.run.steps)
        return self.wants_watching

    def begin_at_branch(self, parent: "Member") -> bool:
        """Begin at the step at which this member leaves ``parent``, if that has come so far; return whether anything changed.

        That is also so where the parent ended too early, and this member is marked as failed or stopped.
        """
        leaves = self._role.leaves
        if self.waits and parent.checkpoints.plan(leaves):
            self._parent, self._failure, self._stopped, self.plane = parent, "", "", parent.plane
            self.history.copy_frames_of(parent.history, leaves)
            return True
        if self.waits and parent.status in ENDED:
            why = f"The racer that it leaves at step {leaves} stopped before that."
            self._failure, self._stopped = (why, "") if parent.status == "failed" else ("", why)
            return True
        return False

    def next(self) -> Beginning | Slice | None:
        """The call to make now, which is then under way; None while one is under way, or if none is wanted."""
        if self.under_way or self._failure or self._stopped:
            return None
        call = self._next_call()
        self.under_way = call is not None
        self._sent = self.run
        return call

    def land(self, result: Begun | SliceResult) -> None:
        """Use the result of the call under way."""
        self.under_way = False
        if self._outdated:
            self._outdated = False
            return
        self._deaths = 0
        if isinstance(result, Begun):
            self._begin(result)
        elif result.step <= max(self._target, self.step):
            self._add_result(result)
        self._note_change()
        if self._goal is not None and self.step >= self._goal:
            self.pause()
        if self._role.bare and self.step >= self.run.steps:
            self.begun = self._state = None

    def lose(self, why: str, *, worker_died: bool) -> None:
        """Note that the call under way has no result: it is made again if its worker died, up to a limit; else the run failed."""
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
        return self.seconds >= self.limits.seconds

    def _next_call(self) -> Beginning | Slice | None:
        if self.waits:
            return None
        if self._state is None:
            parent = self._parent
            plan = parent.checkpoints.plan(self._role.leaves) if parent else None
            if self._role.bare and not (self._playing and self.step < self._target):
                return None
            return Beginning(self.run, parent.run if parent else None, plan, self._role.bare)
        target = self._target
        if self._playing and not self.asleep and not self._spent_out and self.step < target:
            stop = min(next((mark for mark in self._marks if mark > self.step), target), target)
            if self.pace is None or self._goal is not None:
                return Slice(self.run, self._state, stop - self.step, self.limits.slice, target, self._role.bare)
            if (stop := min(stop, self._drawn_next)) > self.step:
                return Slice(self.run, self._state, stop - self.step, self.limits.slice, stop)
        latest = self.history.latest
        if self._role.alone and not self.asleep and (latest is None or latest.step < self.step):
            # Paused between two frames: one more frame shows this step. Members of a race would lack it at this step.
            return Slice(self.run, self._state, 0, self.limits.slice, self.step)
        return None

    def _clear(self) -> None:
        self._failure = ""
        self._deaths = 0
        self.asleep = self._stepping = False
