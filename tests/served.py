"""The app as visitors use it: a server on a free port, which ends with all its workers."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from random import SystemRandom
from typing import TextIO
from urllib.error import URLError
from urllib.request import urlopen

import psutil

ROOT = Path(__file__).parents[1]
PORTS = range(20_000, 32_000)
SECONDS_TO_START = 300.0
SECONDS_TO_STOP = 15.0
WATCH_TOKEN = "token-of-tests"  # of training loops that are watched
CLASSROOM_SECRET = "secret-of-classrooms-in-tests"  # with which a test signs a teacher's token


@dataclass(frozen=True)
class Server:
    """A running app: its address and its process."""

    url: str
    pid: int

    def workers(self) -> list[int]:
        """The process ids of the workers that train."""
        children = psutil.Process(self.pid).children()
        return [child.pid for child in children if any("worker.py" in word for word in _command(child))]


def _command(process: psutil.Process) -> list[str]:
    """The words of the command that started ``process``; none where it has just ended."""
    with suppress(psutil.Error):
        return process.cmdline()
    return []


@contextmanager
def served(log: Path) -> Iterator[str]:
    """The address of a running app, its output in ``log``; RuntimeError with the end of the log if it does not start."""
    with serving(log) as server:
        yield server.url


@contextmanager
def serving(log: Path, app: str = "app.py", port: int = 0) -> Iterator[Server]:
    """As `served`, with its process; ``app`` is the file that is run, ``port`` a free one for 0."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", app, "--server.headless=true"]
    command += ["--server.address=127.0.0.1", f"--server.port={port}"]
    with log.open("wb") as out:
        # Its own session, so that its workers can be found and ended with it.
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={"DML_VIZ_WATCH_TOKENS": WATCH_TOKEN, "DML_VIZ_CLASSROOM_SECRET": CLASSROOM_SECRET, **os.environ},
        )
    try:
        _wait_until_healthy(process, url, log)
        yield Server(url, process.pid)
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_STOP)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def shared(folder: Path) -> Iterator[tuple[Server, Path]]:
    """As `serving`, and its log: one server for all processes that name ``folder``, which the first starts and ends after all."""
    log = folder / "server.txt"
    with (folder / "server.lock").open("w") as changes, (folder / "server.json").open("a+") as known:
        fcntl.flock(changes, fcntl.LOCK_EX)
        known.seek(0)
        if running := known.read():
            _use(known, changes)
            yield Server(**json.loads(running)), log
            return
        with serving(log) as server:
            known.write(json.dumps(asdict(server)))
            known.flush()
            _use(known, changes)
            yield server, log
            fcntl.flock(changes, fcntl.LOCK_EX)  # from now on no other process begins to use it,
            fcntl.flock(known, fcntl.LOCK_EX)  # and none does any more
            known.truncate(0)


def _use(known: TextIO, changes: TextIO) -> None:
    """Hold the server that is ``known`` until the file is closed, and let others begin to use it."""
    fcntl.flock(known, fcntl.LOCK_SH)
    fcntl.flock(changes, fcntl.LOCK_UN)


def tail(log: Path, lines: int = 40) -> str:
    """The last ``lines`` lines of ``log``."""
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def _wait_until_healthy(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        with suppress(URLError, ConnectionError, TimeoutError), urlopen(f"{url}/_stcore/health", timeout=1) as answer:
            if answer.status == 200:
                return
        # Between two requests, wait for the end of the process.
        with suppress(subprocess.TimeoutExpired):
            raise RuntimeError(f"the app ended with status {process.wait(0.1)} before it was up:\n{tail(log)}")
    raise RuntimeError(f"the app was not up after {SECONDS_TO_START:g} s:\n{tail(log)}")


def free_port() -> int:
    """A free port below those of outgoing connections: one of these can connect to itself where nothing listens yet."""
    for port in SystemRandom().sample(PORTS, len(PORTS)):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError(f"no port from {PORTS.start} to {PORTS.stop - 1} is free")
