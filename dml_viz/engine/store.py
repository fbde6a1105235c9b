"""Where a server puts what outlives a job: bytes under a key, in its memory, or in a folder that its replicas share.

Whoever can write to the folder can run code on the servers, which unpickle what they find there: it is theirs alone.
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
    """Values in memory, of at most ``most`` bytes in all; the oldest ones go. Safe to use from any thread."""

    lasting = False  # whether values outlive the server

    def __init__(self, most: int = MEMORY) -> None:
        self._most = most
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: str) -> bytes | None:
        """The value put last under ``key``; None where there is none, or none any more."""
        with self._lock:
            return self._values.get(key)

    def load(self, key: str) -> Any:
        """The object pickled under ``key``; None where there is none that can be read."""
        with suppress(OSError, pickle.UnpicklingError, EOFError):
            value = self.get(key)
            return pickle.loads(value) if value else None
        return None

    def put(self, key: str, value: bytes) -> None:
        """Put a value in the place of the one before; one that would fill a quarter of the store is left out."""
        if len(value) > self._most // 4:
            return
        with self._lock:
            self._bytes += len(value) - len(self._values.pop(key, b""))
            self._values[key] = value
            while self._bytes > self._most:
                self._bytes -= len(self._values.popitem(last=False)[1])


class FolderStore(Store):
    """Values in files of ``folder``, of at most ``most`` bytes and ``days``; a file appears whole or not at all.

    OSError where the folder cannot be made or written to.
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
        """Remove what is too old, unfinished files too, then the oldest, so that there is room until the next time."""
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
    """The store that a configuration names: "memory", or a folder; OSError where it cannot be used."""
    return Store() if place == "memory" else FolderStore(Path(place).expanduser())
