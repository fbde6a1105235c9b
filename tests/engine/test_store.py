"""Values put into a store come back complete, from another process too, within the store's bounds."""

import errno
import hashlib
import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from dml_viz.engine.store import LOG, MARKER, PREFIX, FolderStore, Store, store_at


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
    store, seen = a_store(16_000), list[Path]()
    for number in range(40):
        store.put(str(number), bytes(1000))
        # A file system's clock may be too coarse to say which is older.
        seen = [path for path in seen if path.exists()] + [path for path in tmp_path.iterdir() if path not in seen]
        for age, path in enumerate(seen[::-1], 1):
            os.utime(path, (time.time() - age, time.time() - age))
    there = [number for number in range(40) if store.get(str(number)) is not None]
    assert there == list(range(40 - len(there), 40))
    assert 13 <= len(there) <= 16


def test_a_value_larger_than_a_quarter_of_the_room_is_left_out(a_store: Callable[..., Store]) -> None:
    store = a_store(1000)
    store.put("much", bytes(251))
    assert store.get("much") is None


def test_old_and_unfinished_files_go_when_a_server_starts_and_others_stay(tmp_path: Path) -> None:
    FolderStore(tmp_path).put("run", b"value")
    (tmp_path / f"{PREFIX}unfinished").write_bytes(b"half")
    (tmp_path / "thesis.txt").write_text("years of work")
    (tmp_path / ("a" * 64)).mkdir()
    (tmp_path / "photos").mkdir()
    for path in tmp_path.iterdir():
        os.utime(path, (1, 1))
    assert FolderStore(tmp_path).get("run") is None
    assert {path.name for path in tmp_path.iterdir()} == {MARKER, "thesis.txt", "a" * 64, "photos"}


@pytest.mark.parametrize("name", ["thesis.txt", "a" * 64, "photos/"])
def test_a_folder_with_files_of_others_is_refused_and_left_as_it_is(name: str, tmp_path: Path) -> None:
    if name.endswith("/"):
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_text("")
    with pytest.raises(OSError, match=rf"{name.rstrip('/')}, which is not of a store of runs; name an empty folder"):
        FolderStore(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name.rstrip("/")]


def test_a_new_volume_and_a_store_of_an_earlier_version_are_taken(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    (new / "lost+found").mkdir(parents=True)
    (new / ".snapshot").mkdir()
    old.mkdir()
    for key in ("writable", "run"):
        (old / hashlib.sha256(key.encode()).hexdigest()).write_bytes(b"")
    for folder in (new, old):
        store = FolderStore(folder)
        assert store.get("run") is None
        store.put("run", b"value")
        assert store.get("run") == b"value"


def test_a_clock_that_is_set_while_the_server_runs_makes_no_run_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FolderStore(tmp_path, most=1600)
    store.put("run", b"value")
    later = time.time() + 15 * 86_400
    monkeypatch.setattr(time, "time", lambda: later)
    store.put("much", bytes(200))
    assert store.get("run") == b"value"


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes the disk one of so many bytes, on which a file does not fit when it is given its name."""
    real, room = os.replace, [1 << 40]

    def replace(source: str, target: str | Path) -> None:
        if sum(path.stat().st_size for path in tmp_path.iterdir()) > room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    return lambda size: room.__setitem__(0, size)


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the store has warned of."""
    said: list[str] = []
    monkeypatch.setattr(LOG, "warning", lambda text, *values: said.append(text % values))
    return said


def test_on_a_full_disk_the_oldest_go_for_the_newest_and_nothing_unfinished_stays(
    full_disk: Callable[[int], None], tmp_path: Path, warnings: list[str]
) -> None:
    store = FolderStore(tmp_path)
    full_disk(2000)
    for number in range(40):
        store.put(str(number), bytes(100))
        assert store.get(str(number)) == bytes(100)
        os.utime(store._path(str(number)), (time.time() - 100 + number,) * 2)
    there = [number for number in range(40) if store.get(str(number)) is not None]
    assert there == list(range(40 - len(there), 40))
    assert len(there) >= 13, "no more go than make room"
    assert not warnings
    for _ in range(2):
        store.put("larger than the disk", bytes(2500))
    assert sum(store.get(str(number)) is not None for number in there) == len(there)
    full_disk(0)
    for number in range(100, 110):
        store.put(str(number), bytes(100))
    assert not list(tmp_path.glob(f"{PREFIX}*"))
    [told] = warnings
    assert "runs are not saved" in told
    assert "No space left on device" in told


def test_a_server_starts_on_a_full_disk_and_saves_as_soon_as_there_is_room(
    full_disk: Callable[[int], None], tmp_path: Path, warnings: list[str]
) -> None:
    full_disk(0)
    store = FolderStore(tmp_path)
    assert "runs are not saved" in warnings[0]
    store.put("run", b"lost")
    assert store.get("run") is None
    full_disk(10_000)
    store.put("run", b"value")
    assert FolderStore(tmp_path).get("run") == b"value", "the folder is marked by now"


def test_files_that_cannot_be_removed_are_no_error_of_who_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warnings: list[str]
) -> None:
    store = FolderStore(tmp_path, most=16_000)

    def refuse(path: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "remove", refuse)
    for number in range(40):
        store.put(str(number), bytes(1000))
    assert store.get("39") == bytes(1000)
    assert "Permission denied" in warnings[0]


def test_a_damaged_file_is_no_value_whatever_was_damaged(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.put("run", pickle.dumps(Path("a")))
    path = store._path("run")
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        assert store.load("run", Path) is None
        path.write_bytes(whole[:place])
        assert store.load("run", Path) is None
    path.write_bytes(whole)
    assert store.load("run", Path) == Path("a")


def test_a_damaged_first_value_is_replaced_by_one_that_all_servers_read(tmp_path: Path, warnings: list[str]) -> None:
    path = FolderStore(tmp_path)._path("secret")
    for damaged in (b"", b"x" * 40):
        path.write_bytes(damaged)
        assert [FolderStore(tmp_path).first("secret", value) for value in (b"one", b"two")] == [b"one", b"one"]
    assert len(warnings) == 2
    path.unlink()
    path.mkdir()
    assert FolderStore(tmp_path).first("secret", b"three") == b"three", "what cannot be removed is no error"


@pytest.mark.parametrize(
    "value",
    [
        pickle.dumps({"a": "job"}),
        b"cno_such_module\nname\n.",
        pickle.dumps("\ud800", 4).replace(b"\xed\xa0\x80", b"\xff\xff\xff"),
        b"\x80\x04",
        b"",
        b"I1e9\n.",
        b"cos\nno_such\n.",
    ],
)
def test_what_is_no_saved_job_is_none(value: bytes, a_store: Callable[..., Store]) -> None:
    store = a_store(1000)
    store.put("run", value)
    assert store.load("run", Path) is None


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
    with pytest.raises(OSError, match=r"file cannot be used \(File exists\); name a folder that the server may write to"):
        store_at(str(tmp_path / "file"))
    with pytest.raises(ValueError, match="write memory, or a folder"):
        store_at("")  # else the folder where the app is started
