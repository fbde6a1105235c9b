"""Jobs in the store: written while they train, and brought back by their id, on whichever server is asked."""

import logging
import pickle
import time
from collections.abc import Iterable
from dataclasses import dataclass

from dml_viz.engine.job import Job
from dml_viz.engine.members import Members
from dml_viz.engine.store import Store
from dml_viz.engine.versions import versions
from dml_viz.training.experiment import Experiment

LOG = logging.getLogger(__name__)
EVERY = 3.0  # seconds between two savings of a job that trains: a kill loses no step older than 5 s
SHARE = 0.05  # of the time may go into saving one job, however long that takes


@dataclass(frozen=True)
class Saved:
    """The members of a job as they were saved, paused, and whether they were training."""

    members: Members
    going: bool

    @property
    def step(self) -> int:
        """Steps that all members have trained that can go on."""
        return self.members.overview().step

    def goes_on_as(self, experiment: Experiment) -> bool:
        """Whether the members can go on as ``experiment``, of another learning rate perhaps; then they do."""
        try:
            if self.members.experiment != experiment:
                self.members.change(experiment)
        except ValueError:
            return False
        return True


class Saver:
    """Writes jobs to a ``store``, which only servers of the same `versions` read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._written: dict[str, tuple[object, str, float]] = {}  # by job id: its progress, its status, when it is due

    def save_due(self, jobs: Iterable[Job], *, at_once: bool = False) -> None:
        """Save those that are another than at their last time: each 3 s while they train, ``at_once`` when that changes."""
        written, self._written = self._written, {}
        for job in jobs:
            progress, status, due = self._written[job.id] = written.get(job.id, (None, "", 0.0))
            if job.progress != progress and (at_once or job.status != status or time.monotonic() > due):
                self.save(job)

    def save(self, job: Job) -> None:
        """Save a job as it is now; where the store cannot be written to, the log says so. A visitor's own images go into none."""
        if job.experiment.own_files:
            return
        began, progress, status = time.monotonic(), job.progress, job.status
        saved = Saved(job.copy(), status in ("running", "asleep"))
        try:
            self._store.put(_key(job.id), pickle.dumps(saved, pickle.HIGHEST_PROTOCOL))
        except OSError as error:
            LOG.warning("a job could not be saved: %s", error)
        now = time.monotonic()
        self._written[job.id] = progress, status, now + max(EVERY, (now - began) / SHARE)

    def load(self, job_id: str) -> Saved | None:
        """The job of that id as it was saved last; None where there is none."""
        saved: Saved | None = self._store.load(_key(job_id))
        return saved


def _key(job_id: str) -> str:
    return f"job {job_id} {dict(versions())}"
