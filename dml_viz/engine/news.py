"""News of a job: it wakes waiting threads and calls listeners."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import TypeVar

N = TypeVar("N", bound="News")


class News:
    """Wakes threads that wait, and listeners where the ``key`` of what they must know at once has changed."""

    def __init__(self, key: object) -> None:
        self._changed = Condition()
        self._listeners: set[Callable[[], None]] = set()
        self._closed = False
        self._last_key = key

    @property
    def closed(self) -> bool:
        """Whether the job is closed for good; readers should drop it."""
        return self._closed

    @contextmanager
    def listening(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call ``listener``, in some thread, whenever the key changes inside the block; it must return soon."""
        with self._changed:
            self._listeners.add(listener)
        try:
            yield
        finally:
            with self._changed:
                self._listeners.discard(listener)

    def wait_for(self: N, condition: Callable[[N], bool], timeout: float) -> bool:
        """Wait until ``condition(self)`` is true, at most ``timeout`` seconds; return whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: condition(self), timeout)

    def _announce_key(self, key: Callable[[], object]) -> None:
        """Wake the threads that wait, and the listeners if the key has changed or the job is closed."""
        with self._changed:
            self._changed.notify_all()
            now = key()
            if not self._closed and now == self._last_key:
                return
            self._last_key = now
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()
