"""Runs that are trained elsewhere and watched here: each is a job like any other to its readers, but takes no commands.

A run belongs to a ``viewer``, a hash of the token that its loop sends: whoever has the hash may see the run, but cannot compute
the token. These runs are separate from those of visitors.
"""

import hashlib
import pickle
import time
from collections import OrderedDict
from dataclasses import replace
from threading import Lock

from dml_viz.engine.limits import Limits
from dml_viz.engine.store import Store
from dml_viz.engine.versions import versions
from dml_viz.engine.watched_job import WatchedJob, WatchedLoop
from dml_viz.training.watch.frames import Received
from dml_viz.training.watch.steps import Losses

MOST_RUNS, MOST_BYTES = 6, 64_000_000  # of a viewer; of the frames of a run
SAVED_EVERY = 5.0  # seconds
LETTERS = 22


def viewer_of(token: str) -> str:
    """The key of the runs of loops that send ``token``."""
    return _digest(f"viewer {token}")


class WatchedRuns:
    """The watched runs of a server, by viewer: at most `MOST_RUNS` of each; beyond that the oldest is dropped."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store, self._limits = store, replace(limits, history=MOST_BYTES)
        self._runs: dict[str, OrderedDict[str, WatchedJob]] = {}
        self._saved: dict[str, tuple[object, float]] = {}  # by job id: the status key, and when
        self._lock = Lock()

    def receive(self, viewer: str, run: str, new: Received | Losses) -> bool:
        """Add a frame to the viewer's ``run``, which begins with one, or values to a known run; whether the run is known."""
        job_id = _job_id(viewer, run)
        with self._lock:
            runs = self._of(viewer)
            if job_id not in runs:
                if isinstance(new, Losses):
                    return False
                self._runs[viewer] = runs
                runs[job_id] = WatchedJob(job_id, WatchedLoop(new, self._limits))
                self._store.put(_key(f"viewer {viewer}"), pickle.dumps(list(runs)[-MOST_RUNS:]))
            dropped = [runs.popitem(last=False)[1] for _ in range(len(runs) - MOST_RUNS)]
            job = runs[job_id]
        for oldest in dropped:
            oldest.close()
            self._saved.pop(oldest.id, None)
        job.add(new)
        return True

    def job(self, viewer: str, run: str) -> WatchedJob | None:
        """The job of the viewer's ``run``."""
        with self._lock:
            return self._of(viewer).get(_job_id(viewer, run))

    def of(self, viewer: str) -> tuple[WatchedJob, ...]:
        """The viewer's jobs, the newest last."""
        with self._lock:
            return tuple(self._of(viewer).values()) if viewer else ()

    def get(self, job_id: str) -> WatchedJob | None:
        """The job of that id, which cannot be guessed."""
        with self._lock:
            return next((runs[job_id] for runs in self._runs.values() if job_id in runs), None)

    def save(self, *, at_once: bool = False) -> None:
        """Save changed runs, each at most every 5 seconds, or all ``at_once``."""
        with self._lock:
            jobs = [job for runs in self._runs.values() for job in runs.values()]
        now = time.monotonic()
        for job in jobs:
            key, (saved, when) = job.status_key, self._saved.get(job.id, (None, 0.0))
            if key == saved or (now - when < SAVED_EVERY and not at_once):
                continue
            self._saved[job.id] = key, now
            self._store.put(_key(f"run {job.id}"), job.packed())

    def _of(self, viewer: str) -> OrderedDict[str, WatchedJob]:
        """The viewer's runs, also runs from before a restart; a viewer without runs is not stored."""
        if viewer not in self._runs:
            restored: OrderedDict[str, WatchedJob] = OrderedDict()
            for job_id in (self._store.load(_key(f"viewer {viewer}"), list) or ()) if self._store.lasting else ():
                if loop := self._store.load(_key(f"run {job_id}"), WatchedLoop):
                    restored[job_id] = WatchedJob(job_id, loop)
            if not restored:
                return restored
            self._runs[viewer] = restored
        return self._runs[viewer]


def _job_id(viewer: str, run: str) -> str:
    return _digest(f"{viewer} {run}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:LETTERS]


def _key(what: str) -> str:
    return f"watched {what} {dict(versions())}"
