"""The order in which members of a job make calls: a heap, so that many members take no more time than few."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

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
        self._heap: list[tuple[bool, int, int]] = []
        self.add_all()

    def add_all(self) -> None:
        """Replace the heap by all members that have no call under way."""
        self._heap = [self._key(number) for number, member in enumerate(self._members) if not member.under_way]
        heapify(self._heap)

    def add(self, number: int) -> None:
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
