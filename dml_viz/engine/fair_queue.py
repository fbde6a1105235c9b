"""A queue in which every visitor gets an equal share of the workers' time, and every job an equal share of its visitor's."""

import math
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from threading import Lock
from typing import Any, TypeAlias

Asker: TypeAlias = tuple[str, ...]  # a visitor, then a job or a place of the visitor


class QueuedCall(Future[Any]):
    """The future result of a call of ``asker``, with the times at which a worker got it and since which its answer is due."""

    def __init__(self, asker: Asker, work: tuple[Any, ...], submitted: float) -> None:
        super().__init__()
        self.asker, self.work, self.submitted = asker, work, submitted
        self.levels = [asker[:length] for length in range(1, len(asker) + 1)]
        self.began = self.awaited = self.expected = math.inf  # seconds
        self.patience = 1.0  # the multiple of other calls' deadline that it may take
        self.made: Future[Any] | None = None


class FairQueue:
    """Calls that wait until one of ``width()`` workers is free; then the visitor who has had the least time comes next.

    The time that a call really took counts, so long calls come less often than short ones. A visitor without calls for a while
    does not save up time. ``submit(fn, *args)`` gives a call to the workers; if it raises an error, ``again(work, error)`` may
    return another call, which is made at once in its place. Safe to use from any thread.
    """

    def __init__(
        self,
        submit: Callable[..., Future[Any]],
        width: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
        again: Callable[[tuple[Any, ...], BaseException], tuple[Any, ...] | None] = lambda work, error: None,
    ) -> None:
        self._submit, self._width, self._clock, self._again = submit, width, clock, again
        self._lock = Lock()
        self._passing = False
        self._waiting: list[QueuedCall] = []
        self._under_way: list[QueuedCall] = []
        self._used: dict[Asker, float] = {}  # seconds
        self._served: dict[Asker, float] = {}  # the most seconds used by an asker within when it was served
        self._took: dict[Asker, float] = {}  # seconds of the last call

    def submit(self, asker: Asker, fn: Callable[..., Any], /, *args: Any) -> QueuedCall:
        """The future result of ``fn(*args)``, made after `dispatch` in its turn; if cancelled before, it is never made."""
        call = QueuedCall(asker, (fn, *args), self._clock())
        with self._lock:
            if not self._waiting and not self._under_way:
                for known in (self._used, self._served, self._took):
                    known.clear()
            for level in call.levels:
                self._used[level] = max(self._used.get(level, 0.0), self._served.get(level[:-1], 0.0))
            self._waiting.append(call)
        return call

    def dispatch(self) -> None:
        """Give calls to free workers; call this without holding locks that a callback of a call may need."""
        with self._lock:
            if self._passing:
                return
            self._passing = True
        while call := self._next():
            self._make(call)

    @property
    def idle(self) -> int:
        """The number of workers without a call, less the calls that wait."""
        with self._lock:
            return self._width() - len(self._under_way) - len(self._waiting)

    @property
    def visitors_and_workers(self) -> tuple[int, int]:
        """The number of visitors with calls, and the number of workers."""
        with self._lock:
            return len({call.asker[0] for call in self._waiting + self._under_way}), self._width()

    def waiting(self, visitor: str) -> int:
        """The number of waiting calls of a visitor."""
        with self._lock:
            return sum(call.asker[0] == visitor for call in self._waiting)

    def restart_deadlines(self) -> None:
        """Restart the deadlines of the calls under way, because no worker is to blame for their delay."""
        with self._lock:
            for call in self._under_way:
                call.awaited = self._clock()

    def fail_late_calls(self, seconds: float, error: Exception) -> list[Future[Any]]:
        """Fail with ``error`` the calls under way for longer than ``seconds``, free their places; return the workers' futures."""
        with self._lock:
            late = [call for call in self._under_way if self._clock() - call.awaited > call.patience * seconds]
            for call in late:
                self._leave(call)
        for call in late:
            if call.set_running_or_notify_cancel():
                call.set_exception(error)
        self.dispatch()
        return [call.made for call in late if call.made]

    def _next(self) -> QueuedCall | None:
        """The call whose turn it is, which is then under way; None without one or without a free worker."""
        with self._lock:
            self._waiting = [call for call in self._waiting if not call.cancelled()]
            if not self._waiting or len(self._under_way) >= self._width():
                self._passing = False
                return None
            call = min(self._waiting, key=lambda call: [self._used[level] for level in call.levels])
            self._waiting.remove(call)
            self._under_way.append(call)
            call.began = call.awaited = self._clock()
            call.expected = self._took.get(call.asker, 0.0)
            for level in call.levels:
                self._served[level[:-1]] = max(self._used[level], self._served.get(level[:-1], 0.0))
                # The expected time is counted at once, so that others come before the next call of the same visitor.
                self._used[level] += call.expected
            return call

    def _make(self, call: QueuedCall) -> None:
        try:
            made = self._submit(*call.work)
        except Exception as error:
            made = Future()
            made.set_exception(error)
        call.made = made
        call.add_done_callback(lambda _: made.cancel())
        made.add_done_callback(partial(self._land, call))

    def _leave(self, call: QueuedCall) -> None:
        """Count the time that the call has really taken, and free its place."""
        self._under_way.remove(call)
        took = self._took[call.asker] = self._clock() - call.began
        for level in call.levels:
            self._used[level] += took - call.expected

    def _land(self, call: QueuedCall, made: Future[Any]) -> None:
        error = CancelledError() if made.cancelled() else made.exception()
        if error and not call.cancelled() and (work := self._again(call.work, error)):
            call.work = work
            self._make(call)
            return
        with self._lock:
            if call not in self._under_way:
                return
            self._leave(call)
        # Callbacks of the call may submit the next one before the next turn is decided.
        if call.set_running_or_notify_cancel():
            if error is None:
                call.set_result(made.result())
            else:
                call.set_exception(error)
        self.dispatch()
