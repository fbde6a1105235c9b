"""The process that reads one visitor's file: it takes one call on standard input and answers on standard output.

Run as a script; see `dml_viz.data.bounded`.
"""

import importlib
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Timer
from typing import Any

NICE, NICER = 5, 10  # added for work on all cores
IDLE = 300.0  # seconds after which a process without a call ends
WARM = ("dml_viz.data.files", "pandas", "pyarrow.parquet", "pyarrow.feather")  # imported before the call comes
MORE = 10.0  # seconds of processor time beyond the bound, where no parent lives to see it


def answer_call() -> None:
    """Wait for one call, answer it, and end the process; output that libraries print goes to standard error."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    idle = Timer(IDLE, os._exit, (0,))
    idle.daemon = True
    idle.start()
    for name in WARM:
        importlib.import_module(name)
    with suppress(EOFError, OSError):  # the parent has no call, or is gone
        fn, args, memory, seconds = pickle.load(calls)
        idle.cancel()
        limit_resources(memory, seconds)
        _answer(fn, args, lambda kind, value: _send(answers, kind, value))
    os._exit(0)


def limit_resources(memory: int, seconds: float) -> None:
    """Limit what this process may take from now on, where the system can; the parent looks at it besides."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        resource = importlib.import_module("resource")
        used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds + MORE),) * 2)
        if sys.platform == "linux":
            with open("/proc/self/statm", encoding="ascii") as about:
                mapped, resident = (int(pages) * resource.getpagesize() for pages in about.read().split()[:2])
            resource.setrlimit(resource.RLIMIT_AS, (mapped + max(memory - resident, 0),) * 2)


def read_archive_arrays(files: Sequence[Any], progress: Callable[[float], object]) -> dict[str, Any]:
    """Read the arrays of an archive, as a call of this process."""
    from dml_viz.data.files import arrays_of

    return arrays_of(files[0])


def cache_openml_size(which: str, progress: Callable[[float], object]) -> None:
    """Put OpenML's answer on the size of a data set into the cache, as a call of this process."""
    from dml_viz.data import openml

    openml.cache_dataset_size(which)


def fetch_from_openml(which: str, progress: Callable[[float], object]) -> Any:
    """Fetch a data set of OpenML, as a call of this process."""
    from dml_viz.data import openml

    return openml.fetch_dataset(which)


def nearest(z: Any, query: Any, gallery: Any, size: int, progress: Callable[[float], object]) -> Any:
    """The nearest rows of each query, as a call of this process."""
    from dml_viz.embedding.search import nearest_rows, search_of

    return nearest_rows(search_of(z, query, gallery), size, progress, _threads())


def ranked(z: Any, y: Any, query: Any, gallery: Any, progress: Callable[[float], object]) -> Any:
    """Ranked queries, as a call of this process."""
    from dml_viz.embedding.query_gallery import score_queries
    from dml_viz.embedding.search import search_of

    return score_queries(search_of(z, query, gallery), y, progress, _threads())


def mapped(z: Any, known: Any, progress: Callable[[float], object]) -> Any:
    """The places of all rows in a neighbour map, as a call of this process."""
    from dml_viz.embedding.rows_map import places_in_map

    return places_in_map(z, known, progress, _threads())


def placed(z: Any, progress: Callable[[float], object]) -> Any:
    """The places of all rows in a plane, as a call of this process."""
    from dml_viz.embedding.rows_plane import places_in_plane

    return places_in_plane(z)


def _threads() -> int:
    """The number of cores that this process may use, which it leaves to any other that wants them."""
    from dml_viz.embedding.search import cores

    if hasattr(os, "nice"):
        os.nice(NICER)
    return cores()


def _answer(fn: Callable[..., Any], args: Sequence[Any], send: Callable[[str, Any], None]) -> None:
    from dml_viz.data.files import FileError

    send("begun", None)
    try:
        value = fn(*args, lambda share: send("progress", share))
    except FileError as error:
        memory = isinstance(error.__cause__, MemoryError)
        send("memory" if memory else "error", None if memory else FileError(*error.args))
    except MemoryError:
        send("memory", None)
    except Exception:
        send("broken", traceback.format_exc())
    else:
        send("value", value)


def _send(answers: Any, kind: str, value: Any) -> None:
    pickle.dump((kind, value), answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()


if __name__ == "__main__":
    answer_call()
