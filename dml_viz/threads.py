"""What the threads of a process share: its cores, values that are made once for all, a parser that one of them uses at a time."""

import ast
import inspect
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock, RLock
from types import FunctionType
from typing import Generic, TypeVar

T = TypeVar("T")
PARSER = Lock()
# The libraries of matrix products read these variables once, when they are loaded. By default every thread that uses one gets a
# thread for each core, and these wait for work with their cores busy.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")


class once(Generic[T]):  # noqa: N801  a decorator
    """A function without parameters that is called once; threads that ask meanwhile wait for its value.

    `functools.cache` calls it once for each of them, and each gets a value of its own.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        update_wrapper(self, make)
        self._make, self._lock = make, RLock()
        self._made: list[T] = []

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def forget(self) -> T | None:
        """Return the value, if it is made, and forget it: the next call makes another."""
        with self._lock:
            return self._made.pop() if self._made else None


def syntax_tree(source: str) -> ast.Module:
    """The syntax tree of ``source``.

    Python 3.11 raises a SystemError where several threads make trees at a time (github.com/python/cpython/issues/106905).
    """
    with PARSER:
        return ast.parse(source)


def source_of(thing: FunctionType | type) -> str:
    """The source of a function or class; Python finds that of a class in the syntax tree of its module."""
    with PARSER:
        return inspect.getsource(thing)
