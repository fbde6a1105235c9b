"""The store of a server for what outlives a job: bytes under a key, in memory, or in a folder that its replicas share.

Servers unpickle what is in the folder, so whoever can write to it can run code on them: only servers may have access.
"""

import errno
import hashlib
import logging
import os
import pickle
import re
import tempfile
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

LOG = logging.getLogger(__name__)
MEMORY, DISK = 200_000_000, 10_000_000_000  # bytes
DAYS = 14
TIDIED_PER = 16  # a folder is looked through whenever this share of its bound has been written
UNFINISHED = 60.0  # seconds after which a file that is still being written belongs to a server that is gone
FULL = (errno.ENOSPC, errno.EDQUOT)
MARKER, PREFIX = "dml-viz-store.txt", ".dml-viz-"  # the file that marks a store; of files that are being written
NOTE = "dml-viz saves runs in this folder. It removes the oldest of its own files and leaves all others alone.\n"
NAME, DIGEST = re.compile(r"[0-9a-f]{64}"), 32  # of a value's file; the bytes of the checksum before the value
FOUND_ON_DISKS = ("lost+found",)  # of the file system, as are hidden files
T = TypeVar("T")


class Store:
    """Values in memory, of at most ``most`` bytes in all; the oldest are dropped. Safe to use from any thread."""

    lasting = False  # whether values outlive the server

    def __init__(self, most: int = MEMORY) -> None:
        self._most = most
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: str) -> bytes | None:
        """The value put last under ``key``; None without one, or if it was dropped or damaged."""
        with self._lock:
            return self._values.get(key)

    def first(self, key: str, value: bytes) -> bytes:
        """The value under ``key``; if there is none, ``value``, which is stored: servers that ask at a time get the same."""
        with self._lock:
            return self._values.setdefault(key, value)

    def load(self, key: str, kind: type[T]) -> T | None:
        """The ``kind`` pickled under ``key``; None without one, or if it cannot be read."""
        with suppress(Exception):  # a pickle of another version can fail in any way
            value = pickle.loads(self.get(key) or b"")
            return value if isinstance(value, kind) else None
        return None

    def put(self, key: str, value: bytes) -> None:
        """Store a value under ``key``; a value larger than a quarter of the store is left out."""
        if len(value) > self._most // 4:
            return
        with self._lock:
            self._bytes += len(value) - len(self._values.pop(key, b""))
            self._values[key] = value
            while self._bytes > self._most:
                self._bytes -= len(self._values.popitem(last=False)[1])

    def drop(self, key: str) -> None:
        """Forget the value under ``key``, if there is one."""
        with self._lock:
            self._bytes -= len(self._values.pop(key, b""))


class FolderStore(Store):
    """Values in files of ``folder``, of at most ``most`` bytes and ``days``; a file appears whole or not at all.

    On a full disk the oldest values make room for the newest; what cannot be written is logged. OSError, whose sentence says
    why, if the folder cannot be created or written to, or holds files of others.
    """

    lasting = True

    def __init__(self, folder: Path, most: int = DISK, days: float = DAYS) -> None:
        super().__init__(most)
        self._folder, self._seconds = folder, days * 86_400
        # Ages are by the clock of the start: a clock that is set while the server runs makes no file old.
        self._began, self._failing = time.time() - time.monotonic(), False
        try:
            self._open()
        except OSError as error:
            if error.errno is None:
                raise
            if error.errno not in FULL:
                why = f"the store {folder} cannot be used ({error.strerror})"
                raise OSError(f"{why}; name a folder that the server may write to") from error
            self._warn(error)

    def get(self, key: str) -> bytes | None:
        try:
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            LOG.warning("a value of the store %s cannot be read: %s", self._folder, error)
            return None
        value = content[DIGEST:]
        return value if content[:DIGEST] == hashlib.sha256(value).digest() else None

    def put(self, key: str, value: bytes) -> None:
        if len(value) > self._most // 4:
            return
        try:
            self._put_file(self._path(key), hashlib.sha256(value).digest() + value)
            with self._lock:
                self._failing = False
                self._bytes += len(value)
                due = self._bytes > self._most // TIDIED_PER
            if due:
                self._tidy()
        except OSError as error:
            self._warn(error)

    def first(self, key: str, value: bytes) -> bytes:
        if (stored := self.get(key)) is not None:
            return stored
        path = self._path(key)
        try:
            if path.exists() and self.get(key) is None:  # in this order, since another server may write it meanwhile
                LOG.warning("a damaged value of the store %s is replaced", self._folder)
                path.unlink(missing_ok=True)
            self._write(path, hashlib.sha256(value).digest() + value, only_new=True)
        except FileExistsError:
            pass  # another server was first
        except OSError as error:
            self._warn(error)
        return self.get(key) or value

    def _open(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if others := self._others():
            raise FileExistsError(
                f"the store {self._folder} holds {others[0]}, which is not of a store of runs; name an empty folder"
            )
        self._tidy()
        self._put_file(self._folder / MARKER, NOTE.encode())  # also shows whether the folder can be written to

    def _others(self) -> list[str]:
        """The files and folders of others in a folder that is no store yet."""
        names = [name for name in os.listdir(self._folder) if not name.startswith(".") and name not in FOUND_ON_DISKS]
        # Looked for last: another replica may have marked the folder meanwhile. Stores without a marker hold this key.
        return [] if (self._folder / MARKER).exists() or self._path("writable").exists() else sorted(names)

    def _put_file(self, path: Path, content: bytes) -> None:
        """Write ``content`` to ``path``; on a full disk, once more after the oldest values have made room for it."""
        try:
            self._write(path, content)
        except OSError as error:
            if error.errno not in FULL:
                raise
            self._tidy(needed=len(content))
            self._write(path, content)

    def _write(self, path: Path, content: bytes, *, only_new: bool = False) -> None:
        if path.name != MARKER and not (self._folder / MARKER).exists():  # the disk was full at the start
            self._write(self._folder / MARKER, NOTE.encode())
        with tempfile.NamedTemporaryFile(dir=self._folder, prefix=PREFIX, delete=False) as file:
            try:
                file.write(content)
                if only_new:  # is read for as long as servers run, and may not be lost with the power
                    file.flush()
                    os.fsync(file.fileno())
                file.close()  # before it is moved, as Windows wants it
                (os.link if only_new else os.replace)(file.name, path)
            finally:
                file.close()
                with suppress(OSError):  # what was moved is there no longer
                    os.unlink(file.name)

    def _path(self, key: str) -> Path:
        return self._folder / hashlib.sha256(key.encode()).hexdigest()

    def _tidy(self, needed: int = 0) -> None:
        """Remove own files that are too old or unfinished, then the oldest, until there is room for the next writes.

        The removed files have at least ``needed`` bytes, unless all together have fewer.
        """
        now = self._began + time.monotonic()
        with self._lock:
            self._bytes = 0
        entries = []
        for entry in os.scandir(self._folder):
            unfinished = entry.name.startswith(PREFIX)
            if unfinished or NAME.fullmatch(entry.name):
                with suppress(FileNotFoundError):  # another replica tidies, too
                    if entry.is_file(follow_symlinks=False):
                        about = entry.stat(follow_symlinks=False)
                        lasts = UNFINISHED if unfinished else self._seconds
                        entries.append((about.st_mtime, about.st_size, lasts, entry.path))
        room, stored = self._most - self._most // TIDIED_PER, sum(size for _, size, _, _ in entries)
        if needed <= stored:
            room = min(room, stored - needed)
        for modified, size, lasts, path in sorted(entries, reverse=True):
            room -= size
            if room < 0 or now - modified > lasts:
                with suppress(FileNotFoundError):
                    os.remove(path)

    def _warn(self, error: OSError) -> None:
        """Log that the store cannot be written, once until it can be again."""
        with self._lock:
            warned, self._failing = self._failing, True
        if not warned:
            LOG.warning("runs are not saved: the store %s cannot be written (%s)", self._folder, error.strerror or error)


def store_at(address: str) -> Store:
    """The store named in a configuration: "memory", or a folder; OSError if that cannot be used, ValueError for an empty name."""
    if not address:
        raise ValueError("store = '' is not allowed; write memory, or a folder")
    return Store() if address == "memory" else FolderStore(Path(address).expanduser())
