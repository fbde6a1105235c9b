"""The steps that all of several histories have shown, kept up by counting only what is new."""

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Sequence

from dml_viz.engine.history import History


class SharedSteps:
    """The steps, in order, that each of ``histories`` has had a frame of; those ``drawn`` may have let go of some again."""

    def __init__(self, histories: Sequence[History] = (), drawn: Sequence[History] = ()) -> None:
        self.steps: list[int] = []
        self._drawn = drawn
        self._counts: Counter[int] = Counter()
        self._read = dict.fromkeys(histories, 0)
        self._latest = -1
        for history in histories:
            self.update(history)

    def update(self, history: History) -> None:
        """Take in what ``history`` has shown since it was last read."""
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
        if grown or (self._latest >= 0 and not self._shown(self._latest)):
            self._latest = next((step for step in reversed(self.steps) if self._shown(step)), -1)

    @property
    def latest(self) -> int:
        """The newest step that can be drawn; -1 where there is none."""
        return self._latest

    def shown(self) -> list[int]:
        """The steps that can be drawn."""
        return [step for step in self.steps if self._shown(step)]

    def nearest(self, step: int) -> int:
        """The step nearest to ``step`` that can be drawn, at or before it, else the first one; -1 where there is none."""
        place = bisect_right(self.steps, step)
        before = next((one for one in reversed(self.steps[:place]) if self._shown(one)), -1)
        return before if before >= 0 else next((one for one in self.steps[place:] if self._shown(one)), -1)

    def _shown(self, step: int) -> bool:
        return all(history.has(step) for history in self._drawn)
