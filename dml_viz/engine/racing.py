"""The course of one run in a race: stops where another racer branches off, or waits for the step at which it branches off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dml_viz.engine.course import Beginning, Course
from dml_viz.engine.limits import Limits
from dml_viz.engine.slices import Begun, Slice, Trained
from dml_viz.engine.trail import Way
from dml_viz.training.loop import Run


class RacerCourse(Course):
    """The course of a racer's ``run`` from one seed.

    Its states at the steps ``marks`` are kept for those that branch off there. Where it is to leave another course at
    ``leaves``, it waits for `branch_off`.
    """

    def __init__(self, run: Run, limits: Limits, marks: Sequence[int] = (), leaves: int = 0) -> None:
        self._marks = sorted(marks)
        self._parent: RacerCourse | None = None
        self.leaves = leaves
        self.kept: dict[int, Way] = {}
        self.seen: set[int] = set()
        super().__init__(run, limits)

    @property
    def waits(self) -> bool:
        """Whether the step at which it begins is still to come."""
        return self.leaves > 0 and self._parent is None

    def branch_off(self, parent: RacerCourse) -> None:
        """Begin where ``parent`` was at the step at which this course leaves it; until it has got there, nothing happens."""
        if self.waits and self.leaves in parent.kept:
            self._parent, self._failure = parent, ""
            self.history.take_over(parent.history, self.leaves)
            self.seen = {step for step in parent.seen if step < self.leaves}
        elif self.waits and parent.status in ("failed", "done"):
            self._failure = f"The racer that it leaves at step {self.leaves} stopped before that."

    def adopt(self, other: Course) -> None:
        """Stand where ``other`` stands, with the ways to the marks that it has passed."""
        super().adopt(other)
        self.seen = {int(step) for step in self.history.rows()[:, 0]}
        self.kept = {mark: way for mark in self._marks if (way := self.trail.to(mark))}

    def _wanted(self) -> Beginning | Slice | None:
        if self.waits:
            return None
        call = super()._wanted()
        if isinstance(call, Beginning):
            parent = self._parent
            return replace(call, before=parent.run, way=parent.kept[self.leaves]) if parent else call
        if call is None or not call.steps:
            # A racer that stands between two frames is not shown there: no other one is.
            return None
        mark = next((mark for mark in self._marks if mark > self.step), self.run.steps)
        return replace(call, steps=min(call.steps, mark - self.step))

    def _begin(self, begun: Begun) -> None:
        super()._begin(begun)
        self.seen.add(begun.frame.step)

    def _take(self, trained: Trained) -> None:
        super()._take(trained)
        self.seen.update(frame.step for frame in trained.frames)

    def _remember(self, state: bytes, run: Run) -> None:
        # A race has up to sixty runs: only what somebody branches off at is kept.
        if self.step in self._marks:
            self.kept[self.step] = Way(state)
