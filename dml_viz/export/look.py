"""Open the app on embeddings or images of this machine, without an upload: ``dml-viz look FILE [OTHER] [--port N]``."""

import argparse
import atexit
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dml_viz.data.files import FileError, files_at, read
from dml_viz.embedding.ranking import array_of
from dml_viz.export.parser import WRONG_CALL, CommandParser, port
from dml_viz.export.signals import end_at_sigterm
from dml_viz.serve.launch import app_command

PAGE, STARTED_WITHIN = "your_data", 180.0  # seconds
EVERYWHERE = ("0.0.0.0", "::")
MOST_FILES = 2
ARRAYS = "embeddings.npz"


def look(z: Any | None, y: Any, *, images: Any = None, names: Sequence[str] | None = None) -> str:
    """The address of the app, opened on rows z (N, d) with labels y (N,), each an array or a tensor.

    ``images`` are (N, H, W) or (N, H, W, 3), shown and used for training; z may be None if they are given. ``names`` are those
    of the classes 0 to C - 1. The app ends with this process. Raises FileError for data that the app refuses, and RuntimeError
    if the app does not start.
    """
    folder = tempfile.TemporaryDirectory(prefix="dml-viz-")
    atexit.register(folder.cleanup)
    with errors_of_arrays():
        _, url = _start([save_arrays(folder.name, z=z, y=y, images=images, names=names)], free_port())
    webbrowser.open(url)
    return url


@contextmanager
def errors_of_arrays() -> Iterator[None]:
    """Let errors of the file of `save_arrays`, which its reader has not made, name the data given instead."""
    try:
        yield
    except FileError as error:
        raise FileError(str(error).replace(ARRAYS, "the data given")) from error


def save_arrays(folder: str, **given: Any) -> Path:
    """Save the arrays or tensors that are not None as a file in ``folder``; its path."""
    path = Path(folder) / ARRAYS
    arrays: dict[str, Any] = {name: _array(values) for name, values in given.items() if values is not None}
    np.savez(path, **arrays)
    return path


def main(arguments: Sequence[str]) -> int:
    """Serve the app on one file or two until it is stopped; the exit code is 2 for a file that cannot be used."""
    made = parser()
    options = made.parse_args(arguments)
    if len(options.files) > MOST_FILES:
        made.error(f"{len(options.files)} files are named; name one, or two to compare")
    if watched := next((path for path in options.files if path.suffix == ".dml"), None):
        made.error(f"{watched} is a run that was watched; open it with dml-viz watch {watched}")
    try:
        process, url = _start([path.resolve() for path in options.files], options.port or free_port())
    except (FileError, OSError, RuntimeError) as error:
        print(f"{error}.", file=sys.stderr)
        return WRONG_CALL
    end_at_sigterm(0)
    print(f"{url} (stop with Ctrl+C)", flush=True)
    webbrowser.open(url)
    try:
        return process.wait()
    except KeyboardInterrupt:
        return 0


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz look``."""
    made = CommandParser(
        "look",
        "Open the app on a file of embeddings with labels, on a file or folder of images, or on two files to compare, without an "
        "upload. Stop it with Ctrl+C.",
        "dml-viz look before.npz after.npz",
        "dml-viz look folder_of_images",
        usage="FILE [OTHER] [--port PORT]",
    )
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    made.add_argument("--port", type=port, default=0, help="where the app listens (default: a free port)")
    return made


def _start(files: Sequence[Path], port: int) -> tuple[subprocess.Popen[bytes], str]:
    """The process of the app on ``files``, once it answers, and its address; FileError for a file that cannot be used."""
    for path in files:
        read(files_at(path))
    process, base = start_app(port, {"DML_VIZ_LOOK": os.pathsep.join(map(str, files))})
    return process, f"{base}/{PAGE}"


def start_app(
    port: int, settings: Mapping[str, str], host: str = "localhost", nice: int = 0
) -> tuple[subprocess.Popen[bytes], str]:
    """The process of the app with ``settings`` as environment variables, once it answers, and its address.

    It ends with this process. RuntimeError if it does not start.
    """
    try:
        socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        raise RuntimeError(f"{host!r} is no address of this machine; choose localhost, 0.0.0.0 or one of its own") from error
    with socket.socket() as tried:
        if tried.connect_ex(("127.0.0.1", port)) == 0:
            raise RuntimeError(f"something listens on port {port} already; choose another with --port")
    process = subprocess.Popen(
        app_command(f"--server.port={port}", "--server.headless=true", f"--server.address={host}"),
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        preexec_fn=partial(os.nice, nice) if nice and hasattr(os, "nice") else None,
    )
    atexit.register(process.terminate)
    # A proxy of the environment is for other machines.
    opened = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    base, before = f"http://{'localhost' if host in EVERYWHERE else host}:{port}", time.monotonic()
    while time.monotonic() - before < STARTED_WITHIN and process.poll() is None:
        try:
            with opened(f"{base}/_stcore/health", timeout=1):
                return process, base
        except OSError:
            time.sleep(0.1)
    slow = process.poll() is None
    process.terminate()
    mend = f" within {STARTED_WITHIN:g} seconds; is the machine busy?" if slow else "; choose another with --port"
    raise RuntimeError(f"the app has not started on port {port}{mend}")


def free_port() -> int:
    """A free port."""
    with socket.socket() as bound:
        bound.bind(("localhost", 0))
        return int(bound.getsockname()[1])


def _array(values: Any) -> np.ndarray:
    """``values`` as an array."""
    return array_of(values) if hasattr(values, "detach") else np.asarray(values)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
