"""Uploads: the sessions that may upload, the limits of what is stored of them, and whose file is read next."""

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock

from dml_viz.data.files._base import MOST_BYTES
from dml_viz.engine.pool import spare_cores
from dml_viz.threads import once

MOST_FILES = 2_000  # uploaded files of a session that are not read yet, such as a folder of images
MOST_UNREAD, MOST_STORED = 1 << 30, 2 << 30  # bytes of all sessions together
SHARE = 4  # a visitor has at most one part in so many of either, in all tabs together
UNREAD = 60.0  # seconds after which the uploaded files of a session that no page has read are deleted
LOOKS = 1.0  # seconds from one look of a waiting page, whose tab may be closed, to the next


class Uploads:
    """The files that are being uploaded, and those stored, by session; safe to use from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock, self._clock = Lock(), clock
        self._arrived: dict[str, dict[str, float]] = {}  # when those of the unread files came that are here as a whole
        self._unread: dict[str, dict[str, int]] = {}
        self._stored: dict[str, dict[str, int]] = {}
        self._visitors: dict[str, str] = {}

    def allow_session(self, session: str, visitor: str) -> None:
        """Allow ``session``, a tab of ``visitor``, to upload, because its page has an element for files."""
        with self._lock:
            self._unread.setdefault(session, {})
            self._visitors[session] = visitor

    def forget_session(self, session: str) -> bool:
        """Forget ``session``, whose tab is closed; return whether the server stored a file of it."""
        with self._lock:
            self._unread.pop(session, None)
            self._arrived.pop(session, None)
            self._visitors.pop(session, None)
            return bool(self._stored.pop(session, None))

    def begin(self, session: str, file: str, size: int = MOST_BYTES) -> str:
        """Begin the upload of ``file`` of ``size`` bytes; return a sentence on why it is refused, or ""."""
        with self._lock:
            files = self._unread.get(session)
            if files is None:
                return "This page asks for no file; uploads are closed."
            others = {name: bytes_ for name, bytes_ in files.items() if name != file}
            if len(others) >= MOST_FILES:
                return f"{MOST_FILES} files are on the way already; reload the page."
            if self._of_visitor(self._unread, session) - files.get(file, 0) + size > MOST_UNREAD // SHARE:
                return "As many of your files are on the way as one visitor may send at once; try again in a minute."
            if _sum(self._unread) - files.get(file, 0) + size > MOST_UNREAD:
                return "The server receives as many files as it can; try again in a minute."
            files[file] = size
            self._arrived.get(session, {}).pop(file, None)
        return ""

    def note_arrival(self, session: str, file: str) -> None:
        """Note when ``file``, if its upload has begun, is here as a whole."""
        with self._lock:
            if file in self._unread.get(session, {}):
                self._arrived.setdefault(session, {})[file] = self._clock()

    def end(self, session: str, file: str) -> None:
        """End the upload of ``file``, which is read, or cancelled."""
        with self._lock:
            for files in (self._unread, self._arrived):
                files.get(session, {}).pop(file, None)

    def tidy(self, delete: Callable[[str, str], object]) -> None:
        """Forget the files that came `UNREAD` seconds ago and that no page has read, and call ``delete`` with each.

        Those of a session are kept while others of it are on the way: a page reads the files of a folder together.
        """
        with self._lock:
            now, gone = self._clock(), list[tuple[str, str]]()
            for session, files in self._unread.items():
                arrived = self._arrived.get(session, {})
                if files and files.keys() == arrived.keys() and now - max(arrived.values()) >= UNREAD:
                    gone += [(session, file) for file in files]
                    files.clear()
                    arrived.clear()
        for session, file in gone:
            delete(session, file)

    def store(self, session: str, key: str, size: int) -> str:
        """Note that ``session`` stores ``size`` bytes as ``key``, 0 for none; return a sentence on why it may not, or ""."""
        with self._lock:
            before = self._stored.get(session, {}).get(key, 0)
            if size and self._of_visitor(self._stored, session) - before + size > MOST_STORED // SHARE:
                return "the server keeps as many of your files as one visitor may have; close a tab that has one"
            if size and _sum(self._stored) - before + size > MOST_STORED:
                return "the server keeps as many files as it can; try again when another visitor has left"
            self._stored.setdefault(session, {})[key] = size
        return ""

    def _of_visitor(self, sizes: dict[str, dict[str, int]], session: str) -> int:
        """The bytes of all tabs of the visitor whose tab is ``session``."""
        whose = self._visitors.get(session, session)
        return _sum({tab: files for tab, files in sizes.items() if self._visitors.get(tab, tab) == whose})


@once
def uploads() -> Uploads:
    """The uploads of this server process."""
    return Uploads()


def _sum(sizes: dict[str, dict[str, int]]) -> int:
    return sum(size for files in sizes.values() for size in files.values())


class Turns:
    """At most ``most`` turns at a time. Safe to use from any thread."""

    def __init__(self, most: int) -> None:
        self._most, self._changed = most, Condition()
        self._waiting: list[tuple[Hashable, object]] = []
        self._working: set[Hashable] = set()

    @contextmanager
    def of(self, visitor: Hashable, waits: Callable[[], object] = lambda: None) -> Iterator[None]:
        """The visitor's turn, once it has come; ``waits`` is called every second until then, and may raise to give up."""
        ticket = (visitor, object())
        with self._changed:
            self._waiting.append(ticket)
            try:
                while not self._changed.wait_for(lambda: self._next() is ticket, LOOKS):
                    waits()
                self._working.add(visitor)
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._working.discard(visitor)
                self._changed.notify_all()

    def _next(self) -> object:
        free = len(self._working) < self._most
        return next((ticket for ticket in self._waiting if free and ticket[0] not in self._working), None)


@once
def file_turns() -> Turns:
    """The turns of this server process at reading and scoring files."""
    return Turns(max(2, spare_cores()))


@once
def openml_turns() -> Turns:
    """The turns of this server process at fetching data sets: a slow answer of OpenML keeps no file waiting."""
    return Turns(max(2, spare_cores()))
