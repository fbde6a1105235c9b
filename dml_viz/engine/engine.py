"""The jobs of a server: one in each slot per owner, a limited number in all, closed when their visitors stay away."""

import secrets
import time
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from threading import Event, Lock, Thread
from typing import Any

from dml_viz.data import own_images
from dml_viz.data.datasets.own import shelf
from dml_viz.engine.fair_queue import FairQueue
from dml_viz.engine.job import Host, Job
from dml_viz.engine.job_view import JobView
from dml_viz.engine.limits import Limits, Visitor, refusal
from dml_viz.engine.member import Member
from dml_viz.engine.members import Members, members_of
from dml_viz.engine.process import WorkerDied
from dml_viz.engine.saving import Saved, Saver
from dml_viz.engine.slices import Training
from dml_viz.engine.store import Store
from dml_viz.engine.watched import MOST_RUNS, WatchedRuns
from dml_viz.engine.watched_race import ID_SEPARATOR, WatchedRace
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Run

LOOK_SECONDS, LOOKS_A_SWEEP = 1.0, 10


class TooManyRunsError(RuntimeError):
    """The server, or the visitor, has as many live runs as allowed."""


class Engine:
    """Jobs, trained by the workers of an executor; safe to use from any thread.

    ``executor_factory`` makes the executor, and another one if that breaks: any class with the standard library's ``submit``, so
    that a cluster can replace the local `WorkerPool`. The executor may have ``workers``, their number (else 1), ``trouble``, a
    sentence on why calls wait, and ``kill``, which ends the worker that makes the call of a future.
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
        self.watched = WatchedRuns(self.store, self.limits)
        self._executor_factory = executor_factory
        self._executor = executor_factory()
        self._renewal = Lock()
        self._queue = FairQueue(self._submit, lambda: self.workers, clock, own_images.with_missing_images)
        self._host = Host(self._queue, training, self.limits, clock, self._trouble)
        self._devices = self.submit(training.devices)
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self._closing = Event()
        self._sweeper = Thread(target=self._keep_sweeping, name="engine sweeper", daemon=True)
        self._sweeper.start()

    def create(
        self,
        plan: Run | Experiment | Job | Saved,
        owner: str,
        *,
        slot: str = "run",
        first: Job | None = None,
        visitor: Visitor | None = None,
        ended: Callable[[Member], None] = lambda _: None,
        keep_earlier: bool = False,
    ) -> Job:
        """A new job, whose id cannot be guessed, paused at its start.

        Given another job, or a saved one, the new job is a copy at the same step; the visitor's own job is closed if its session
        is gone, as at a reload. The owner's earlier job of the same ``slot`` is closed, and if ``keep_earlier`` saved for the
        browser's Back, until the next one is. Given a job as ``first``, the first member begins as a copy of its first one: this
        forks a run. ``ended`` is called with each member that has ended. The owner is one of the tabs of ``visitor``.
        `TooManyRunsError`, in words for the visitor, if there is no room; `MissingImagesError` if the owner has not brought the
        images to train on.
        """
        visitor = visitor or Visitor(owner)
        experiment = Experiment.of(plan) if isinstance(plan, Run) else plan
        self.sweep()
        declared = experiment.members if isinstance(experiment, Saved) else experiment
        for file in (declared if isinstance(declared, Experiment) else declared.experiment).image_file_fingerprints:
            shelf().check_access(file, owner)
        with self._lock:
            earlier = tuple(job for job in self._jobs.values() if job.owner == owner and job.slot == slot)
            if isinstance(experiment, Job):
                members = experiment.copy()
                if experiment.left and experiment.visitor == visitor:
                    earlier = (*earlier, experiment)
            elif isinstance(experiment, Saved):
                members = experiment.members
            else:
                origin = first.copy().first if first else None
                members = Members(experiment, members_of(experiment, self.limits, origin))
            displaced = self._make_room(visitor, len(members.experiment.runs), earlier)
            job = Job(secrets.token_urlsafe(16), owner, slot, visitor, members, self._host, ended)
            self._jobs[job.id] = job
        self._drop((*earlier, *displaced))
        # A displaced job can be restored later. A restored job has a new id, under which it is saved in case the server ends.
        for unsaved in (*displaced, *([job] if isinstance(experiment, Saved) and self.store.lasting else ())):
            self._saver.save(unsaved)
        for each in earlier:
            if keep_earlier and each is not experiment and each.overview().step > 0:
                self._saver.save_replaced(each)
        return job

    def devices(self) -> tuple[str, ...]:
        """The devices of the workers, best first; waits until a worker is warm. The server itself uses no device."""
        if self._devices.done() and self._devices.exception():
            self._devices = self.submit(self._host.training.devices)
        return self._devices.result()

    def get(self, job_id: str) -> Job | None:
        """The job of that id, if it is live."""
        with self._lock:
            return self._jobs.get(job_id)

    def job_view(self, job_id: str) -> JobView | None:
        """The job of that id, or the watched run, or the race of watched runs; None without any."""
        if ID_SEPARATOR not in job_id:
            return self.get(job_id) or self.watched.get(job_id)
        runs = [run for loop_id in job_id.split(ID_SEPARATOR)[:MOST_RUNS] if (run := self.watched.get(loop_id))]
        return WatchedRace(runs) if len(runs) > 1 else None

    def saved(self, job_id: str) -> Saved | None:
        """The job of that id as a server saved it last; None if none did."""
        return self._saver.load(job_id)

    def leave(self, owner: str) -> None:
        """Put the owner's jobs to sleep, because the session or its network is gone; they are kept a while for its return.

        Jobs on the visitor's own images are closed.
        """
        self.delete_images_of(owner)
        for job in self._of(owner):
            job.leave()
        self._saver.forget_replaced(owner)

    def delete_images_of(self, owner: str) -> None:
        """Delete the images that the owner has brought, and close the jobs on them; other jobs go on."""
        self._drop(job for job in self._of(owner) if job.experiment.image_file_fingerprints)
        own_images.release_images(owner)

    def close_jobs_of(self, owner: str) -> None:
        """Close the owner's jobs."""
        self._drop(self._of(owner))

    def sweep(self) -> None:
        """Close the jobs whose visitors stayed away too long, and save them for a later visit."""
        abandoned = tuple(job for job in self._all() if job.abandoned)
        self._drop(abandoned)
        for job in abandoned:
            self._saver.save(job)

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """The future result of a call by a worker, in its turn, like a call of one more visitor."""
        call = self._queue.submit(("",), fn, *args)
        self._queue.dispatch()
        return call

    def replace_hung(self, after: float) -> None:
        """Give up calls that take more than ``after`` seconds, and replace their workers; jobs make the calls again.

        If the executor is in trouble no worker is at fault, and calls wait until that is over.
        """
        if self._trouble():
            self._queue.restart_deadlines()
            return
        error = WorkerDied(f"a worker gave no answer for {after:g} seconds and was replaced")
        for future in self._queue.fail_late_calls(after, error):
            if kill := getattr(self._executor, "kill", None):
                kill(future)

    def close(self) -> None:
        """Close every job and end the workers."""
        self._closing.set()
        self._sweeper.join()
        if self.store.lasting:
            self._saver.save_due(self._all(), at_once=True)
            self.watched.save(at_once=True)
        self._drop(self._all())
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _all(self) -> tuple[Job, ...]:
        with self._lock:
            return tuple(self._jobs.values())

    @property
    def workers(self) -> int:
        """The number of workers; 1 if the executor does not say."""
        return max(1, int(getattr(self._executor, "workers", 1)))

    def _of(self, owner: str) -> tuple[Job, ...]:
        return tuple(job for job in self._all() if job.owner == owner)

    def _drop(self, jobs: Iterable[Job]) -> None:
        jobs = tuple(jobs)
        with self._lock:
            for job in jobs:
                self._jobs.pop(job.id, None)
        for job in jobs:
            job.close()

    def _make_room(self, visitor: Visitor, runs: int, earlier: tuple[Job, ...]) -> tuple[Job, ...]:
        """The jobs of gone sessions, not ``earlier``, that are closed for ``runs`` more; `TooManyRunsError` without room."""
        jobs = [job for job in self._jobs.values() if job not in earlier]
        left = sorted((job for job in jobs if job.left), key=lambda job: job.visitor == visitor)
        closed: tuple[Job, ...] = ()
        while full := refusal(self.limits, visitor, runs, [(job.visitor, len(job.experiment.runs)) for job in jobs]):
            if not left:
                raise TooManyRunsError(full)
            closed += (left.pop(),)
            jobs.remove(closed[-1])
        return closed

    def _trouble(self) -> str:
        return str(getattr(self._executor, "trouble", ""))

    def _submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Give a call to the executor, or to a new one if it is broken."""
        with self._renewal:
            try:
                return self._executor.submit(fn, *args)
            except BrokenExecutor:
                self._executor.shutdown(wait=False)
                self._executor = self._executor_factory()
                return self._executor.submit(fn, *args)

    def _keep_sweeping(self) -> None:
        looks = 0
        while not self._closing.wait(LOOK_SECONDS):
            looks += 1
            if self.store.lasting:
                self._saver.save_due(self._all())
                self.watched.save()
            if looks % LOOKS_A_SWEEP == 0:
                self.sweep()
            self.replace_hung(self.limits.deadline)
