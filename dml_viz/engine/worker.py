"""A worker process, which answers one call after another until its parent closes the pipe, or is gone.

Calls come on standard input and answers go to standard output, each as its length (uint64, little-endian) and a pickle. Run as
a script, it imports only what the calls need. Its argument names a function, as "module:name", that it calls whenever it waits;
"" names none.
"""

import gc
import os
import pickle
import select
import signal
import sys
import traceback
from collections.abc import Callable
from pkgutil import resolve_name
from typing import IO, Any

NICE = 5


def write(pipe: IO[bytes], message: bytes) -> None:
    """Send one message; OSError if the other side is gone."""
    pipe.write(len(message).to_bytes(8, "little"))
    pipe.write(message)  # by itself, so that it is not copied
    pipe.flush()


def read(pipe: IO[bytes]) -> bytes:
    """The next message; EOFError if the other side is gone, even in the middle of a message."""
    size = _exactly(pipe, 8)
    return _exactly(pipe, int.from_bytes(size, "little"))


def serve(while_waiting: str) -> None:
    """Answer calls until there are no more; output that the calls print goes to standard error.

    After each answer but the first the function named ``while_waiting`` is called; its argument says whether no call has come.
    """
    # Ctrl-C reaches the whole process group, but the parent decides when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICE)
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    gc.disable()  # the first call imports what the others need, none of which is ever garbage
    try:
        write(answers, answer(read(calls)))
        gc.freeze()
        gc.enable()
        # Windows cannot say whether a pipe holds a message.
        meanwhile: Callable[[Callable[[], bool]], None] | None = (
            resolve_name(while_waiting) if while_waiting and os.name == "posix" else None
        )
        while True:
            write(answers, answer(read(calls)))
            if meanwhile:
                meanwhile(lambda: not select.select([calls], [], [], 0)[0])
    except (EOFError, OSError):
        # A normal exit would flush the pipe and fail again, because the parent is gone.
        os._exit(0)


def answer(call: bytes) -> bytes:
    """The answer to one pickled call: whether it returned, and the value that it returned or the error that it raised."""
    try:
        fn, args, kwargs = pickle.loads(call)
        return pickle.dumps((True, fn(*args, **kwargs)), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return refusal(error)


def refusal(error: Exception) -> bytes:
    """The error as an answer, with the worker's traceback as a note."""
    trace = "".join(traceback.format_exception(error))
    error.add_note(f"in a worker:\n{trace}")
    try:
        message = pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)
        pickle.loads(message)
    except Exception:
        message = pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}\n{trace}")))
    return message


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError("the other side of the pipe is gone")
    return data


def unpack(answer: bytes) -> Any:
    """The value in a worker's answer; raises the error that the call raised."""
    good, value = pickle.loads(answer)
    if not good:
        raise value
    return value


if __name__ == "__main__":
    serve(sys.argv[1])
