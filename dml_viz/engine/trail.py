"""The way that a run has come: its state at some steps, and what it trained as from which step on."""

from __future__ import annotations

from dataclasses import dataclass

from dml_viz.training.loop import Run

MOST = 16


@dataclass(frozen=True)
class Way:
    """How to come to a step again: from a pickled ``state``, each run of ``legs`` for so many steps."""

    state: bytes
    legs: tuple[tuple[Run, int], ...] = ()


class Trail:
    """States of a run, some 16 at most, spread evenly over its steps: what lies between is trained again, the same way."""

    def __init__(self) -> None:
        self._states: dict[int, bytes] = {}
        self._legs: list[tuple[int, Run]] = []
        self._apart = 1

    def add(self, step: int, state: bytes, run: Run) -> None:
        """Note that ``run`` has trained to ``step`` and ``state``, or begun there."""
        if not self._legs or self._legs[-1][1] != run:
            self._legs.append((max(self._states, default=step), run))
        last = max(self._states, default=None)
        self._states[step] = state
        if last == step:
            return
        # The newest state is always kept; it goes when the next one comes and it lies too near to the one before it.
        if last is not None and len(self._states) > 2 and last - max(k for k in self._states if k < last) < self._apart:
            del self._states[last]
        while len(self._states) > MOST:
            self._thin(step)

    def to(self, step: int) -> Way | None:
        """The way to ``step``, which the run has passed; None where it has not come so far, or began later."""
        before = [known for known in self._states if known <= step]
        if not before or step > max(self._states):
            return None
        at = max(before)
        ends = [begin for begin, _ in self._legs[1:]] + [step]
        legs = [
            (run, min(end, step) - max(begin, at))
            for (begin, run), end in zip(self._legs, ends, strict=True)
            if min(end, step) > max(begin, at)
        ]
        return Way(self._states[at], tuple(legs))

    def copy(self) -> Trail:
        """Another trail that has come the same way."""
        other = Trail()
        other._states, other._legs, other._apart = dict(self._states), list(self._legs), self._apart
        return other

    def _thin(self, newest: int) -> None:
        self._apart *= 2
        steps = sorted(self._states)
        kept = steps[0]
        for step in steps[1:]:
            if step - kept >= self._apart or step == newest:
                kept = step
            else:
                del self._states[step]
