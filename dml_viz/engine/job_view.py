"""Protocols of what pages, the stream and messages read of a job: a job that trains here, a watched loop, or a race of loops."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np

from dml_viz.embedding.neighbour_map import Rows
from dml_viz.engine.members import JobFrame
from dml_viz.engine.message_types import Remarks
from dml_viz.engine.status import RunStatus, Status
from dml_viz.training.experiment import Branch
from dml_viz.training.loop import EvaluationSubset, Frame


class Titled(Protocol):
    """A loss or a data set, of which a picture needs the title."""

    @property
    def title(self) -> str:
        """The title."""


class RunView(Protocol):
    """The declaration of a run as a picture needs it; see `Run` and `WatchedRun`."""

    @property
    def loss(self) -> Titled: ...
    @property
    def dataset(self) -> Titled: ...
    @property
    def dim(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def stride(self) -> int: ...
    @property
    def protocol(self) -> str: ...


class ExperimentView(Protocol):
    """The runs of a job as a picture needs them; see `Experiment`."""

    @property
    def runs(self) -> Sequence[RunView]: ...
    @property
    def titles(self) -> Sequence[str]: ...
    @property
    def seeds(self) -> int: ...
    @property
    def is_single(self) -> bool: ...
    @property
    def first_runs_per_dataset(self) -> tuple[int, ...]: ...
    @property
    def runs_with_frames(self) -> tuple[int, ...]: ...
    def branch(self, run: int) -> Branch | None: ...


class JobView(Protocol):
    """A job for its readers; what a job says of itself but for a few things follows from its overview, points and frames."""

    id: str

    @property
    def closed(self) -> bool: ...
    @property
    def experiment(self) -> ExperimentView: ...
    @property
    def budget(self) -> int: ...
    @property
    def steps(self) -> tuple[int, ...]: ...
    @property
    def frames_version(self) -> int: ...
    @property
    def device(self) -> str: ...
    @property
    def status_key(self) -> tuple[object, ...]: ...
    def key_points(self, after: int, before: int) -> tuple[dict[int, Rows], ...]: ...
    def rows(self, first: int = 0) -> tuple[tuple[str, ...], np.ndarray]: ...
    def watch(self, *, frame_drawn: bool = True) -> None: ...
    def listening(self, listener: Callable[[], None]) -> AbstractContextManager[None]: ...

    def overview(self) -> RunStatus:
        """The status of the job and of each member."""

    @property
    def subjects(self) -> tuple[EvaluationSubset, ...]:
        """The evaluated points, in the order of `Experiment.first_runs_per_dataset`; empty until a member on each has begun."""

    def frames(self, step: int | None = None) -> JobFrame | None:
        """The frames of the drawn members at the step nearest to ``step``, at or before it; at the newest for None."""

    @property
    def status(self) -> Status:
        """The status: "running", "paused" by a visitor, "asleep" because no page watches, "done" at the budget, or "failed".

        It is "stopped" by a number that is not finite. A job whose members have ended, some of which failed, is "incomplete".
        """
        return self.overview().status

    @property
    def reason(self) -> str:
        """The reason why the job does not train, if no visitor stopped it."""
        return self.overview().reason

    @property
    def step(self) -> int:
        """The steps that all members have trained, without failed ones."""
        return self.overview().step

    @property
    def latest_step(self) -> int:
        """The newest step that can be drawn of all members; -1 before the first."""
        return self.overview().latest

    @property
    def subject(self) -> EvaluationSubset | None:
        """The evaluated points of the first member; None while `subjects` is empty."""
        return next(iter(self.subjects), None)

    @property
    def remarks(self) -> tuple[Remarks, dict[str, np.ndarray]]:
        """Further fields and arrays of each message; a job that trains here, and a race, have none."""
        return {}, {}

    def at(self, step: int | None = None) -> Frame | None:
        """The frame of the first member nearest to ``step``, at or before it; the newest for None."""
        frames = self.frames(step)
        return frames.members[0] if frames else None
