"""A job: the runs of an experiment, moved along slice by slice by workers, commanded and read from any thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager
from threading import Condition
from typing import Any

import numpy as np

from dml_viz.engine.host import Host, Watch
from dml_viz.engine.member import Member
from dml_viz.engine.members import JobFrame, Members, StatusKey
from dml_viz.engine.slices import Beginning, begin, train
from dml_viz.engine.status import RunStatus, Status
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import EvaluationSubset, Frame, Run


class Job:
    """The members of an experiment, paused at their start, trained in turn; asleep while nobody watches.

    One slice is under way at a time, behind those of all other jobs; more only while workers are idle, so that a job of many
    members holds nobody up. A member that cannot go on stays behind. A command counts as watching. An owner has one job in
    each ``slot``.
    """

    def __init__(self, job_id: str, owner: str, slot: str, members: Members, host: Host) -> None:
        self.id, self.owner, self.slot = job_id, owner, slot
        self._members, self._host = members, host
        self._changed = Condition()
        self._listeners: set[Callable[[], None]] = set()
        self._watch = Watch(host)
        self._closed = False
        self._under_way: dict[int, Future[Any]] = {}
        self._last_key = members.status_key
        self._submit_next()

    @property
    def experiment(self) -> Experiment:
        """What is trained from the next slice on."""
        return self._members.experiment

    @property
    def run(self) -> Run:
        """The first member's run, as it is trained from the next slice on."""
        return self.experiment.runs[0]

    @property
    def budget(self) -> int:
        """Steps that each member trains in all."""
        return self.experiment.budget

    @property
    def status(self) -> Status:
        """What it does: "running", "paused" by hand, "asleep" because nobody watches, "done" at its budget, or "failed"."""
        with self._changed:
            return self._members.status

    @property
    def reason(self) -> str:
        """Why it stands still, where that is not what a visitor asked for."""
        return self.overview().reason

    @property
    def step(self) -> int:
        """Steps that all members have trained that can go on."""
        return self.overview().step

    @property
    def changes(self) -> tuple[tuple[int, str], ...]:
        """The changes of the first run on its way: (step from which on, what)."""
        with self._changed:
            return self._members.changes

    @property
    def redrawn(self) -> int:
        """How often its frames were replaced: by a reset, or in another plane."""
        return self._members.redrawn

    @property
    def pace(self) -> int | None:
        """The pace of its members."""
        return self._members.first.pace

    @property
    def plane(self) -> int:
        """The step that the plane of the first run is fitted at."""
        return self._members.first.plane

    @property
    def closed(self) -> bool:
        """Whether the engine has let go of it; it trains no more."""
        return self._closed

    @property
    def abandoned(self) -> bool:
        """Whether nobody has come back to it for so long that it need not be kept."""
        return self._watch.abandoned

    @property
    def subject(self) -> EvaluationSubset | None:
        """What all members watch; None until a worker has begun one."""
        member = self._members.begun
        return member.begun.subject if member and member.begun else None

    @property
    def device(self) -> str:
        """The title of the device that it trains on; empty until a worker has begun a member."""
        member = self._members.begun
        return member.begun.device if member and member.begun else ""

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that can be drawn of all members."""
        with self._changed:
            return tuple(self._members.shared.shown())

    @property
    def latest_step(self) -> int:
        """The newest step that can be drawn of all members; -1 before the first."""
        with self._changed:
            return self._members.shared.latest

    @property
    def latest(self) -> Frame | None:
        """The newest frame of the first member; None until all have begun."""
        frames = self.frames()
        return frames.members[0] if frames else None

    def at(self, step: int) -> Frame | None:
        """The frame of the first member nearest to ``step``, at or before it."""
        frames = self.frames(step)
        return frames.members[0] if frames else None

    def frames(self, step: int | None = None) -> JobFrame | None:
        """The frames of the drawn members at the step nearest to ``step``, at or before it; at the newest for None."""
        with self._changed:
            return self._members.frames(step)

    def rows(self, first: int = 0) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of the curves, and the rows of all shared steps from the ``first``-th on, as `Members.rows` gives them."""
        with self._changed:
            return self._members.rows(first)

    def overview(self) -> RunStatus:
        """The status of the job and of each member."""
        with self._changed:
            return self._members.overview()

    @property
    def status_key(self) -> StatusKey:
        """What stays equal while there is nothing that a reader must know at once: only steps between two frames."""
        with self._changed:
            return self._members.status_key

    def copy(self) -> Members:
        """A copy of its members where they are now, paused."""
        with self._changed:
            return self._members.copy()

    def play(self, until: int | None = None) -> None:
        """Train: to the budget, or to exactly step ``until``, of which a frame is made, and pause there."""
        self._command(lambda: self._members.command(lambda member: member.play(until)))

    def pause(self) -> None:
        """Train no further; slices under way still count."""
        self._command(lambda: self._members.command(Member.pause))

    def one_step(self) -> None:
        """Pause, then make one step and a frame of it, wherever it falls."""
        self._command(lambda: self._members.command(Member.one_step))

    def reset(self) -> None:
        """Go back to the very same start, paused, the history gone."""
        self._command(self._members.reset)

    def fit_plane(self, step: int) -> None:
        """Draw a run in the plane that shows its frame at ``step`` best, as soon as it has come so far."""
        self._command(lambda: self._members.fit_plane(step))

    def set_pace(self, pace: int | None) -> None:
        """Train ``pace`` steps from frame to frame, and no more until one is drawn; 0 and None as `Member` says."""
        self._command(lambda: self._members.command(lambda member: setattr(member, "pace", pace)))

    def change(self, changed: Run | Experiment) -> None:
        """Go on as ``changed``, of another learning rate, budget or loss knobs; ValueError names anything else that differs."""
        experiment = Experiment.of(changed) if isinstance(changed, Run) else changed
        self._command(lambda: self._members.change(experiment))

    def watch(self, *, drawn: bool = True) -> None:
        """Note that somebody looks: what fell asleep goes on, and what waits until its newest frame is ``drawn``."""
        with self._changed:
            self._watch.look()
            asleep = self._members.asleep
            if asleep:
                self._members.sleep(False)
            if not (drawn and self._members.go_on()) and not asleep:
                return
        self._submit_next()

    def leave(self) -> None:
        """Fall asleep at once, since its session is gone, until somebody watches again."""
        with self._changed:
            self._watch.leave()
            self._members.sleep(True)
        self._announce()

    def close(self) -> None:
        """Let go of it for good: what is under way is dropped, what waits for a worker is not made, readers are woken."""
        with self._changed:
            self._closed = True
            futures = tuple(self._under_way.values())
        for future in futures:
            future.cancel()
        self._announce()

    @contextmanager
    def listening(self, listener: Callable[[], None]) -> Iterator[None]:
        """Inside the block, ``listener`` is called, in some thread and briefly, whenever the status key changes."""
        with self._changed:
            self._listeners.add(listener)
        try:
            yield
        finally:
            with self._changed:
                self._listeners.discard(listener)

    def wait_for(self, condition: Callable[[Job], bool], timeout: float) -> bool:
        """Wait until ``condition`` of it holds, at most ``timeout`` seconds; whether it does."""
        with self._changed:
            return self._changed.wait_for(lambda: condition(self), timeout)

    def _command(self, do: Callable[[], None]) -> None:
        with self._changed:
            self._watch.look()
            do()
        self._announce()
        self._submit_next()

    def _submit_next(self) -> None:
        while True:
            with self._changed:
                if self._closed or (self._under_way and self._host.idle() < 1):
                    return
                if self._watch.missing and self._members.wants_watching:
                    self._members.sleep(True)
                found = self._members.next()
                if found is None:
                    break
                place, call = found
                work = begin if isinstance(call, Beginning) else train
                future = self._under_way[place] = self._host.submit(work, self._host.training, call)
            self._announce()
            future.add_done_callback(lambda done, place=place: self._land(place, done))  # type: ignore[misc]
        self._announce()

    def _land(self, place: int, future: Future[Any]) -> None:
        with self._changed:
            self._under_way.pop(place, None)
            if self._closed:
                return
            self._members.land(place, lambda member: _take(member, future))
        self._announce()
        self._submit_next()

    def _announce(self) -> None:
        """Wake the threads that wait, and the listeners where the status key is another, or at the end."""
        with self._changed:
            self._changed.notify_all()
            key = self._members.status_key
            if not self._closed and key == self._last_key:
                return
            self._last_key = key
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()


def _take(member: Member, future: Future[Any]) -> None:
    """Give a member the result of its call, or why there is none."""
    try:
        member.land(future.result())
    except (BrokenExecutor, CancelledError) as death:
        member.lose(str(death), worker_died=True)
    except Exception as error:
        member.lose(f"{type(error).__name__}: {error}", worker_died=False)
