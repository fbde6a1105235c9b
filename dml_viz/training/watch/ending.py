"""The end of a watched loop: its loss is gone, or its process ends, on its own or by SIGTERM; then the last step is sent."""

import atexit
import os
import signal
import threading
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from torch import nn


class Endable(Protocol):
    """What can be ended: a watched loop."""

    def end(self) -> None:
        """Send the last step; a second call does nothing."""


def at_the_end_of(loop: Endable, loss: nn.Module | None) -> Callable[[], object]:
    """Call ``loop.end`` when its ``loss`` is gone, or at the end of the process; the result takes that back."""
    if loss is not None:
        return weakref.finalize(loss, loop.end).detach  # at the end of the process, too
    atexit.register(loop.end)
    return lambda: atexit.unregister(loop.end)


class Terminated:
    """The handler of SIGTERM: it ends loops, and then the process, as if there were no handler.

    It is set only where the process has none, which leaves trainers theirs; call `add` when the loop has begun, as they have set
    up their signals by then.
    """

    def __init__(self) -> None:
        self._loops: weakref.WeakSet[Any] = weakref.WeakSet()

    def add(self, loop: Endable) -> None:
        """End ``loop`` at SIGTERM, if that can be done."""
        self._loops.add(loop)
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self)

    def __call__(self, number: int, _: object) -> None:
        """End the loops, and the process."""
        signal.signal(number, signal.SIG_DFL)
        for loop in list(self._loops):
            loop.end()
        os.kill(os.getpid(), number)


terminated = Terminated()
