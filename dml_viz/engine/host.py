"""The host of jobs, which an engine gives them, and the record of whether a page watches a job."""

from collections.abc import Callable
from dataclasses import dataclass

from dml_viz.engine.fair_queue import FairQueue
from dml_viz.engine.limits import Limits
from dml_viz.engine.slices import Training


@dataclass(frozen=True)
class Host:
    """The queue of calls, the functions that train, the limits, the clock (s), and a sentence on why no worker answers."""

    queue: FairQueue
    training: Training
    limits: Limits
    clock: Callable[[], float]
    trouble: Callable[[], str] = lambda: ""


class Attendance:
    """The time at which a page last looked at a job, and whether its session is gone."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._left: float | None = None
        self.look()

    def look(self) -> None:
        """Note that a page looks now."""
        self._looked, self._left = self._host.clock(), None

    def leave(self) -> None:
        """Note that the session is gone."""
        self._left = self._host.clock()

    @property
    def missing(self) -> bool:
        """Whether no page has looked for so long that the job should sleep."""
        return self._host.clock() - self._looked > self._host.limits.unwatched

    @property
    def left(self) -> bool:
        """Whether the session is gone, and no page has looked since."""
        return self._left is not None

    @property
    def abandoned(self) -> bool:
        """Whether no page has come back for so long that the job may be dropped."""
        now, limits = self._host.clock(), self._host.limits
        left_for = now - self._left if self._left is not None else 0.0
        return left_for > limits.released or now - self._looked > limits.forgotten
