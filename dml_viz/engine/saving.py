"""Jobs in the store: saved while they train, and restored by their id, by any server with the same store."""

import pickle
import time
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from dml_viz.engine.job import Job
from dml_viz.engine.members import Members
from dml_viz.engine.status import GOING
from dml_viz.engine.store import Store
from dml_viz.engine.versions import versions
from dml_viz.training.experiment import Experiment

EVERY = 3.0  # seconds between two savings of a job that trains, so that a kill loses no step older than 5 s
SHARE = 0.05  # largest share of the time that saving one job may take
MEMORY = 100_000_000  # bytes of the jobs that are saved without a store that lasts


@dataclass(frozen=True)
class Saved:
    """The members of a job as they were saved, paused, and whether they were training."""

    members: Members
    going: bool

    @property
    def step(self) -> int:
        """The steps that all members have trained, without failed ones."""
        return self.members.overview().step

    def change_to(self, experiment: Experiment) -> bool:
        """Change the members to ``experiment``, perhaps with another learning rate; return whether that is possible."""
        try:
            if self.members.experiment != experiment:
                self.members.change(experiment)
        except ValueError:
            return False
        return True


class Saver:
    """Writes jobs to a ``store``, which only servers of the same `versions` read.

    In memory, jobs have a store of their own: in ``store`` they would take the place of the results of sweeps.
    """

    def __init__(self, store: Store) -> None:
        self._store = store if store.lasting else Store(MEMORY)
        self._written: dict[str, tuple[object, str, float]] = {}  # by job id: progress, status, time of the next saving
        self._replaced: dict[tuple[str, str], str] = {}  # by owner and slot: the id of the job that was replaced last
        self._lock = Lock()

    def save_due(self, jobs: Iterable[Job], *, at_once: bool = False) -> None:
        """Save the jobs that have changed: every 3 s while they train, at once when their status changes or with ``at_once``."""
        written, self._written = self._written, {}
        for job in jobs:
            progress, status, due = self._written[job.id] = written.get(job.id, (None, "", 0.0))
            if job.progress != progress and (at_once or job.status != status or time.monotonic() > due):
                began, progress, status = time.monotonic(), job.progress, job.status
                self.save(job)
                now = time.monotonic()
                self._written[job.id] = progress, status, now + max(EVERY, (now - began) / SHARE)

    def save(self, job: Job) -> None:
        """Save a job as it is now. Jobs on a visitor's own images are never saved."""
        if job.experiment.image_file_fingerprints:
            return
        going = job.status in GOING
        self._store.put(_key(job.id), pickle.dumps(Saved(job.copy(), going), pickle.HIGHEST_PROTOCOL))

    def save_replaced(self, job: Job) -> None:
        """Save a job that another takes the place of, and forget the one that its owner had in this slot before."""
        key = job.owner, job.slot
        with self._lock:
            before, self._replaced[key] = self._replaced.get(key), job.id
        self._forget([before] if before else [])
        self.save(job)

    def forget_replaced(self, owner: str) -> None:
        """Forget the owner's jobs that `save_replaced` saved last."""
        with self._lock:
            ids = [self._replaced.pop(key) for key in tuple(self._replaced) if key[0] == owner]
        self._forget(ids)

    # A store that lasts keeps all jobs, and drops its oldest values by itself.
    def _forget(self, ids: Iterable[str]) -> None:
        if not self._store.lasting:
            for job_id in ids:
                self._store.drop(_key(job_id))

    def load(self, job_id: str) -> Saved | None:
        """The job of that id as it was saved last; None without one."""
        return self._store.load(_key(job_id), Saved)


def _key(job_id: str) -> str:
    return f"job {job_id} {dict(versions())}"
