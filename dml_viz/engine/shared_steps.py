"""The steps that all of several histories have shown, updated by counting new steps only."""

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Sequence

from dml_viz.engine.history import History


class SharedSteps:
    """The steps, in order, of which each of ``histories`` has had a frame; ``kept_by`` may have dropped some of them."""

    def __init__(self, histories: Sequence[History] = (), kept_by: Sequence[History] = ()) -> None:
        self.steps: list[int] = []
        self._kept_by = kept_by
        self._counts: Counter[int] = Counter()
        self._read = dict.fromkeys(histories, 0)
        self._latest = -1
        for history in histories:
            self.update(history)

    def update(self, history: History) -> None:
        """Count the steps that ``history`` has shown since it was last read."""
        if history not in self._read:
            return
        grown = False
        for step in history.all_steps[self._read[history] :]:
            self._counts[step] += 1
            if self._counts[step] == len(self._read):
                insort(self.steps, step)
                del self._counts[step]
                grown = True
        self._read[history] = len(history)
        if grown or (self._latest >= 0 and not self._is_kept(self._latest)):
            self._latest = next((step for step in reversed(self.steps) if self._is_kept(step)), -1)

    @property
    def latest(self) -> int:
        """The newest step that can be drawn; -1 without any."""
        return self._latest

    def drawable_steps(self) -> list[int]:
        """The steps that can be drawn."""
        return [step for step in self.steps if self._is_kept(step)]

    def nearest(self, step: int) -> int:
        """The last step at or before ``step`` that can be drawn, else the first of all; -1 without any."""
        after = bisect_right(self.steps, step)
        in_order = (*reversed(self.steps[:after]), *self.steps[after:])
        return next((candidate for candidate in in_order if self._is_kept(candidate)), -1)

    def _is_kept(self, step: int) -> bool:
        return all(history.has(step) for history in self._kept_by)
