"""A run that is trained elsewhere, as a job for its readers, which takes no commands."""

import pickle
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dml_viz.embedding.neighbour_map import Rows
from dml_viz.engine.history import History
from dml_viz.engine.job_state import News
from dml_viz.engine.job_view import JobView
from dml_viz.engine.limits import Limits
from dml_viz.engine.members import JobFrame
from dml_viz.engine.message_types import LoopVerdict, Remarks
from dml_viz.engine.status import MemberStatus, RunStatus, Status
from dml_viz.training.experiment import Runs
from dml_viz.training.loop import EvaluationSubset
from dml_viz.training.run import is_map_start_number
from dml_viz.training.watch.frames import Received, WatchedRun
from dml_viz.training.watch.pace import LONG
from dml_viz.training.watch.steps import Losses
from dml_viz.training.watch.verdict import Verdict

QUIET = 15.0  # seconds that a frame may be late before its loop counts as paused
SAVED = 8_000_000  # bytes of the frames of a run in the store


class WatchedLoop:
    """The state of a watched loop, of which ``first`` is the first message, its frame not yet added."""

    def __init__(self, first: Received, limits: Limits) -> None:
        self.run, self.subject, self.device = first.run, first.subset, first.device
        self.history = History(limits.history)
        self.newest_at, self.ended, self.frames = -QUIET, False, 0
        self.facts: Mapping[str, float] = {}
        self.batch: Mapping[str, Any] = {}
        self.verdict = Verdict(probe=first.run.protocol == "probe")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "history": self.history.thinned_to_bytes(SAVED), "newest_at": -np.inf}

    @property
    def status(self) -> Status:
        """The status; "paused" once a frame is late."""
        if self.ended:
            return "done"
        return "running" if time.monotonic() - self.newest_at < self._quiet else "paused"

    @property
    def latest_step(self) -> int:
        """The step of the newest frame; -1 before the first."""
        return self.history.all_steps[-1] if self.history.all_steps else -1

    @property
    def step(self) -> int:
        """The step of the newest frame; 0 before the first."""
        return max(0, self.latest_step)

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
        elif apart > self.run.stride:  # at which distance frames are counted as due
            return f"A frame every {apart:,} steps, not every {self.run.stride:,}, so that the loop is not slowed."
        return f"{often} {left_out:,} of {due:,} frames were left out." if left_out > 0 else often

    def add(self, new: Received | Losses) -> None:
        """Add a frame with its facts and its batch, or values of the loss alone; ValueError for a frame of other dimensions."""
        if isinstance(new, Received) and new.run.dim != self.run.dim:
            raise ValueError(
                f"the frame has {new.run.dim} dimensions, and its run has {self.run.dim}; give another loop a name of its own, "
                'as in watch.step(z, y, loss=value, name="second")'
            )
        self.newest_at, self.ended = time.monotonic(), False
        if isinstance(new, Losses):
            self.verdict.add_losses(new)
            return
        self.verdict.add_losses(new.losses or Losses(1, np.zeros(0, np.float32)))
        self.verdict.add_frame(new.frame)
        self.history.add(replace(new.frame, notes=self.verdict.notes, key=is_map_start_number(self.frames)))
        if not self.subject.images.size:
            self.subject = replace(self.subject, images=new.subset.images)
        self.facts = new.facts
        if "grad" in new.batch or "grad" not in self.batch:  # the loss is named by its gradient
            self.batch = new.batch
        self.frames += 1


@dataclass(frozen=True)
class WatchedExperiment(Runs):
    """Watched runs as an experiment for readers; each has its own title."""

    runs: tuple[WatchedRun, ...]
    seeds: ClassVar[int] = 1

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the losses."""
        return tuple(run.loss.title for run in self.runs)

    @property
    def runs_with_frames(self) -> tuple[int, ...]:
        """The numbers of all runs."""
        return tuple(range(len(self.runs)))

    def branch(self, run: int) -> None:
        """Return no branch: each loop started by itself."""


class WatchedJob(News, JobView):
    """The job of a watched loop, for readers; see `JobState` for what its properties mean."""

    budget = 0  # unknown

    def __init__(self, job_id: str, loop: WatchedLoop) -> None:
        self.id, self.loop = job_id, loop
        self._experiment = WatchedExperiment((loop.run,))
        super().__init__(self._key())

    @property
    def experiment(self) -> WatchedExperiment:
        """The watched run."""
        return self._experiment

    @property
    def run(self) -> WatchedRun:
        return self.loop.run

    @property
    def steps(self) -> tuple[int, ...]:
        with self._changed:
            return self.loop.history.steps

    @property
    def frames_version(self) -> int:
        """0: frames of a loop are never replaced."""
        return 0

    @property
    def subjects(self) -> tuple[EvaluationSubset, ...]:
        return (self.loop.subject,)

    @property
    def device(self) -> str:
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
            words: LoopVerdict = {"notes": verdict.notes, "well": verdict.all_well_sentence, "last": verdict.curve.last}
            return {"verdict": words}, {"losses": verdict.curve.min_max_by_bucket()}

    def frames(self, step: int | None = None) -> JobFrame | None:
        with self._changed:
            history = self.loop.history
            frame = history.latest if step is None else history.at(step)
            return JobFrame(frame.step, (frame,), (history.key_before(frame.step),)) if frame else None

    def key_points(self, after: int, before: int) -> tuple[dict[int, Rows], ...]:
        with self._changed:
            return (self.loop.history.key_points(after, before),)

    def rows(self, first: int = 0) -> tuple[tuple[str, ...], np.ndarray]:
        with self._changed:
            return self.loop.history.columns, self.loop.history.rows(first)

    def rows_at(self, steps: Sequence[int]) -> tuple[tuple[str, ...], np.ndarray]:
        """The names of the curves, and their rows of ``steps``; NaN for a step without a frame."""
        with self._changed:
            return self.loop.history.columns, self.loop.history.rows_at(steps)

    def overview(self) -> RunStatus:
        """The status of the loop, as of a job of one member."""
        with self._changed:
            loop = self.loop
            member = MemberStatus(loop.status, loop.reason, loop.step, loop.facts.get("seconds", 0.0))
            return RunStatus(member.status, member.reason, loop.step, 0, loop.latest_step, (), 0, (member,))

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
        self.closed = True
        self._announce_key(self._key)

    def packed(self) -> bytes:
        """The pickled loop, to be saved."""
        with self._changed:
            return pickle.dumps(self.loop, pickle.HIGHEST_PROTOCOL)

    def _key(self) -> tuple[object, ...]:
        loop = self.loop
        return loop.status, loop.reason, loop.latest_step, self.frames_version
