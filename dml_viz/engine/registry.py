"""The jobs of a server: one of each kind per owner, a limited number in all, forgotten when nobody comes back."""

import secrets
import time
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from threading import Event, Lock, Thread
from typing import Any

from dml_viz.engine.host import Host
from dml_viz.engine.job import Job
from dml_viz.engine.limits import Limits
from dml_viz.engine.member import Member
from dml_viz.engine.members import Members, members_of
from dml_viz.engine.saving import Saved, Saver
from dml_viz.engine.slices import Training, packed
from dml_viz.engine.store import Store
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Run, State

LOOK_SECONDS, LOOKS_A_SWEEP = 1.0, 10


class TooManyRunsError(RuntimeError):
    """As many runs are live as this server keeps."""


class Engine:
    """Jobs, trained by the workers of an executor; safe to use from any thread.

    ``executor_factory`` makes the executor, and makes another where one is broken: any class with the standard
    library's ``submit`` will do, so that a cluster's executor takes the place of the local `WorkerPool`.
    """

    def __init__(
        self,
        training: Training,
        executor_factory: Callable[[], Executor],
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        store: Store | None = None,
    ) -> None:
        self.store = store or Store()
        self._saver = Saver(self.store)
        self.limits = limits or Limits()
        self._executor_factory = executor_factory
        self._executor = executor_factory()
        self._renewal = Lock()
        self._host = Host(self.submit, training, self.limits, clock, self._idle)
        self._devices = self.submit(training.devices)
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self._closing = Event()
        self._sweeper = Thread(target=self._keep_sweeping, name="engine sweeper", daemon=True)
        self._sweeper.start()

    def create(
        self,
        wanted: Run | Experiment | Job | Saved,
        owner: str,
        state: State | None = None,
        *,
        slot: str = "run",
        first: Job | None = None,
        ended: Callable[[Member], None] = lambda _: None,
    ) -> Job:
        """A new job, whose id cannot be guessed, paused at its start: step 0, or ``state``.

        Of another job, or a saved one, it is a copy where that one is; nobody steers the job of another owner. One that its
        session has left, as at a reload, is closed then, as is the owner's earlier job of the same ``slot``. Where a job is
        given as ``first``, the first member begins as a copy of its first one: so a run is forked. ``ended`` is called with
        each member that comes to its end. `TooManyRunsError` where the server keeps no more.
        """
        experiment = Experiment.of(wanted) if isinstance(wanted, Run) else wanted
        self.sweep()
        with self._lock:
            earlier = tuple(job for job in self._jobs.values() if job.owner == owner and job.slot == slot)
            if isinstance(experiment, Job) and experiment.left:
                earlier = (*earlier, experiment)
            if not earlier and len(self._jobs) >= self.limits.runs:
                raise TooManyRunsError(
                    f"{self.limits.runs} runs are live, as many as this server keeps (runs in dml_viz/engine/limits.py); "
                    "close a tab that trains, or come back later"
                )
            if isinstance(experiment, Job):
                members = experiment.copy()
            elif isinstance(experiment, Saved):
                members = experiment.members
            else:
                origin = first.copy().first if first else None
                resumed = packed(state) if state else None
                members = Members(experiment, members_of(experiment, self.limits, resumed, origin))
            job = Job(secrets.token_urlsafe(16), owner, slot, members, self._host, ended)
            self._jobs[job.id] = job
        self._drop(earlier)
        if isinstance(experiment, Saved):
            self._saver.save(job)  # under its own id, should this server end at once
        return job

    def devices(self) -> tuple[str, ...]:
        """The devices of the workers, best first; waits until one of them is warm. The server itself touches none."""
        if self._devices.done() and self._devices.exception():
            self._devices = self.submit(self._host.training.devices)
        return self._devices.result()

    def get(self, job_id: str) -> Job | None:
        """The job of that id, if it is live."""
        with self._lock:
            return self._jobs.get(job_id)

    def saved(self, job_id: str) -> Saved | None:
        """The job of that id as a server saved it last, if one did."""
        return self._saver.load(job_id)

    def leave(self, owner: str) -> None:
        """Let the owner's jobs sleep, since the session is gone, or its network is; they are kept a while for its return."""
        for job in self._of(owner):
            job.leave()

    def release(self, owner: str) -> None:
        """Close the owner's jobs, and free what they hold."""
        self._drop(self._of(owner))

    def sweep(self) -> None:
        """Close the jobs that nobody came back to in time; should somebody come later, they are saved."""
        abandoned = tuple(job for job in self._all() if job.abandoned)
        self._drop(abandoned)
        for job in abandoned:
            self._saver.save(job)

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """The future result of a call made by a worker, behind the slices that wait already."""
        with self._renewal:
            try:
                return self._executor.submit(fn, *args)
            except BrokenExecutor:
                self._executor.shutdown(wait=False)
                self._executor = self._executor_factory()
                return self._executor.submit(fn, *args)

    def close(self) -> None:
        """Close every job and end the workers."""
        self._closing.set()
        self._sweeper.join()
        if self.store.lasting:
            self._saver.save_due(self._all(), at_once=True)
        self._drop(self._all())
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _all(self) -> tuple[Job, ...]:
        with self._lock:
            return tuple(self._jobs.values())

    def _of(self, owner: str) -> tuple[Job, ...]:
        return tuple(job for job in self._all() if job.owner == owner)

    def _drop(self, jobs: Iterable[Job]) -> None:
        jobs = tuple(jobs)
        with self._lock:
            for job in jobs:
                self._jobs.pop(job.id, None)
        for job in jobs:
            job.close()

    def _idle(self) -> int:
        """How many workers have nothing to do, as far as the executor says; one that does not say has none to spare."""
        return int(getattr(self._executor, "idle", 0))

    def _keep_sweeping(self) -> None:
        looks = 0
        while not self._closing.wait(LOOK_SECONDS):
            looks += 1
            if self.store.lasting:
                self._saver.save_due(self._all())
            if looks % LOOKS_A_SWEEP == 0:
                self.sweep()
