"""All members of a job: which one is trained next, which steps all have shown, and their common status. No threads, no clock."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dml_viz.embedding.neighbour_map import Rows
from dml_viz.engine.changes import check_change
from dml_viz.engine.history import curve_table
from dml_viz.engine.limits import Limits
from dml_viz.engine.member import Member
from dml_viz.engine.progress import Role
from dml_viz.engine.scheduler import Scheduler, SharedSteps
from dml_viz.engine.slices import Beginning, Begun, Slice
from dml_viz.engine.status import EARLY, ENDED, MemberStatus, RunStatus, Status, common_status
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Frame, Run

METRICS = ("map.unseen", "map.seen", "r1.unseen", "r1.seen", "mapr.unseen", "mapr.seen", "active")
CURVES = (*METRICS, "grad")  # of each run in a job of several
CURVES_ONLY_BYTES = 1  # byte of history: a run then keeps only its curve rows, the first and the last frame
StatusKey = tuple[object, ...]


@dataclass(frozen=True, eq=False)
class JobFrame:
    """A step that all drawn members have shown, with the frame of each; None for a member that has not branched off yet.

    ``keys`` are the steps of the key frames before; see `History.key_before`.
    """

    step: int
    members: tuple[Frame | None, ...]
    keys: tuple[int, ...] = ()


class Members:
    """The members of ``experiment``, one for each run.

    A result takes the same time with many members as with few, because only what it changes is counted anew.
    """

    def __init__(self, experiment: Experiment, each: Sequence[Member]) -> None:
        self.experiment, self._each = experiment, each
        self.frames_version = self._revision = 0
        self._children: dict[int, list[int]] = {}
        for number, branch in enumerate(experiment.branches):
            if branch:
                self._children.setdefault(branch.of, []).append(number)
        self._scheduler = Scheduler(self._each, experiment.order)
        self._refresh()

    def copy(self) -> "Members":
        """A copy of the members at their present steps, paused, with all frames."""
        return Members(self.experiment, [member.copy() for member in self._each])

    @property
    def first(self) -> Member:
        """The first member."""
        return self._each[0]

    @property
    def begun_per_dataset(self) -> tuple[Begun, ...]:
        """The start of a member on each data set, in the order of `Experiment.first_runs_per_dataset`; empty until all began."""
        starts = {(each.run.dataset, each.run.protocol): each.begun for each in reversed(self._each) if each.begun}
        watched = [self.experiment.runs[number] for number in self.experiment.first_runs_per_dataset]
        return tuple(starts[run.dataset, run.protocol] for run in watched) if len(starts) == len(watched) else ()

    @property
    def status(self) -> Status:
        """The status of all members together, as in `RunStatus`."""
        return common_status(self._count)

    @property
    def asleep(self) -> bool:
        """Whether any member is asleep."""
        return any(member.asleep for member in self._each)

    @property
    def steps_trained(self) -> int:
        """The steps of all members together."""
        return sum(member.step for member in self._each)

    @property
    def wants_watching(self) -> bool:
        """Whether any member that is awake trains continuously."""
        return any(member.wants_watching and not member.asleep for member in self._each)

    @property
    def status_key(self) -> StatusKey:
        """A key that changes with all that a reader must know at once, but not with steps between two frames."""
        return self._revision, self.shared.latest, self.frames_version, self.first.changes, self.experiment.budget

    def overview(self) -> RunStatus:
        """The status of all together and of each."""
        each = tuple(MemberStatus(member.status, member.reason, member.step, member.seconds) for member in self._each)
        reason = next((member.reason for member in each if member.status == self.status), "") or self._losses(each)
        step = min([member.step for member in each if member.status not in EARLY] or [member.step for member in each])
        budget, first = self.experiment.budget, self.first
        return RunStatus(self.status, reason, step, budget, self.shared.latest, first.changes, first.plane, each)

    def _losses(self, each: Sequence[MemberStatus]) -> str:
        """A sentence on how many runs failed, how many stopped, and why the first of each did; empty without any."""
        parts = []
        for status, words in (("failed", "failed"), ("stopped", "stopped before the end")):
            places = [number for number, member in enumerate(each) if member.status == status]
            if places:
                racer, seed = divmod(places[0], self.experiment.seeds)
                which = f"{self.experiment.titles[racer]}, seed {seed + 1} of {self.experiment.seeds}"
                parts.append(f"{len(places)} of {len(each)} runs {words}; {which}: {each[places[0]].reason}")
        return " ".join(parts)

    def frames(self, step: int | None = None) -> JobFrame | None:
        """The frames of the drawn members at the step nearest to ``step``, at or before it; at the newest for None."""
        nearest = self.shared.latest if step is None else self.shared.nearest(step)
        if nearest < 0:
            return None
        histories = [self._each[number].history for number in self.experiment.runs_with_frames]
        frames = tuple(history.at(nearest) for history in histories)
        pairs = zip(frames, histories, strict=True)
        return JobFrame(nearest, frames, tuple(history.key_before(frame.step if frame else 0) for frame, history in pairs))

    def key_points(self, after: int, before: int) -> tuple[dict[int, Rows], ...]:
        """Of each drawn member the points of its key frames between two steps; see `History.key_points`."""
        return tuple(self._each[number].history.key_points(after, before) for number in self.experiment.runs_with_frames)

    def rows(self, first: int = 0) -> tuple[tuple[str, ...], np.ndarray]:
        """The names of the curves, and the rows of the steps that all have shown, from the ``first``-th on: step, then values.

        Rows are float32 (m, 1 + members * names), member by member; NaN for a member that stopped before. A single run has all
        its curves, several have `CURVES`.
        """
        names = self.first.history.columns if self.experiment.is_single else CURVES
        steps, histories = self.shared.steps[first:], [member.history for member in self._each]
        curves = ((history.columns, history.rows_at(steps)) for history in histories)
        return names, curve_table(steps, curves, names, len(histories))

    def command(self, order: Callable[[Member], None]) -> None:
        """Call ``order`` with each member."""
        for member in self._each:
            order(member)
        self._refresh()

    def reset(self) -> None:
        """Go back to the same start, paused, with empty histories."""
        self.frames_version += 1
        self.command(Member.reset)

    def fit_plane(self, step: int) -> None:
        """Draw a single run in the plane of its frame at ``step``; each step in its own for 0."""
        self.frames_version += 1
        self.command(lambda member: member.fit_plane(step))

    def allow_next_frame(self) -> bool:
        """Let the members go on that waited until a frame was drawn; return whether there are any."""
        waiting = [member for member in self._each if member.allow_next_frame()]
        if waiting:
            self._scheduler.refill()
        return bool(waiting)

    def sleep(self, asleep: bool) -> None:
        """Fall asleep, or wake up."""
        for member in self._each:
            member.asleep = asleep
        self._refresh()

    def change(self, experiment: Experiment) -> None:
        """Go on as ``experiment``; ValueError names a part that cannot change: with several members, all but the budget."""
        if replace(experiment, runs=self.experiment.runs) != self.experiment:
            raise ValueError("members cannot join or leave a job, nor be called otherwise; start a new one")
        for member, run in zip(self._each, experiment.runs, strict=True):
            check_change(member.run, run)
            if not experiment.is_single and replace(member.run, steps=run.steps) != run:
                raise ValueError("of several members only the budget can change; start a new job")
        self.experiment = experiment
        runs = iter(experiment.runs)
        self.command(lambda member: member.change(next(runs)))

    def next(self) -> tuple[int, Beginning | Slice] | None:
        """The number of the member that is trained next, and its call, which is then under way; None if none wants a call."""
        return self._scheduler.next()

    def land(self, number: int, receive: Callable[[Member], None]) -> Member | None:
        """Let ``receive`` give member ``number`` the result of its call, update the counts, and return it if it ended by that."""
        member, before = self._each[number], self._known[number][0]
        receive(member)
        self._update(number)
        return member if member.status in ENDED and before not in ENDED else None

    def _update(self, number: int) -> None:
        member = self._each[number]
        before, now = self._known[number], (member.status, member.reason, member.waits)
        if now != before:
            self._count[before[0]] -= 1
            self._count[now[0]] += 1
            self._known[number] = now
            self._revision += 1
        if (before[0] in EARLY, before[2]) != (now[0] in EARLY, now[2]):
            self._share()
        else:
            self.shared.update(member.history)
        if not member.under_way:
            self._scheduler.add_member(number)
        for child in self._children.get(number, ()):
            if self._each[child].begin_at_branch(member):
                self._update(child)

    def _refresh(self) -> None:
        """Count the states of all members anew."""
        for number, children in self._children.items():
            for child in children:
                self._each[child].begin_at_branch(self._each[number])
        self._known = [(member.status, member.reason, member.waits) for member in self._each]
        self._count = Counter(status for status, _, _ in self._known)
        self._revision += 1
        self._scheduler.refill()
        self._share()

    def _share(self) -> None:
        begun = [number for number, (_, _, waits) in enumerate(self._known) if not waits]
        going = [number for number in begun if self._known[number][0] not in EARLY] or begun
        with_frames = sorted(set(self.experiment.runs_with_frames).intersection(going))
        histories = [member.history for member in self._each]
        self.shared = SharedSteps([histories[number] for number in going], [histories[number] for number in with_frames])


def members_of(experiment: Experiment, limits: Limits, origin: Member | None = None) -> list[Member]:
    """Members that share ``limits``, each at its start.

    The first member begins as a copy of ``origin``, and again at every reset. If no members are drawn, each has the seconds of a
    whole run.
    """
    runs, with_frames = experiment.runs, set(experiment.runs_with_frames)
    seconds = limits.seconds / len(runs) if with_frames else limits.seconds
    share = replace(limits, seconds=seconds, history=max(1, limits.history // max(1, len(with_frames))))
    curves = replace(share, history=CURVES_ONLY_BYTES)
    marks: dict[int, list[int]] = {}
    for branch in filter(None, experiment.branches):
        marks.setdefault(branch.of, []).append(branch.step)

    def member(number: int, run: Run) -> Member:
        branch = experiment.branch(number)
        alone, bare = experiment.is_single and bool(with_frames), not with_frames
        role = Role(alone, branch.step if branch else 0, marks.get(number, ()), None if number else origin, bare)
        return Member(run, share if number in with_frames else curves, role)

    return [member(number, run) for number, run in enumerate(runs)]
