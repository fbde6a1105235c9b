"""The progress of one run: its state, its frames, its checkpoints and its changes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dml_viz.engine.changes import change_text
from dml_viz.engine.checkpoints import Checkpoints
from dml_viz.engine.history import History
from dml_viz.engine.limits import Limits
from dml_viz.engine.slices import Begun, SliceResult
from dml_viz.training.frame import fitted_plane
from dml_viz.training.loop import Run

SAVED = 1_000_000  # bytes of frames of a run in a saved job


@dataclass(frozen=True)
class Role:
    """The relation of a member to others: it is ``alone``, or starts from another one's step ``leaves`` (0: at step 0).

    Others start from its states at the steps ``marks``; it begins as a copy of ``origin``, if that is given. A ``bare`` member
    keeps its curves only, begins when it is played, and frees its state at its end.
    """

    alone: bool = True
    leaves: int = 0
    marks: Sequence[int] = ()
    origin: "Progress | None" = None
    bare: bool = False


class Progress:
    """The progress of ``run``, at its start; ``plane`` is the step whose plane all frames are drawn in, 0 for each in its own."""

    def __init__(self, run: Run, limits: Limits, role: Role) -> None:
        self.run, self.limits = run, limits
        self.begun: Begun | None = None
        self._role, self._marks = role, sorted(role.marks)

    def _at_start(self) -> None:
        self.step = self.plane = 0
        self.seconds = 0.0  # of training so far
        self.changes: tuple[tuple[int, str], ...] = ()  # (step from which on, text)
        self.history = History(self.limits.history)
        self.checkpoints = Checkpoints(None if self._role.alone else self._marks)
        self._used = self._sent = self.run
        self._state: bytes | None = None
        self._fitted = True
        self._stopped = ""

    def __getstate__(self) -> dict[str, Any]:
        """The attributes that are saved: few frames but all curves, and the newest state; the first can be computed again."""
        begun = self.begun and replace(self.begun, state=b"")
        history, checkpoints = self.history.thinned_to_bytes(SAVED), self.checkpoints.newest()
        return {**self.__dict__, "begun": begun, "history": history, "checkpoints": checkpoints}

    def fit_plane(self, step: int) -> None:
        """Draw all frames in the plane of that at ``step``, once the run has come so far; each in its own for 0."""
        self.plane, self._fitted = step, False
        self._fit()

    def _stand_at(self, other: "Progress") -> None:
        self.begun, self._state, self.step, self.seconds = other.begun, other._state, other.step, other.seconds
        self.plane, self._fitted, self.changes = other.plane, other._fitted, other.changes
        self._stopped = other._stopped
        self.history.copy_frames_of(other.history, self.step + 1)
        self.checkpoints = other.checkpoints.copy(None if self._role.alone else self._marks)

    def _begin(self, begun: Begun) -> None:
        self.begun = begun
        self._state = begun.state
        self.step = begun.frame.step
        self.history.add(begun.frame)
        self.checkpoints.add(self.step, begun.state, begun.run)

    def _add_result(self, trained: SliceResult) -> None:
        if trained.step > self.step:
            self._used = self._sent
        self._state = trained.state
        self.step = trained.step
        self.checkpoints.add(self.step, trained.state, self._sent)
        self.seconds += trained.seconds
        self._stopped = trained.failed
        for frame in trained.frames:
            self.history.add(frame)
        self._fit()

    def _fit(self) -> None:
        if not self._fitted and (latest := self.history.latest) and latest.step >= self.plane:
            self._fitted = True
            self.history.project_to(fitted_plane(self.history.at(self.plane) or latest) if self.plane else None)

    def _note_change(self) -> None:
        """Note how the run differs from the run that trained to this step, in place of an earlier note at this step."""
        self.changes = tuple((step, what) for step, what in self.changes if step < self.step)
        if self._used is not self.run and (what := change_text(self._used, self.run)):
            self.changes += ((self.step, what),)
