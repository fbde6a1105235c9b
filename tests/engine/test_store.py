"""Values put into a store come back complete, from another process too, within the store's bounds."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from dml_viz.engine.store import FolderStore, Store, store_at


@pytest.fixture(params=["memory", "folder"])
def a_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Store]:
    return Store if request.param == "memory" else lambda most: FolderStore(tmp_path, most)


def test_the_value_put_last_comes_back_and_other_keys_have_none(a_store: Callable[..., Store]) -> None:
    store = a_store(1000)
    store.put("run", b"first")
    store.put("run", b"second")
    assert store.get("run") == b"second"
    assert store.get("ru") is None


@pytest.mark.parametrize("key", ["../../etc/passwd", "a/b", "", "\0", "x" * 5000, "CON", "ü"])
def test_any_text_is_a_key(key: str, a_store: Callable[..., Store], tmp_path: Path) -> None:
    store = a_store(1000)
    store.put(key, b"value")
    assert store.get(key) == b"value"
    assert all(path.parent == tmp_path for path in tmp_path.rglob("*"))


def test_the_oldest_values_go_where_there_is_no_room(a_store: Callable[..., Store], tmp_path: Path) -> None:
    store, seen = a_store(1600), list[Path]()
    for number in range(40):
        store.put(str(number), bytes(100))
        # A file system's clock may be too coarse to say which is older.
        seen = [path for path in seen if path.exists()] + [path for path in tmp_path.iterdir() if path not in seen]
        for age, path in enumerate(seen[::-1], 1):
            os.utime(path, (time.time() - age, time.time() - age))
    there = [number for number in range(40) if store.get(str(number)) is not None]
    assert there == list(range(40 - len(there), 40))
    assert 14 <= len(there) <= 16


def test_a_value_larger_than_a_quarter_of_the_room_is_left_out(a_store: Callable[..., Store]) -> None:
    store = a_store(1000)
    store.put("much", bytes(251))
    assert store.get("much") is None


def test_old_and_unfinished_files_go_when_a_server_starts(tmp_path: Path) -> None:
    FolderStore(tmp_path).put("run", b"value")
    (tmp_path / "tmpunfinished").write_bytes(b"half")
    for path in tmp_path.iterdir():
        os.utime(path, (1, 1))
    assert FolderStore(tmp_path).get("run") is None
    assert len(list(tmp_path.iterdir())) == 1


def test_replicas_that_read_and_write_one_key_see_whole_values(tmp_path: Path) -> None:
    written = [bytes([letter]) * 100_000 for letter in b"abcd"]

    def write(value: bytes) -> None:
        store = FolderStore(tmp_path)
        for _ in range(50):
            store.put("run", value)

    threads = [Thread(target=write, args=(value,)) for value in written]
    for thread in threads:
        thread.start()
    reader, found = FolderStore(tmp_path), set()
    while any(thread.is_alive() for thread in threads):
        found.add(reader.get("run"))
    assert found <= {None, *written}


def test_a_folder_that_cannot_be_used_is_an_error_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        store_at(str(tmp_path / "file"))
