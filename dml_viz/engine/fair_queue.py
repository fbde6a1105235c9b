"""A queue in which every visitor gets the same time of the workers, and of that every job of a visitor the same."""

import math
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from threading import Lock
from typing import Any, TypeAlias

Asker: TypeAlias = tuple[str, ...]  # a visitor, then what of the visitor's asks


class Call(Future[Any]):
    """The future result of a call that ``asker`` asked for; when a worker got it, and since when its answer is awaited."""

    def __init__(self, asker: Asker, work: tuple[Any, ...], asked: float) -> None:
        super().__init__()
        self.asker, self.work, self.asked = asker, work, asked
        self.levels = [asker[:length] for length in range(1, len(asker) + 1)]
        self.began = self.awaited = self.expected = math.inf  # seconds
        self.patience = 1.0  # how many times as long as other calls it may take
        self.made: Future[Any] | None = None


class FairQueue:
    """Calls that wait until one of ``width()`` workers is free; then that of the visitor goes who has had the least time.

    Time is counted as it was taken: long calls come less often than short ones. Who has asked for nothing for a while has
    saved up nothing. ``submit(fn, *args)`` gives a call to the workers; where it fails with an error, ``again`` may give another
    one to be made at once in its place. Safe to use from any thread.
    """

    def __init__(
        self, submit: Callable[..., Future[Any]], width: Callable[[], int], clock: Callable[[], float] = time.monotonic,
        again: Callable[[tuple[Any, ...], BaseException], tuple[Any, ...] | None] = lambda work, error: None,
    ) -> None:  # fmt: skip
        self._submit, self._width, self._clock, self._again = submit, width, clock, again
        self._lock = Lock()
        self._handing = False
        self._waiting: list[Call] = []
        self._under_way: list[Call] = []
        self._used: dict[Asker, float] = {}  # seconds
        self._served: dict[Asker, float] = {}  # the most that one within had used when it was served
        self._took: dict[Asker, float] = {}  # by the last call

    def submit(self, asker: Asker, fn: Callable[..., Any], /, *args: Any) -> Call:
        """The future result of ``fn(*args)``, which waits for `go_on` at least; cancelled before its turn it is never made."""
        call = Call(asker, (fn, *args), self._clock())
        with self._lock:
            if not self._waiting and not self._under_way:
                for known in (self._used, self._served, self._took):
                    known.clear()
            for level in call.levels:
                self._used[level] = max(self._used.get(level, 0.0), self._served.get(level[:-1], 0.0))
            self._waiting.append(call)
        return call

    def go_on(self) -> None:
        """Hand calls to the workers that are free; to be called without locks that a listener to a call may want."""
        with self._lock:
            if self._handing:
                return
            self._handing = True
        while call := self._next():
            self._make(call)

    @property
    def idle(self) -> int:
        """How many workers have nothing to do and nothing to come."""
        with self._lock:
            return self._width() - len(self._under_way) - len(self._waiting)

    @property
    def sharing(self) -> tuple[int, int]:
        """How many visitors share how many workers."""
        with self._lock:
            return len({call.asker[0] for call in self._waiting + self._under_way}), self._width()

    def waiting(self, visitor: str) -> int:
        """How many calls of a visitor wait."""
        with self._lock:
            return sum(call.asker[0] == visitor for call in self._waiting)

    def excuse(self) -> None:
        """Await what is under way from now on, since no worker is to blame for what it has taken."""
        with self._lock:
            for call in self._under_way:
                call.awaited = self._clock()

    def give_up(self, seconds: float, error: Exception) -> list[Future[Any]]:
        """Fail with ``error`` what has been under way for longer than ``seconds``, and free its place; what was made of it."""
        with self._lock:
            late = [call for call in self._under_way if self._clock() - call.awaited > call.patience * seconds]
            for call in late:
                self._leave(call)
        for call in late:
            if call.set_running_or_notify_cancel():
                call.set_exception(error)
        self.go_on()
        return [call.made for call in late if call.made]

    def _next(self) -> Call | None:
        """The call whose turn it is, from then on under way."""
        with self._lock:
            self._waiting = [call for call in self._waiting if not call.cancelled()]
            if not self._waiting or len(self._under_way) >= self._width():
                self._handing = False
                return None
            call = min(self._waiting, key=lambda call: [self._used[level] for level in call.levels])
            self._waiting.remove(call)
            self._under_way.append(call)
            call.began = call.awaited = self._clock()
            call.expected = self._took.get(call.asker, 0.0)
            for level in call.levels:
                self._served[level[:-1]] = max(self._used[level], self._served.get(level[:-1], 0.0))
                # What it will take is counted at once: others come before the next call of the same visitor.
                self._used[level] += call.expected
            return call

    def _make(self, call: Call) -> None:
        try:
            made = self._submit(*call.work)
        except Exception as error:
            made = Future()
            made.set_exception(error)
        call.made = made
        call.add_done_callback(lambda _: made.cancel())
        made.add_done_callback(partial(self._land, call))

    def _leave(self, call: Call) -> None:
        """Count what the call has really taken, and free its place."""
        self._under_way.remove(call)
        took = self._took[call.asker] = self._clock() - call.began
        for level in call.levels:
            self._used[level] += took - call.expected

    def _land(self, call: Call, made: Future[Any]) -> None:
        error = None if made.cancelled() else made.exception()
        if error and not call.cancelled() and (work := self._again(call.work, error)):
            call.work = work
            self._make(call)
            return
        with self._lock:
            if call not in self._under_way:
                return
            self._leave(call)
        # Who hears of the result asks for the next call, before it is decided whose turn it is.
        if call.set_running_or_notify_cancel():
            try:
                result = made.result()
            except (Exception, CancelledError) as error:
                call.set_exception(error)
            else:
                call.set_result(result)
        self.go_on()
