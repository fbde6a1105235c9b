"""A hostile file is refused in a sentence, in bounded time and memory; honest ones are read as in this process."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from threading import Event

import numpy as np
import psutil
import pytest

from dml_viz.data import bounded
from dml_viz.data.bounded import _child, arrays_bounded, children, openml_bounded, read_bounded
from dml_viz.data.bounded._process import Bounds, Ended, Watchdog, call
from dml_viz.data.files import File, FileError, OwnEmbeddings, OwnImages, read
from tests import hostile_files as hostile
from tests import hostile_work as work

MB = 1 << 20
ROOMY = Bounds(20.0, 200.0)
HOSTILE = {name: (kind, make) for kind, name, make in hostile.corpus()}
# A few of every kind, of those that took gigabytes or minutes before they were refused.
REFUSED = {
    "1 million long words as parquet": "has more than 131,072 rows",
    "3 million long words as arrow": "has more than 131,072 rows",
    "1 million columns": "has 1,000,001 columns; at most 4,160",
    "20 million lines": "has 20,000,002 lines; at most 131,072",
    "one field of 120 MB": "a line of a.csv has 120 MB; at most 1 MB",
    "short lines under many columns": "130,002 lines of 4,001 columns; at most 27,262,976 numbers",
    "1,000 images of 16 million pixels": "more than 1,000 million pixels in all; make them smaller",
    "zeros said to be small under method 8": "z of a.npz ends before|Bad CRC|cannot be read",
    "header 1": "ends before its",
    "pt": "is a pickle",
    "way out ../": "lies outside its folder",
    "100000 x 100000": "is too large",
    "named 'a.docx'": "in no format",
}


def honest() -> Sequence[File]:
    rng = np.random.default_rng(0)
    content = hostile.npz(z=rng.random((40, 3)), y=np.arange(40) % 5, images=rng.integers(0, 256, (40, 9, 9)))
    return [File("mine.npz", content)]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Children start quickly: they make calls of `tests.hostile_work`, which read no file."""
    children().next_child().end()
    monkeypatch.setattr(_child, "__file__", work.__file__)
    yield
    children().next_child().end()


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_file_is_refused_before_it_does_harm(name: str) -> None:
    files = list(HOSTILE[name][1]())
    with pytest.raises(FileError, match=REFUSED[name]) as error:
        read(files)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_the_sample_has_every_kind_of_hostile_file() -> None:
    assert {HOSTILE[name][0] for name in REFUSED} == set(hostile.KINDS)
    assert len(list(hostile.corpus())) >= 209


def test_what_another_process_reads_is_what_this_one_reads() -> None:
    shares: list[float] = []
    found, wanted = read_bounded(honest(), shares.append), read(honest())
    assert isinstance(found, OwnEmbeddings)
    assert isinstance(wanted, OwnEmbeddings)
    assert (found.z == wanted.z).all()
    assert (found.names, found.fingerprint, found.title) == (wanted.names, wanted.fingerprint, wanted.title)
    assert isinstance(found.trainable, OwnImages)
    assert wanted.trainable
    assert (found.trainable.images.x == wanted.trainable.images.x).all()
    assert not found.trainable.images.x.flags.writeable
    assert shares
    arrays = arrays_bounded(honest()[0])
    assert (arrays["y"] == np.arange(40) % 5).all()
    with pytest.raises(FileError, match="is no archive of arrays"):
        read_bounded([File("a.npz", b"hello")], shares.append)


def test_words_of_a_dictionary_are_read_without_a_copy_for_each_row() -> None:
    z = np.random.default_rng(0).random((70_000, 2))
    [file] = hostile.table(z=z[:, 0], other=z[:, 1], label=hostile.words(70_000, 50_000))
    with pytest.raises(FileError, match="70,000 rows; at most 65,536"):
        read([file])  # 2.5 GB if each row had its word
    [few] = hostile.table("a.arrow", a=z[:4, 0], b=z[:4, 1], label=hostile.arrow.array(["x", "y", "x", "y"]).dictionary_encode())
    found = read([few])
    assert isinstance(found, OwnEmbeddings)
    assert (found.names, found.y.tolist()) == (("x", "y"), [0, 1, 0, 1])


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("call_of", "bounds", "reason"),
    [
        (work.hoard, Bounds(20.0, 200.0, 300 * MB), "memory"),
        (work.spin, Bounds(0.2, 200.0), "time"),
        (work.rest, Bounds(20.0, 0.2), "time"),
        (work.die, ROOMY, ""),
        (work.fail, ROOMY, ""),
    ],
)
def test_a_process_beyond_its_bounds_ends(call_of: object, bounds: Bounds, reason: str) -> None:
    with pytest.raises(Ended) as end:
        call(call_of, bounds=bounds)  # type: ignore[arg-type]
    assert end.value.reason == reason


def test_the_parent_ends_a_process_that_takes_memory_where_no_system_limits_it() -> None:
    hoards = [sys.executable, "-c", "from tests.hostile_work import hoard; hoard()"]
    with subprocess.Popen(hoards, cwd=work.__file__.rpartition("tests")[0]) as popen:
        watch = Watchdog(popen, Bounds(60.0, 600.0, 300 * MB))
        watch.until(Event())
        assert watch.reason == "memory"
        assert popen.wait()


@pytest.mark.parametrize(("reason", "words"), [("memory", "900 MB of memory"), ("time", "6 seconds"), ("", "breaks the library")])
def test_a_file_beyond_the_bounds_gets_a_sentence(reason: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(*_: object, **__: object) -> None:
        raise Ended(reason)

    monkeypatch.setattr(bounded, "call", ends)
    with pytest.raises(FileError, match=rf"^mine.npz .*{words}.*; save fewer or smaller rows") as error:
        read_bounded(honest(), lambda share: None)
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("quick")
def test_progress_comes_to_the_page_and_a_page_that_stops_ends_the_process() -> None:
    shares: list[float] = []
    assert call(work.count, bounds=ROOMY, progress=shares.append) == "done"
    assert shares == [0.25, 0.5, 1.0]
    children().start_spare_child()
    waits = children()._waits
    assert waits

    def stops(_: float) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        call(work.count, bounds=ROOMY, progress=stops)
    assert not waits.alive
    assert not psutil.pid_exists(waits._popen.pid)


@pytest.mark.usefixtures("quick")
def test_a_process_that_waited_too_long_is_replaced() -> None:
    for prepares in (True, False):
        children().start_spare_child()
        old = children()._waits
        assert old
        old._popen.kill()
        old._popen.wait()
        if prepares:
            children().start_spare_child()
            assert children()._waits is not old
        assert call(work.count, bounds=ROOMY) == "done"


def test_what_waits_imports_what_files_need_and_no_torch() -> None:
    assert "dml_viz.data.files" in _child.WARM
    imports = f"import sys, {', '.join(_child.WARM)}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", imports]).returncode == 0


@pytest.mark.usefixtures("quick")
def test_openml_that_does_not_answer_gets_a_sentence_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_child, "cache_openml_size", work.rest)
    monkeypatch.setattr(bounded, "ANSWERS", Bounds(10.0, 0.2))
    with pytest.raises(FileError, match=r"OpenML has not answered within .* drop it here"):
        openml_bounded("iris")
    monkeypatch.setattr(_child, "cache_openml_size", work.nothing)
    monkeypatch.setattr(_child, "fetch_from_openml", work.spin)
    monkeypatch.setattr(bounded, "FETCHES", Bounds(0.2, 0.2))
    with pytest.raises(FileError, match=r"data set iris of OpenML takes more than .* drop it here"):
        openml_bounded("iris")
