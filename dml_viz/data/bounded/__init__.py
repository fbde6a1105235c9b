"""Visitors' files and data sets of OpenML, read and ranked in a process of its own whose memory and time are watched.

The child is a fresh interpreter without torch. It limits its own memory where the system can; the parent looks at its resident
memory and its processor time on every platform, and kills it beyond the `Bounds`.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dml_viz.data.bounded import _child
from dml_viz.data.bounded._process import Bounds, Ended, call
from dml_viz.data.bounded._process import children as children
from dml_viz.data.files import File, FileError, OwnEmbeddings, OwnImages, read
from dml_viz.embedding.query_gallery import QueryScores
from dml_viz.embedding.search import Nearest

SECONDS, BYTES_PER_SECOND = 6.0, 4 << 20  # of processor time, and how much larger files get one more second
WAITS = 10.0  # times as long by the clock, where others have the processor
ANSWERS = Bounds(10.0, 10.0)  # for the first answer of OpenML
FETCHES = Bounds(60.0, 120.0, 2 << 30)  # for a data set, which scikit-learn reads number by number
RANKS = Bounds(900.0, 1800.0, 3 << 29)  # for the largest file
T = TypeVar("T")


def read_bounded(files: Sequence[File], progress: Callable[[float], object]) -> OwnEmbeddings | OwnImages:
    """Read files by `dml_viz.data.files.read` in a child process, with its FileErrors; FileError beyond the child's bounds."""
    return _of_files(read, files, progress)


def arrays_bounded(file: File) -> dict[str, Any]:
    """Read arrays by `dml_viz.data.files.arrays_of` in a child process, with its FileErrors; FileError beyond its bounds."""
    return _of_files(_child.read_archive_arrays, [file], lambda share: None)


def nearest_bounded(file: OwnEmbeddings, size: int, progress: Callable[[float], object]) -> Nearest:
    """Find the nearest ``size`` rows of each query of ``file`` in a child process, whose nice work holds up no other visitor."""
    return _of_rows(file, "search", progress, _child.nearest, file.z, file.query, file.gallery, size)


def ranked_bounded(file: OwnEmbeddings, progress: Callable[[float], object]) -> QueryScores:
    """Rank the queries of ``file`` in a child process."""
    return _of_rows(file, "rank", progress, _child.ranked, file.z, file.y, file.query, file.gallery)


def mapped_bounded(file: OwnEmbeddings, known: Nearest | None, progress: Callable[[float], object]) -> NDArray[np.float32]:
    """Return the places of all rows of ``file`` by `dml_viz.embedding.rows_map.places_in_map`, found in a child process."""
    return _of_rows(file, "map", progress, _child.mapped, file.z, known)


def placed_bounded(file: OwnEmbeddings) -> tuple[NDArray[np.float32], float]:
    """Return the places of all rows of ``file`` by `dml_viz.embedding.rows_plane.places_in_plane`, found in a child process."""
    return _of_rows(file, "place", lambda share: None, _child.placed, file.z)


def openml_bounded(which: str) -> OwnEmbeddings | OwnImages:
    """Fetch a data set by `dml_viz.data.openml.fetch_dataset` in a child process; FileError also where OpenML takes too long."""
    elsewhere = "download the data set as CSV on another machine and drop it here"
    try:
        call(_child.cache_openml_size, which, bounds=ANSWERS)
    except Ended as end:
        raise FileError(f"OpenML has not answered within {ANSWERS.clock:.0f} seconds; {elsewhere}") from end
    try:
        return call(_child.fetch_from_openml, which, bounds=FETCHES)
    except Ended as end:
        what = f"{FETCHES.memory >> 30} GB of memory" if end.reason == "memory" else f"{FETCHES.clock:.0f} seconds"
        raise FileError(f"data set {which} of OpenML takes more than {what} to fetch and read; {elsewhere}") from end


def _of_rows(file: OwnEmbeddings, verb: str, progress: Callable[[float], object], fn: Callable[..., T], *args: Any) -> T:
    try:
        return call(fn, *args, bounds=RANKS, progress=progress)
    except Ended as end:
        what = f"{RANKS.memory >> 20} MB of memory" if end.reason == "memory" else f"{RANKS.seconds:.0f} seconds"
        raise FileError(f"the {len(file.y):,} rows of {file.title} take more than {what} to {verb}; save fewer rows") from end


def _of_files(fn: Callable[..., T], files: Sequence[File], progress: Callable[[float], object]) -> T:
    size = sum(len(file.content) for file in files)
    # Of honest files the slowest, a hundred thousand tiny images, take half of these seconds.
    seconds = SECONDS + size / BYTES_PER_SECOND
    bounds = Bounds(seconds, WAITS * seconds)
    title = files[0].name if len(files) < 3 else files[0].name.strip("/").partition("/")[0]
    try:
        return call(fn, files, progress=progress, bounds=bounds)
    except Ended as end:
        what = {
            "memory": f"takes more than {bounds.memory >> 20} MB of memory to read",
            "time": f"takes more than {bounds.seconds:.0f} seconds to read",
            "": "breaks the library that reads it",
        }[end.reason]
        raise FileError(
            f"{title} {what}; save fewer or smaller rows and images, and embeddings best as np.savez('a.npz', z=z, y=y)"
        ) from end
