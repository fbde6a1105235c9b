"""Runs that are trained elsewhere and watched here: each is a job like any other to its readers, but takes no commands.

A run belongs to a ``viewer``, a hash of the token that its loop sends: whoever has the hash may see the run, but cannot compute
the token. These runs are separate from those of visitors.
"""

import hashlib
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, TypeAlias, cast

import numpy as np

from dml_viz.engine.job import Job
from dml_viz.engine.job_state import JobState
from dml_viz.engine.limits import Limits
from dml_viz.engine.member import Member
from dml_viz.engine.members import Members, StatusKey
from dml_viz.engine.slices import Begun
from dml_viz.engine.status import Status
from dml_viz.engine.store import Store
from dml_viz.engine.versions import versions
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Run
from dml_viz.training.watch.frames import Received
from dml_viz.training.watch.loss_curve import Losses
from dml_viz.training.watch.pace import LONG
from dml_viz.training.watch.verdict import Verdict

MOST_RUNS, MOST_BYTES = 6, 64_000_000  # of a viewer; of the frames of a run
QUIET = 15.0  # seconds that a frame may be late before its loop counts as paused
REFITTED = 4  # the plane is fitted again at so many frames, at the square of that, and so on
SAVED, SAVED_EVERY = 8_000_000, 5.0  # bytes of the frames of a run, seconds
LETTERS = 22


def viewer_of(token: str) -> str:
    """The key of the runs of loops that send ``token``."""
    return _digest(f"viewer {token}")


class WatchedMember(Member):
    """The member of a watched run: it takes received frames, and needs no worker."""

    def __init__(self, first: Received, limits: Limits) -> None:
        super().__init__(cast(Run, first.run), limits)  # drawn as a run is, and never trained
        self.begun = Begun(self.run, b"", first.frame, first.subset, first.device)
        self.plane = first.frame.step
        self.newest_at, self.ended, self.frames = -QUIET, False, 0
        self.facts: Mapping[str, float] = {}
        self.batch: Mapping[str, Any] = {}
        self.verdict = Verdict(probe=first.run.protocol == "probe")

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "history": self.history.thinned(SAVED), "newest_at": -np.inf}

    @property
    def status(self) -> Status:
        if self.ended:
            return "done"
        return "running" if time.monotonic() - self.newest_at < self._quiet else "paused"

    @property
    def _quiet(self) -> float:
        return QUIET + self.facts.get("wait", 0)

    @property
    def reason(self) -> str:
        if self.status == "paused":
            unknown = f"What it did after step {max(self.step, self.verdict.curve.last):,} is not known."
            return f"Nothing has come for {self._quiet:.0f} seconds: the loop is busy elsewhere, or gone. {unknown}"
        apart, due, delivered = (round(self.facts.get(name, 0)) for name in ("apart", "due", "delivered"))
        often, left_out = "", due - delivered - 1
        if (wait := self.facts.get("wait", 0)) > LONG and not self.ended:
            often = f"The next frame comes about {wait:.0f} seconds after this one, so that the loop is not slowed."
        elif apart > self.run.stride:
            often = f"A frame every {apart:,} steps, not every {self.run.stride:,}, so that the loop is not slowed."
        return f"{often} {left_out:,} of {due:,} frames were left out." if left_out > 0 else often

    def next(self) -> None:
        """Return no call."""
        return

    def take(self, new: Received | Losses) -> None:
        """Add a received frame with its facts and its batch, or values of the loss alone."""
        self.newest_at, self.ended = time.monotonic(), False
        if isinstance(new, Losses):
            self.verdict.hear(new)
            return
        self.verdict.hear(new.losses or Losses(1, np.zeros(0, np.float32)))
        self.verdict.see(new.frame)
        self.history.add(replace(new.frame, notes=self.verdict.notes))
        if self.begun and self.begun.subject and not self.begun.subject.images.size:
            self.begun = replace(self.begun, subject=replace(self.begun.subject, images=new.subset.images))
        self.step, self._spent = new.frame.step, new.facts["seconds"]
        self.facts = new.facts
        if "grad" in new.batch or "grad" not in self.batch:  # the loss is named by its gradient
            self.batch = new.batch
        self.frames += 1


class WatchedJob(JobState):
    """The job of a watched run, for readers."""

    def __init__(self, job_id: str, member: WatchedMember) -> None:
        self.id, self.member = job_id, member
        experiment = Experiment((member.run,), (member.run.loss.title,))
        super().__init__(Members(experiment, [member]))

    @property
    def status_key(self) -> StatusKey:
        return super().status_key, self.member.verdict.curve.last

    @property
    def remarks(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        with self._changed:
            verdict = self.member.verdict
            words = {"notes": verdict.notes, "well": verdict.well, "last": verdict.curve.last}
            return {"verdict": words}, {"losses": verdict.curve.array()}

    def take(self, new: Received | Losses) -> None:
        """Add a received frame, or values of the loss alone."""
        with self._changed:
            self._land(lambda: self.member.take(new))
            if isinstance(new, Losses):
                self._announce()
                return
            frames = self.member.frames
            powers = {REFITTED**power for power in range(1, 12)}
            if new.frame.plane is not None and frames in powers:
                self._members.fit_plane(new.frame.step)
        self._announce()

    def end(self) -> None:
        """Note that the loop has ended."""
        with self._changed:
            self._land(lambda: setattr(self.member, "ended", True))
        self._announce()

    def watch(self, *, drawn: bool = True) -> None:
        """Update the status, which depends on the time since the last frame; this server cannot make the loop go on."""
        del drawn
        with self._changed:
            self._land(lambda: None)

    def close(self) -> None:
        """Close the job for good."""
        self._closed = True
        self._announce()

    def packed(self) -> bytes:
        """The pickled member, to be saved."""
        with self._changed:
            return pickle.dumps(self.member, pickle.HIGHEST_PROTOCOL)

    def _land(self, do: Callable[[], None]) -> None:
        self._members.land(0, lambda _: do())
        self._members.next()


Shown: TypeAlias = Job | WatchedJob


class WatchedRuns:
    """The watched runs of a server, by viewer: at most `MOST_RUNS` of each; beyond that the oldest is dropped."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store, self._limits = store, replace(limits, history=MOST_BYTES)
        self._runs: dict[str, OrderedDict[str, WatchedJob]] = {}
        self._saved: dict[str, tuple[int, float]] = {}  # by job id: the step, and when
        self._lock = Lock()

    def take(self, viewer: str, run: str, new: Received | Losses) -> bool:
        """Add a frame to the viewer's ``run``, which begins with one, or values to a known run; whether the run is known."""
        job_id = _job_id(viewer, run)
        with self._lock:
            runs = self._runs.setdefault(viewer, self._of(viewer))
            if job_id not in runs and isinstance(new, Losses):
                return False
            if job_id not in runs:
                assert isinstance(new, Received)
                runs[job_id] = WatchedJob(job_id, WatchedMember(new, self._limits))
                self._note(viewer)
            dropped = [runs.popitem(last=False)[1] for _ in range(len(runs) - MOST_RUNS)]
            job = runs[job_id]
        for oldest in dropped:
            oldest.close()
            self._saved.pop(oldest.id, None)
        job.take(new)
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
        """Save changed runs to a store that outlives the server, each at most every 5 seconds, or all ``at_once``."""
        with self._lock:
            jobs = [job for runs in self._runs.values() for job in runs.values()] if self._store.lasting else []
        now = time.monotonic()
        for job in jobs:
            step, when = self._saved.get(job.id, (-1, 0.0))
            if job.member.step == step or (now - when < SAVED_EVERY and not at_once):
                continue
            self._saved[job.id] = job.member.step, now
            self._store.put(_key(f"run {job.id}"), job.packed())

    def _of(self, viewer: str) -> OrderedDict[str, WatchedJob]:
        """The viewer's runs, also those from before a restart; a key without runs is not stored."""
        if viewer not in self._runs:
            restored: OrderedDict[str, WatchedJob] = OrderedDict()
            for job_id in (self._store.load(_key(f"viewer {viewer}"), list) or ()) if self._store.lasting else ():
                if member := self._store.load(_key(f"run {job_id}"), WatchedMember):
                    restored[job_id] = WatchedJob(job_id, member)
            if not restored:
                return restored
            self._runs[viewer] = restored
        return self._runs[viewer]

    def _note(self, viewer: str) -> None:
        self._store.put(_key(f"viewer {viewer}"), pickle.dumps(list(self._runs[viewer])[-MOST_RUNS:]))


def _job_id(viewer: str, run: str) -> str:
    return _digest(f"{viewer} {run}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:LETTERS]


def _key(what: str) -> str:
    return f"watched {what} {dict(versions())}"
