"""How commands end at SIGTERM: what they started is ended with them, and no traceback is printed."""

import signal
from functools import partial
from types import FrameType
from typing import NoReturn

STOPPED = 128  # and the number of the signal: the exit code of a program that a signal has ended, as shells have it


def end_at_sigterm(code: int = STOPPED + signal.SIGTERM) -> None:
    """Let SIGTERM end this program with ``code``, once: what it does at its end is not broken off."""
    signal.signal(signal.SIGTERM, partial(_end, code))


def ignore_sigterm() -> None:
    """Let the end of this program, which has begun, go on."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _end(code: int, number: int, frame: FrameType | None) -> NoReturn:
    ignore_sigterm()
    raise SystemExit(code)
