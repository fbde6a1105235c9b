"""Runs that are trained elsewhere and watched here: each is a job like any other to its readers, but takes no commands.

A run belongs to a ``viewer``, a hash of the token that its loop sends: whoever has the hash may see the run, but cannot compute
the token. These runs are separate from those of visitors.
"""

import hashlib
import pickle
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from dml_viz.engine.history import History
from dml_viz.engine.limits import Limits
from dml_viz.engine.members import JobFrame
from dml_viz.engine.message_types import LoopVerdict, Remarks
from dml_viz.engine.news import News
from dml_viz.engine.status import MemberStatus, RunStatus, Status
from dml_viz.engine.store import Store
from dml_viz.engine.versions import versions
from dml_viz.training.frame import fitted_plane
from dml_viz.training.loop import EvaluationSubset, Frame
from dml_viz.training.watch.frames import Received, WatchedRun
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


class WatchedLoop:
    """The state of a watched loop, of which ``first`` is the first message, its frame not yet added."""

    def __init__(self, first: Received, limits: Limits) -> None:
        self.run, self.subject, self.device = first.run, first.subset, first.device
        self.history = History(limits.history)
        self.plane = first.frame.step
        self.newest_at, self.ended, self.frames, self.redrawn = -QUIET, False, 0, 0
        self.facts: Mapping[str, float] = {}
        self.batch: Mapping[str, Any] = {}
        self.verdict = Verdict(probe=first.run.protocol == "probe")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "history": self.history.thinned(SAVED), "newest_at": -np.inf}

    @property
    def status(self) -> Status:
        """The status; "paused" once a frame is late."""
        if self.ended:
            return "done"
        return "running" if time.monotonic() - self.newest_at < self._quiet else "paused"

    @property
    def step(self) -> int:
        """The step of the newest frame; 0 before the first."""
        return self.history.latest.step if self.history.latest else 0

    @property
    def _quiet(self) -> float:
        return QUIET + self.facts.get("wait", 0)

    @property
    def reason(self) -> str:
        """A sentence on why the loop is paused, or why its frames are rare."""
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

    def add(self, new: Received | Losses) -> None:
        """Add a frame with its facts and its batch, or values of the loss alone."""
        self.newest_at, self.ended = time.monotonic(), False
        if isinstance(new, Losses):
            self.verdict.hear(new)
            return
        self.verdict.hear(new.losses or Losses(1, np.zeros(0, np.float32)))
        self.verdict.see(new.frame)
        self.history.add(replace(new.frame, notes=self.verdict.notes))
        if not self.subject.images.size:
            self.subject = replace(self.subject, images=new.subset.images)
        self.facts = new.facts
        if "grad" in new.batch or "grad" not in self.batch:  # the loss is named by its gradient
            self.batch = new.batch
        self.frames += 1
        if new.frame.plane is not None and self.frames in {REFITTED**power for power in range(1, 12)}:
            self.plane, self.redrawn = new.frame.step, self.redrawn + 1
            self.history.draw_in(fitted_plane(self.history.at(self.plane) or new.frame))


@dataclass(frozen=True)
class WatchedExperiment:
    """Watched runs as an experiment for readers; each has its own title."""

    runs: tuple[WatchedRun, ...]
    seeds: ClassVar[int] = 1

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the losses."""
        return tuple(run.loss.title for run in self.runs)

    @property
    def is_single(self) -> bool:
        """Whether there is one run."""
        return len(self.runs) == 1

    @property
    def evaluated_runs(self) -> tuple[int, ...]:
        """The number of the first run on each data set."""
        first: dict[object, int] = {}
        for number, run in enumerate(self.runs):
            first.setdefault((run.dataset, run.protocol), number)
        return tuple(first.values())

    @property
    def runs_with_frames(self) -> tuple[int, ...]:
        """The numbers of all runs."""
        return tuple(range(len(self.runs)))

    def branch(self, run: int) -> None:
        """Return no branch: each loop started by itself."""


class WatchedJob(News):
    """The job of a watched loop, for readers; see `JobState` for what its properties mean."""

    budget = 0  # unknown

    def __init__(self, job_id: str, loop: WatchedLoop) -> None:
        self.id, self.loop = job_id, loop
        self.experiment = WatchedExperiment((loop.run,))
        super().__init__(self._key())

    @property
    def run(self) -> WatchedRun:
        """The declaration of the run."""
        return self.loop.run

    @property
    def status(self) -> Status:
        """The status."""
        with self._changed:
            return self.loop.status

    @property
    def reason(self) -> str:
        """The remark on the status."""
        with self._changed:
            return self.loop.reason

    @property
    def step(self) -> int:
        """The step of the newest frame."""
        return self.loop.step

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps whose frames are kept."""
        with self._changed:
            return self.loop.history.steps

    @property
    def latest(self) -> Frame | None:
        """The newest frame."""
        return self.loop.history.latest

    @property
    def latest_step(self) -> int:
        """The step of the newest frame; -1 before the first."""
        return self.latest.step if self.latest else -1

    @property
    def redrawn(self) -> int:
        """The number of times that another plane was fitted."""
        return self.loop.redrawn

    @property
    def subject(self) -> EvaluationSubset:
        """The points of all frames."""
        return self.loop.subject

    @property
    def subjects(self) -> tuple[EvaluationSubset, ...]:
        """The points of all frames, alone."""
        return (self.subject,)

    @property
    def device(self) -> str:
        """The device that the loop names."""
        return self.loop.device

    @property
    def status_key(self) -> tuple[object, ...]:
        """A key that changes with the status, the frames and the values of the loss."""
        with self._changed:
            return *self._key(), self.loop.verdict.curve.last

    @property
    def remarks(self) -> tuple[Remarks, dict[str, np.ndarray]]:
        """The verdict and the values of the loss."""
        with self._changed:
            verdict = self.loop.verdict
            words: LoopVerdict = {"notes": verdict.notes, "well": verdict.well, "last": verdict.curve.last}
            return {"verdict": words}, {"losses": verdict.curve.array()}

    def at(self, step: int) -> Frame | None:
        """The frame nearest to ``step``, at or before it."""
        with self._changed:
            return self.loop.history.at(step)

    def frames(self, step: int | None = None) -> JobFrame | None:
        """The frame nearest to ``step``, at or before it; the newest for None."""
        frame = self.latest if step is None else self.at(step)
        return JobFrame(frame.step, (frame,)) if frame else None

    def rows(self, first: int = 0) -> tuple[tuple[str, ...], np.ndarray]:
        """The names of the curves, and the rows of all steps from the ``first``-th on."""
        with self._changed:
            return self.loop.history.columns, self.loop.history.rows(first)

    def overview(self) -> RunStatus:
        """The status of the loop, as of a job of one member."""
        with self._changed:
            loop = self.loop
            member = MemberStatus(loop.status, loop.reason, loop.step, loop.facts.get("seconds", 0.0))
            return RunStatus(member.status, member.reason, loop.step, 0, self.latest_step, (), loop.plane, (member,))

    def add(self, new: Received | Losses) -> None:
        """Add a received frame, or values of the loss alone."""
        with self._changed:
            self.loop.add(new)
        self._announce_key(self._key)

    def end(self) -> None:
        """Note that the loop has ended."""
        with self._changed:
            self.loop.ended = True
        self._announce_key(self._key)

    def watch(self, *, frame_drawn: bool = True) -> None:
        """Do nothing: this server cannot make the loop go on."""

    def close(self) -> None:
        """Close the job for good."""
        self._closed = True
        self._announce_key(self._key)

    def packed(self) -> bytes:
        """The pickled loop, to be saved."""
        with self._changed:
            return pickle.dumps(self.loop, pickle.HIGHEST_PROTOCOL)

    def _key(self) -> tuple[object, ...]:
        loop = self.loop
        return loop.status, loop.reason, self.latest_step, loop.redrawn


class WatchedRuns:
    """The watched runs of a server, by viewer: at most `MOST_RUNS` of each; beyond that the oldest is dropped."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store, self._limits = store, replace(limits, history=MOST_BYTES)
        self._runs: dict[str, OrderedDict[str, WatchedJob]] = {}
        self._saved: dict[str, tuple[int, float]] = {}  # by job id: the step, and when
        self._lock = Lock()

    def receive(self, viewer: str, run: str, new: Received | Losses) -> bool:
        """Add a frame to the viewer's ``run``, which begins with one, or values to a known run; whether the run is known."""
        job_id = _job_id(viewer, run)
        with self._lock:
            runs = self._runs.setdefault(viewer, self._of(viewer))
            if job_id not in runs and isinstance(new, Losses):
                return False
            if job_id not in runs:
                assert isinstance(new, Received)
                runs[job_id] = WatchedJob(job_id, WatchedLoop(new, self._limits))
                self._note(viewer)
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
        """Save changed runs to a store that outlives the server, each at most every 5 seconds, or all ``at_once``."""
        with self._lock:
            jobs = [job for runs in self._runs.values() for job in runs.values()] if self._store.lasting else []
        now = time.monotonic()
        for job in jobs:
            step, when = self._saved.get(job.id, (-1, 0.0))
            if job.loop.step == step or (now - when < SAVED_EVERY and not at_once):
                continue
            self._saved[job.id] = job.loop.step, now
            self._store.put(_key(f"run {job.id}"), job.packed())

    def _of(self, viewer: str) -> OrderedDict[str, WatchedJob]:
        """The viewer's runs, also those from before a restart; a key without runs is not stored."""
        if viewer not in self._runs:
            restored: OrderedDict[str, WatchedJob] = OrderedDict()
            for job_id in (self._store.load(_key(f"viewer {viewer}"), list) or ()) if self._store.lasting else ():
                if loop := self._store.load(_key(f"run {job_id}"), WatchedLoop):
                    restored[job_id] = WatchedJob(job_id, loop)
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
