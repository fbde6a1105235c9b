"""What a hostile file may make its reader do, as calls of a child process; run as a script, such a child, quick to start.

It imports nothing before its call comes, for no call here reads a file, and it gives way to no other process.
"""

import os
import time
from collections.abc import Callable

MB = 1 << 20


def hoard(*_: object) -> int:
    """Take memory without end."""
    kept = []
    while True:
        kept.append(bytearray(b"x" * (8 * MB)))


def spin(*_: object) -> None:
    """Compute without end."""
    while True:
        pass


def rest(*_: object) -> None:
    """Wait without end."""
    time.sleep(1e6)


def die(*_: object) -> None:
    """End the process as a broken library does."""
    os.abort()


def fail(*_: object) -> None:
    """Raise an error that nobody foresaw."""
    raise KeyError("not foreseen")


def count(progress: Callable[[float], object]) -> str:
    """Report progress, then answer."""
    for share in (0.25, 0.5, 1.0):
        progress(share)
    return "done"


def nothing(*_: object) -> None:
    """Do nothing."""


if __name__ == "__main__":
    from dml_viz.data.bounded import _child

    _child.WARM, _child.NICE = (), 0
    _child.answer_call()
