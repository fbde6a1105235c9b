"""A job: the runs of an experiment, trained slice by slice by workers, controlled and read from any thread."""

import math
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any

from dml_viz.engine.fair_queue import FairQueue, QueuedCall
from dml_viz.engine.job_state import JobState
from dml_viz.engine.limits import Limits, Visitor
from dml_viz.engine.member import Member
from dml_viz.engine.members import Members
from dml_viz.engine.process import NoWorker
from dml_viz.engine.slices import Beginning, Slice, Training, begin, train
from dml_viz.engine.status import RunStatus
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Run

NOTICED = 2.0  # seconds after which a job says why it waits
REPLAYING = 5.0  # multiple of the deadline for training again up to the step at which a member leaves another


@dataclass(frozen=True)
class Host:
    """What an engine gives its jobs: the queue of calls, the functions that train, limits, clock (s), why no worker answers."""

    queue: FairQueue
    training: Training
    limits: Limits
    clock: Callable[[], float]
    trouble: Callable[[], str] = lambda: ""


class Job(JobState):
    """The members of an experiment, paused at their start, trained in turn; asleep while no page watches.

    One slice is under way at a time, and more only while workers are idle, so that a job of many members delays no other. A
    member that cannot go on does not stop the others. A command counts as watching. An owner has one job in each ``slot``; owners
    are the tabs of a ``visitor``, whose jobs share the visitor's time of the workers. ``ended`` is called, in some thread, with
    each member that has ended.
    """

    def __init__(
        self,
        job_id: str,
        owner: str,
        slot: str,
        visitor: Visitor,
        members: Members,
        host: Host,
        ended: Callable[[Member], None] = lambda _: None,
    ) -> None:
        super().__init__(members)
        self.id, self.owner, self.slot, self.visitor = job_id, owner, slot, visitor
        self._host, self._ended = host, ended
        self._look()
        self._under_way: dict[int, QueuedCall] = {}
        self._submit_next()

    @property
    def left(self) -> bool:
        """Whether its session is gone, and no page has looked since."""
        return self._left < math.inf

    @property
    def busy(self) -> bool:
        """Whether a slice is under way, as for a moment after a pause."""
        return bool(self._under_way)

    @property
    def abandoned(self) -> bool:
        """Whether no page has come back for so long that the job may be dropped."""
        now, limits = self._host.clock(), self._host.limits
        return now - self._left > limits.released or now - self._looked > limits.forgotten

    def overview(self) -> RunStatus:
        now = super().overview()
        return replace(now, reason=self._waits_for() or now.reason)

    def play(self, until: int | None = None) -> None:
        """Train to the budget, or to exactly step ``until``, which gets a frame, and pause there; failed members try again."""
        self._command(lambda: self._members.command(lambda member: member.play(until)))

    def pause(self) -> None:
        """Stop training; slices under way still count."""
        self._command(lambda: self._members.command(Member.pause))

    def step_by(self, steps: int) -> None:
        """Pause, then train ``steps`` more than were asked for before; the last one gets a frame."""
        self._command(lambda: self._members.command(lambda member: member.step_by(steps)))

    def reset(self) -> None:
        """Go back to the same start, paused, with an empty history."""
        self._command(self._members.reset)

    def fit_plane(self, step: int) -> None:
        """Draw a run in the plane of its frame at ``step``, as soon as the run has come so far; each step in its own for 0."""
        self._command(lambda: self._members.fit_plane(step))

    def set_steps_per_frame(self, steps: int | None) -> None:
        """Train ``steps`` steps from frame to frame, and wait until each is drawn; for 0 and None see `Member`."""
        self._command(lambda: self._members.command(lambda member: setattr(member, "pace", steps)))

    def change(self, changed: Run | Experiment) -> None:
        """Go on as ``changed``, with another learning rate, budget or loss knobs; ValueError names any other difference."""
        experiment = Experiment.of(changed) if isinstance(changed, Run) else changed
        self._command(lambda: self._members.change(experiment))

    def watch(self, *, frame_drawn: bool = True) -> None:
        """Note that a page looks: a job asleep goes on, and if the newest frame is drawn, a job that waited for that."""
        with self._changed:
            self._look()
            asleep = self._members.asleep
            if asleep:
                self._members.sleep(False)
            if not (frame_drawn and self._members.allow_next_frame()) and not asleep:
                return
        self._submit_next()

    def leave(self) -> None:
        """Fall asleep at once, because the session is gone, until a page watches again."""
        with self._changed:
            self._left = self._host.clock()
            self._members.sleep(True)
        self._announce()

    def close(self) -> None:
        """Close the job for good: drop calls under way, cancel calls that wait for a worker, wake readers."""
        with self._changed:
            self.closed = True
            futures = tuple(self._under_way.values())
        for future in futures:
            future.cancel()
        self._announce()

    def _look(self) -> None:
        """Note that a page looks now; as long as its session is there, it left at infinity."""
        self._looked, self._left = self._host.clock(), math.inf

    def _command(self, do: Callable[[], None]) -> None:
        with self._changed:
            self._look()
            do()
        self._announce()
        self._submit_next()

    def _submit_next(self) -> None:
        while True:
            with self._changed:
                if self.closed or (self._under_way and self._host.queue.idle < 1):
                    break
                unwatched = self._host.clock() - self._looked
                if unwatched > self._host.limits.unwatched and self._members.wants_watching:
                    self._members.sleep(True)
                turn = self._members.next()
                if turn is None:
                    break
                number, call = turn
                work = begin if isinstance(call, Beginning) else train
                if isinstance(call, Slice) and self.experiment.is_single and self._host.queue.idle > 0:
                    call = replace(call, longest=self._host.limits.slice_alone)
                asker = (self.visitor.name, self.id)
                future = self._under_way[number] = self._host.queue.submit(asker, work, self._host.training, call)
                if isinstance(call, Beginning) and call.plan:
                    future.patience = REPLAYING
            self._announce()
            future.add_done_callback(lambda done, number=number: self._land(number, done))  # type: ignore[misc]
        self._host.queue.dispatch()
        self._announce()

    def _land(self, number: int, future: Future[Any]) -> None:
        with self._changed:
            self._under_way.pop(number, None)
            if self.closed:
                return
            ended = self._members.land(number, lambda member: _hand_over(member, future))
        if ended:
            self._ended(ended)
        self._announce()
        self._submit_next()

    def _waits_for(self) -> str:
        """The reason why the call that has waited longest waits; empty if no call is late."""
        with self._changed:
            calls = tuple(self._under_way.values())
        now, limits = self._host.clock(), self._host.limits
        if calls and (trouble := self._host.trouble()):
            return trouble
        if late := [call for call in calls if now - call.awaited > NOTICED]:
            latest = min(late, key=lambda call: call.awaited)
            after, step = latest.patience * limits.deadline, super().overview().step
            return (
                f"Its worker has given no answer for {now - latest.awaited:.0f} seconds; after {after:g} another takes its place "
                f"and goes on from step {step:,}."
            )
        if any(call.began == math.inf and now - call.submitted > NOTICED for call in calls):
            visitors, workers = self._host.queue.visitors_and_workers
            return f"It waits for its turn: {visitors} visitors share {workers} {'worker' if workers == 1 else 'workers'}."
        return ""


def _hand_over(member: Member, future: Future[Any]) -> None:
    """Give a member the result of its call, or why there is none."""
    try:
        member.land(future.result())
    except (BrokenExecutor, CancelledError) as death:
        member.lose(str(death), worker_died=not isinstance(death, NoWorker))
    except Exception as error:
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        member.lose(why, worker_died=False)
