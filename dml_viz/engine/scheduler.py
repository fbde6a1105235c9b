"""The order in which members of a job make calls, a heap, so that many members take no more time than few; and shared steps."""

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from dml_viz.engine.history import History
from dml_viz.engine.member import Member
from dml_viz.engine.slices import Beginning, Slice
from dml_viz.training.experiment import Order


class Scheduler:
    """The members that may want a call, sorted by ``order``.

    "furthest behind" takes members first that have not begun, then those with the fewest steps; "one by one" trains each to its
    end before the next. After a change a member must be added again.
    """

    def __init__(self, members: Sequence[Member], order: Order) -> None:
        self._members, self._order = members, order
        self.refill()

    def refill(self) -> None:
        """Put all members that have no call under way into the heap, in place of its content; `next` makes their calls."""
        self._heap = [self._key(number) for number, member in enumerate(self._members) if not member.under_way]
        heapify(self._heap)

    def add_member(self, number: int) -> None:
        """Add the member of that number, which must not be in the heap."""
        heappush(self._heap, self._key(number))

    def next(self) -> tuple[int, Beginning | Slice] | None:
        """The number of the first member that wants a call, and the call, which is then under way; None if none does."""
        while self._heap:
            _, _, number = heappop(self._heap)
            if call := self._members[number].next():
                return number, call
        return None

    def _key(self, number: int) -> tuple[bool, int, int]:
        member = self._members[number]
        return (member.begun is not None, member.step, number) if self._order == "furthest behind" else (True, 0, number)


class SharedSteps:
    """The steps, in order, of which each of ``histories`` has had a frame; ``kept_by`` may have dropped some of them."""

    def __init__(self, histories: Sequence[History], kept_by: Sequence[History]) -> None:
        self.steps: list[int] = []
        self.latest = -1  # the newest step that can be drawn; -1 without any
        self._kept_by = kept_by
        self._counts: Counter[int] = Counter()
        self._read = dict.fromkeys(histories, 0)
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
        if grown or (self.latest >= 0 and not self._is_kept(self.latest)):
            self.latest = next((step for step in reversed(self.steps) if self._is_kept(step)), -1)

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
