"""What reading takes: each hostile file of `tests.hostile_files`, and honest ones as large as are read.

A hostile file may take 10 seconds and 1 GB of resident memory; an honest one is read. While the worst files are read, others'
small files are. Memory and processor time are those of the process that reads.
"""

import io
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Event, Thread

import numpy as np
import psutil
from PIL import Image

from dml_viz.data.bounded import children, read_bounded
from dml_viz.data.files import File, FileError, read
from dml_viz.serve.uploads import Turns
from tests.hostile_files import corpus

SECONDS, MEMORY = 10.0, 1 << 30
WORST = ("1,000 images of 16 million pixels", "3 million long words as arrow", "1 million columns", "transparent ones")


class Peak(Thread):
    """The most resident memory and processor time of any process that this one starts, until `stop`."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.memory, self.seconds, self._stopped = 0, 0.0, Event()
        self.start()

    def run(self) -> None:
        """Look at all child processes, every 5 ms."""
        while not self._stopped.wait(0.005):
            for child in psutil.Process().children():
                with suppress(psutil.Error):
                    self.memory = max(self.memory, child.memory_info().rss)
                    self.seconds = max(self.seconds, sum(child.cpu_times()[:2]))

    def stop(self) -> None:
        """Stop looking."""
        self._stopped.set()
        self.join()


def warm() -> None:
    """Have a process that waits, with its imports done."""
    children().start_spare_child()
    while not any(child.memory_info().rss > 90 << 20 for child in psutil.Process().children()):
        time.sleep(0.05)
    time.sleep(0.2)


def honest() -> Iterator[tuple[str, Sequence[File]]]:
    """Honest files, as large as are read, or with as many images."""
    rng = np.random.default_rng(0)

    def npz(save: Callable[..., None], **arrays: object) -> Sequence[File]:
        stream = io.BytesIO()
        save(stream, **arrays)
        return [File("a.npz", stream.getvalue())]

    def zipped(form: str, side: int, count: int) -> Sequence[File]:
        stream, some = io.BytesIO(), []
        for _ in range(20):
            small = Image.fromarray(rng.integers(0, 256, (side // 4, side // 4, 3)).astype(np.uint8))
            image = io.BytesIO()
            small.resize((side, side), Image.Resampling.BICUBIC).save(image, form, quality=60)
            some.append(image.getvalue())
        with zipfile.ZipFile(stream, "w") as archive:
            for place in range(min(count, (120 << 20) // len(some[0]))):
                archive.writestr(f"c{place % 100}/{place}.{form}", some[place % 20])
        return [File("a.zip", stream.getvalue())]

    z, y = rng.standard_normal((6000, 4096)).astype(np.float32), np.arange(6000) % 100
    yield "5,000 x 512 numbers", npz(np.savez, z=z[:5000, :512], y=y[:5000])
    yield "6,000 x 4,096 numbers", npz(np.savez, z=z, y=y)
    yield "6,000 x 4,096 numbers, compressed", npz(np.savez_compressed, z=z, y=y)
    lines = [",".join(f"{number:.6f}" for number in row) + f",c{k % 9}" for k, row in enumerate(z[:, :1000])]
    columns = ",".join(f"d{k}" for k in range(1000)) + ",label\n"
    yield "6,000 x 1,000 numbers as CSV", [File("a.csv", (columns + "\n".join(lines)).encode())]
    lists = [f'"[{line.rpartition(",")[0]}]",c{k % 9}' for k, line in enumerate(lines)]
    yield "6,000 lists of 1,000 as CSV", [File("a.csv", ("embedding,label\n" + "\n".join(lists)).encode())]
    yield "10,000 PNG of 64 x 64", zipped("png", 64, 10_000)
    yield "60,000 PNG of 28 x 28", zipped("png", 28, 60_000)
    yield "131,000 PNG of 12 x 12", zipped("png", 12, 131_000)
    yield "10,000 JPEG of 400 x 400", zipped("jpeg", 400, 10_000)


def measured(files: Sequence[File]) -> tuple[str, float, Peak]:
    """What became of ``files``, after how many seconds, and what the process took."""
    warm()
    peak, began = Peak(), time.perf_counter()
    try:
        read_bounded(files, lambda share: None)
        said = "read"
    except FileError as error:
        said = str(error)
    seconds = time.perf_counter() - began
    peak.stop()
    return said, seconds, peak


def hindered() -> float:
    """The longest that another visitor waits for a small file while two others bring the worst files, in seconds."""
    worst = [list(make()) for _, name, make in corpus() if name.startswith(WORST)]
    turns, done, longest = Turns(2), Event(), 0.0

    def bring(visitor: str, files: Sequence[File]) -> None:
        with turns.of(visitor), suppress(FileError):
            read_bounded(files, lambda share: None)

    def attack() -> None:
        for files in worst:
            bring("attacker", files)
        done.set()

    [small] = (files for name, files in honest_small())
    Thread(target=attack, daemon=True).start()
    while not done.is_set():
        children().start_spare_child()
        began = time.perf_counter()
        bring("another", small)
        longest = max(longest, time.perf_counter() - began)
    return longest


def honest_small() -> Iterator[tuple[str, Sequence[File]]]:
    """A small file."""
    stream = io.BytesIO()
    np.savez(stream, z=np.random.default_rng(0).standard_normal((60, 8)), y=np.arange(60) % 3)
    yield "small", [File("a.npz", stream.getvalue())]


def main() -> int:
    """Print a table of all files; return how many took too much, or were not read though honest."""
    failed, worst = 0, dict[str, tuple[int, float, int]]()
    for kind, name, make in corpus():
        files = list(make())
        said, seconds, peak = measured(files)
        over = seconds > SECONDS or peak.memory > MEMORY or "breaks the library" in said
        failed += over
        size = sum(len(file.content) for file in files) / 2**20
        print(
            f"{kind:18} {name[:40]:40} {size:7.2f} MB {seconds:6.2f} s {peak.memory >> 20:5} MB {'OVER ' * over}{said[:110]}",
            flush=True,
        )
        count, slowest, most = worst.get(kind, (0, 0.0, 0))
        worst[kind] = count + 1, max(slowest, seconds), max(most, peak.memory >> 20)
    for kind, (count, seconds, memory) in worst.items():
        print(f"{kind:18} {count:4} files, slowest {seconds:5.2f} s, most {memory:5} MB")
    for name, large in honest():
        began = time.perf_counter()
        with suppress(FileError):
            read(large)
        here, size = time.perf_counter() - began, len(large[0].content) >> 20
        said, seconds, peak = measured(large)
        failed += said != "read"
        print(f"{name:36} {size:4} MB {here:6.2f} s here, {seconds:6.2f} s, {peak.memory >> 20:5} MB {said[:90]}", flush=True)
    print(f"another visitor's small file, while the worst are read: at most {hindered():.2f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main())
