"""Watched runs side by side, as the racers of a race: a view of their jobs, which takes no commands."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import numpy as np

from dml_viz.data.eval_points import EvaluationSubset
from dml_viz.embedding.neighbour_map import Rows
from dml_viz.engine.history import curve_table
from dml_viz.engine.job_view import JobView
from dml_viz.engine.members import CURVES, JobFrame
from dml_viz.engine.status import RunStatus, common_status
from dml_viz.engine.watched_job import WatchedExperiment, WatchedJob
from dml_viz.training.race import LETTERS
from dml_viz.training.watch.frames import NamedStandIn

ID_SEPARATOR = "~"  # separates the ids of the runs in the id of a race
MIXED = "loops"  # the protocol of a race of runs with a probe and runs without


class WatchedRace(JobView):
    """The race of ``jobs``: its step is the step of the slowest job that trains, and each shows its newest frame up to there.

    Runs with equal points share them; a run without a probe has its own.
    """

    budget = 0  # unknown

    def __init__(self, jobs: Sequence[WatchedJob]) -> None:
        self.jobs = jobs
        self.id = ID_SEPARATOR.join(job.id for job in jobs)
        data: dict[object, str] = {}
        protocols = {job.run.protocol for job in jobs}
        runs = []
        for letter, job in zip(LETTERS, jobs, strict=False):
            subject = job.loop.subject
            points = (subject.y.tobytes(), subject.images.tobytes(), letter if job.run.protocol == "batch" else "")
            title = data.setdefault(points, f"{job.run.dataset.title} of {letter}")
            protocol = job.run.protocol if len(protocols) == 1 else MIXED
            runs.append(replace(job.run, dataset=NamedStandIn(title), protocol=protocol))
        self._experiment = WatchedExperiment(tuple(runs))
        self._steps: list[int] = []
        self._known: tuple[object, ...] = ()
        self._inserted = 0

    @property
    def experiment(self) -> WatchedExperiment:
        """The watched runs."""
        return self._experiment

    @property
    def closed(self) -> bool:
        """Whether one of the jobs is closed."""
        return any(job.closed for job in self.jobs)

    @property
    def subjects(self) -> tuple[EvaluationSubset, ...]:
        """The points of each of the data."""
        return tuple(self.jobs[number].loop.subject for number in self.experiment.first_runs_per_dataset)

    @property
    def device(self) -> str:
        """The device of the first."""
        return self.jobs[0].device

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps at which any job has a frame, up to the step of the race."""
        return tuple(self._refreshed())

    @property
    def latest_step(self) -> int:
        """The step of the race."""
        return self._refreshed()[-1]

    @property
    def frames_version(self) -> int:
        """The number of times that frames were replaced, or came before the last step."""
        self._refreshed()
        return self._inserted + sum(job.frames_version for job in self.jobs)

    @property
    def status_key(self) -> tuple[object, ...]:
        """A key that changes with all that a reader must know at once."""
        return self._inserted, *(job.status_key for job in self.jobs)

    def frames(self, step: int | None = None) -> JobFrame:
        """The newest frame of each job at or before ``step``, by default the step of the race."""
        at = self.latest_step if step is None else step
        each = [job.frames(at) for job in self.jobs]
        members = tuple(frames.members[0] if frames else None for frames in each)
        return JobFrame(at, members, tuple(frames.keys[0] if frames else -1 for frames in each))

    def key_points(self, after: int, before: int) -> tuple[dict[int, Rows], ...]:
        """Of each job the points of its key frames between two steps."""
        return tuple(points for job in self.jobs for points in job.key_points(after, before))

    def rows(self, first: int = 0) -> tuple[tuple[str, ...], np.ndarray]:
        """The names of the curves, and rows of the steps from the ``first``-th on, as `Members.rows`; NaN without a frame."""
        steps = self._refreshed()[first:]
        return CURVES, curve_table(steps, (job.rows_at(steps) for job in self.jobs), CURVES, len(self.jobs))

    def overview(self) -> RunStatus:
        """The status of the race and of each job, with the remarks of all that have one."""
        each = tuple(member for job in self.jobs for member in job.overview().members)
        here, status = self.latest_step, common_status(Counter(member.status for member in each))
        reason = " ".join(f"{letter}: {member.reason}" for letter, member in zip(LETTERS, each, strict=False) if member.reason)
        return RunStatus(status, reason, here, 0, here, (), 0, each)

    def watch(self, *, frame_drawn: bool = True) -> None:
        """Do nothing: this server cannot make the loops go on."""

    @contextmanager
    def listening(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call ``listener`` whenever one of the jobs has news inside the block."""
        with ExitStack() as stack:
            for job in self.jobs:
                stack.enter_context(job.listening(listener))
            yield

    def _refreshed(self) -> list[int]:
        """The steps of all jobs up to the step of the race; counts when they do not continue the steps before."""
        going = [job.latest_step for job in self.jobs if job.status == "running"]
        here = min(going) if going else max(job.latest_step for job in self.jobs)
        known = (here, *(len(job.loop.history) for job in self.jobs))
        if known != self._known:
            before, self._known = self._steps, known
            every = {int(step) for job in self.jobs for step in job.rows()[1][:, 0] if step <= here}
            self._steps = sorted(every) or [here]
            self._inserted += self._steps[: len(before)] != before
        return self._steps
