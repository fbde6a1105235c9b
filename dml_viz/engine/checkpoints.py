"""The checkpoints of a run: its state at some steps, and the declarations under which it trained, by step."""

from collections.abc import Collection
from dataclasses import dataclass

from dml_viz.training.loop import Run

MOST = 16


@dataclass(frozen=True)
class ReplayPlan:
    """The way to a step that was passed: from a pickled ``state``, train each run of ``segments`` for so many steps."""

    state: bytes
    segments: tuple[tuple[Run, int], ...] = ()


class Checkpoints:
    """States of a run, `MOST` at most, evenly spaced over its steps; steps in between are trained again, with equal results.

    With ``only``, the states at those steps and no others.
    """

    def __init__(self, only: Collection[int] | None = None) -> None:
        self._only = only
        self._states: dict[int, bytes] = {}
        self._segments: list[tuple[int, Run]] = []  # the step from which on the run trained under a declaration
        self._apart = 1

    def add(self, step: int, state: bytes, run: Run) -> None:
        """Add the pickled ``state`` at ``step``, to which ``run`` has trained, or at which it has begun."""
        if self._only is not None and step not in self._only:
            return
        last = max(self._states, default=None)
        if not self._segments or self._segments[-1][1] != run:
            self._segments.append((step if last is None else last, run))
        self._states[step] = state
        if last == step or self._only is not None:
            return
        # The newest state is always kept; once a newer one comes, it is deleted if it is too near to the one before it.
        if last is not None and len(self._states) > 2 and last - max(k for k in self._states if k < last) < self._apart:
            del self._states[last]
        while len(self._states) > MOST:
            self._thin(step)

    def plan(self, step: int) -> ReplayPlan | None:
        """The way to ``step``; None if the run has not come so far, or began later."""
        before = [known for known in self._states if known <= step]
        if not before or step > max(self._states):
            return None
        start = max(before)
        ends = [begin for begin, _ in self._segments[1:]] + [step]
        segments = [
            (run, min(end, step) - max(begin, start))
            for (begin, run), end in zip(self._segments, ends, strict=True)
            if min(end, step) > max(begin, start)
        ]
        return ReplayPlan(self._states[start], tuple(segments))

    def copy(self, only: Collection[int] | None = None) -> "Checkpoints":
        """A copy, to which from now on only states at the steps ``only`` are added; None stands for all."""
        other = Checkpoints(only)
        other._states, other._segments, other._apart = dict(self._states), list(self._segments), self._apart
        return other

    def newest(self) -> "Checkpoints":
        """A copy with the newest state alone, or with all if the steps are prescribed by ``only``."""
        other = self.copy(self._only)
        if self._only is None and self._states:
            last = max(self._states)
            other._states, other._segments = {last: self._states[last]}, [(last, self._segments[-1][1])]
        return other

    def _thin(self, newest: int) -> None:
        self._apart *= 2
        steps = sorted(self._states)
        last = steps[0]
        for step in steps[1:]:
            if step - last >= self._apart or step == newest:
                last = step
            else:
                del self._states[step]
