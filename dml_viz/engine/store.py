"""The store of a server for what outlives a job: bytes under a key, in memory, or in a folder that its replicas share.

Servers unpickle what is in the folder, so whoever can write to it can run code on them: only servers may have access.
"""

import hashlib
import os
import pickle
import tempfile
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

MEMORY, DISK = 200_000_000, 10_000_000_000  # bytes
DAYS = 14
TIDIED_PER = 16  # a folder is looked through whenever this share of its bound has been written


class Store:
    """Values in memory, of at most ``most`` bytes in all; the oldest are dropped. Safe to use from any thread."""

    lasting = False  # whether values outlive the server

    def __init__(self, most: int = MEMORY) -> None:
        self._most = most
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: str) -> bytes | None:
        """The value put last under ``key``; None without one, or if it was dropped."""
        with self._lock:
            return self._values.get(key)

    def load(self, key: str) -> Any:
        """The object pickled under ``key``; None without one, or if it cannot be read."""
        with suppress(OSError, pickle.UnpicklingError, EOFError):
            value = self.get(key)
            return pickle.loads(value) if value else None
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


class FolderStore(Store):
    """Values in files of ``folder``, of at most ``most`` bytes and ``days``; a file appears whole or not at all.

    OSError if the folder cannot be created or written to.
    """

    lasting = True

    def __init__(self, folder: Path, most: int = DISK, days: float = DAYS) -> None:
        super().__init__(most)
        self._folder, self._seconds = folder, days * 86_400
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._tidy()
        self.put("writable", b"")

    def get(self, key: str) -> bytes | None:
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, key: str, value: bytes) -> None:
        if len(value) > self._most // 4:
            return
        with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
            file.write(value)
        os.replace(file.name, self._path(key))
        with self._lock:
            self._bytes += len(value)
            due = self._bytes > self._most // TIDIED_PER
        if due:
            self._tidy()

    def _path(self, key: str) -> Path:
        return self._folder / hashlib.sha256(key.encode()).hexdigest()

    def _tidy(self) -> None:
        """Remove files that are too old, also unfinished ones, then the oldest, until there is room for the next writes."""
        room, now = self._most - self._most // TIDIED_PER, time.time()
        with self._lock:
            self._bytes = 0
        found = []
        for entry in os.scandir(self._folder):
            with suppress(FileNotFoundError):  # another replica tidies, too
                found.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
        for modified, size, path in sorted(found, reverse=True):
            room -= size
            if room < 0 or now - modified > self._seconds:
                with suppress(FileNotFoundError):
                    os.remove(path)


def store_at(place: str) -> Store:
    """The store named in a configuration: "memory", or a folder; OSError if that cannot be used."""
    return Store() if place == "memory" else FolderStore(Path(place).expanduser())
