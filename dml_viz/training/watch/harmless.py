"""A block of work inside a training loop, whose errors are printed, never raised, and whose time is counted."""

import time
from collections.abc import Callable
from types import TracebackType

from torch import Tensor


class Harmless:
    """A context manager that passes errors of its block to ``say``; ``spent`` are the seconds of all blocks."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.spent = 0.0
        self._say = say
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        self.spent += time.perf_counter() - self._began
        if isinstance(error, Exception):
            self._say(f"{error}" if isinstance(error, (TypeError, ValueError)) else f"{type(error).__name__}: {error}")
        return isinstance(error, Exception)

    def hook(self, do: Callable[[Tensor], object]) -> Callable[[Tensor], None]:
        """A hook on a tensor's gradient that calls ``do`` with it."""

        def hook(slope: Tensor) -> None:
            with self:
                do(slope)

        return hook


class Unwatched:
    """Does nothing when called: what a copied or pickled watched loss has in place of its hook."""

    def __call__(self, *_: object) -> None:
        """Do nothing."""
