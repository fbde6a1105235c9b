"""Which sessions may upload, and how much the server holds of what they have brought."""

from functools import cache
from threading import Lock

import streamlit as st

from dml_viz.app.figure_store import store
from dml_viz.data.files._base import MOST_BYTES

MOST_FILES = 2_000  # of a session, that are on the way or not yet read: a folder of images
MOST_UNREAD, MOST_STORED = 1 << 30, 2 << 30  # bytes of all sessions together


class Uploads:
    """What is on the way, and what is stored, by session; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._unread: dict[str, dict[str, int]] = {}
        self._stored: dict[str, dict[str, int]] = {}

    def open(self, session: str) -> None:
        """Let ``session`` upload: its page asks for a file."""
        with self._lock:
            self._unread.setdefault(session, {})

    def close(self, session: str) -> None:
        """Forget ``session``, whose tab is closed."""
        with self._lock:
            self._unread.pop(session, None)
            self._stored.pop(session, None)

    def begin(self, session: str, file: str, size: int = MOST_BYTES) -> str:
        """Note that ``file`` of ``size`` bytes comes; why it may not, or ""."""
        with self._lock:
            files = self._unread.get(session)
            if files is None:
                return "This page asks for no file; uploads are closed."
            others = {name: bytes_ for name, bytes_ in files.items() if name != file}
            if len(others) >= MOST_FILES:
                return f"{MOST_FILES} files are on the way already; reload the page."
            if _sum(self._unread) - files.get(file, 0) + size > MOST_UNREAD:
                return "The server receives as many files as it can; try again in a minute."
            files[file] = size
        return ""

    def end(self, session: str, file: str) -> None:
        """Note that ``file`` is read, or no longer wanted."""
        with self._lock:
            self._unread.get(session, {}).pop(file, None)

    def store(self, session: str, key: str, size: int) -> str:
        """Note that ``session`` keeps ``size`` bytes as ``key``, 0 for none; why it may not, or ""."""
        with self._lock:
            others = _sum(self._stored) - self._stored.get(session, {}).get(key, 0)
            if size and others + size > MOST_STORED:
                return "the server keeps as many files as it can; try again when another visitor has left"
            self._stored.setdefault(session, {})[key] = size
        return ""


@cache
def uploads() -> Uploads:
    """The uploads of this server process."""
    return Uploads()


@st.cache_resource(scope="session", on_release=lambda session: _end(session), show_spinner=False)
def uploader(session: str) -> str:
    """``session``, which may upload from now on until its tab is closed."""
    uploads().open(session)
    return session


def _end(session: str) -> None:
    """Forget what a session has brought, and the figures made of it."""
    uploads().close(session)
    store().forget()


def _sum(sizes: dict[str, dict[str, int]]) -> int:
    return sum(size for files in sizes.values() for size in files.values())
