"""Open the app on your own training loops: ``dml-viz watch [run.dml ...]`` waits for them and prints address and token."""

import argparse
import http.client
import os
import secrets
import socket
import sys
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from dml_viz.data.wire import messages
from dml_viz.engine.watched import MOST_RUNS, viewer_of
from dml_viz.export import look
from dml_viz.export.parser import WRONG_CALL, CommandParser, port
from dml_viz.export.signals import end_at_sigterm
from dml_viz.serve.launch import HERE, address_in_network
from dml_viz.serve.watch_route import KEY, PAGE
from dml_viz.training.watch.frames import opened
from dml_viz.training.watch.sender import VARIABLE, address_file, noted_address, state_folder

NICE = 5  # the loop on this machine comes first


def main(arguments: Sequence[str]) -> int:
    """Run ``dml-viz watch``: serve the app for training loops, and replay the runs in files, until it is stopped.

    The exit code is 2 if it cannot be started, or a file cannot be read.
    """
    options = parser().parse_args(arguments)
    token, anywhere = _token(), options.host != HERE
    settings = {"DML_VIZ_WATCH_TOKENS": token, "DML_VIZ_WATCH_FROM": "anywhere" if anywhere else "this machine"}
    settings |= {"DML_VIZ_STORE": os.environ.get("DML_VIZ_STORE") or str(state_folder() / "runs")}
    port = options.port or look.free_port()
    try:
        recorded = [run for path in options.files for run in runs_in_file(path)]
        process, base = look.start_app(port, settings, options.host, NICE)
    except (OSError, ValueError, RuntimeError) as error:
        print(f"{error}.", file=sys.stderr)
        return WRONG_CALL
    end_at_sigterm(0)
    address, page = f"{base}/#{token}", f"{base}/{PAGE}?{KEY}={viewer_of(token)}"
    known_as = address_in_network() or socket.gethostname()
    elsewhere = f"http://{known_as}:{port}/#{token}" if options.host in look.EVERYWHERE else address
    address_file().write_text(address, encoding="utf-8")
    print(f"{page} (stop with Ctrl+C)")
    other = f" On another: {VARIABLE}='{elsewhere}'" if anywhere else " With --host 0.0.0.0 it lets in those of other machines."
    print(f"A loop on this machine finds it: from dml_viz import watch; watch(loss).{other}", flush=True)
    try:
        if len(recorded) > MOST_RUNS:
            print(f"{len(recorded)} runs; the last {MOST_RUNS} are shown.")
        for name, frames in recorded[-MOST_RUNS:]:
            _replay(address, name, frames)
        webbrowser.open(page)
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        if noted_address() == address:  # else that of another app, which still runs
            address_file().unlink(missing_ok=True)


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz watch``."""
    made = CommandParser(
        "watch",
        "Open the app on training loops of your own, which have two lines more: from dml_viz import watch; watch(loss). FILE is "
        "one that a loop wrote where no app waited. Stop it with Ctrl+C.",
        "dml-viz watch",
        "dml-viz watch run.dml --port 8600",
        usage="[FILE ...] [--port PORT] [--host HOST]",
    )
    made.add_argument("files", nargs="*", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    made.add_argument("--port", type=port, default=0, help="where the app listens (default: a free port)")
    made.add_argument("--host", default=HERE, help="0.0.0.0 lets loops and browsers of other machines in")
    return made


def runs_in_file(path: Path) -> list[tuple[str, list[bytes]]]:
    """Pairs (name, messages), for each run in a file, named after both; ValueError, in a sentence, for another file."""
    if not path.is_file():
        raise ValueError(f"{path} is a folder; name a file in it" if path.is_dir() else f"there is no file {path}")
    runs: dict[str, list[bytes]] = {}
    try:
        for body in messages(path.read_bytes()):
            header, _ = opened(body)
            # Files of the first version do not name their runs.
            runs.setdefault(str(header.get("run") or int(path.stat().st_mtime)), []).append(body)
    except ValueError as error:
        raise ValueError(f"{path} was not written by dml_viz.watch: {error}") from error
    if not runs:
        raise ValueError(f"{path} was not written by dml_viz.watch, or it has no frame yet; dml-viz look opens other files")
    return [(f"{path.stem}-{run}", bodies) for run, bodies in runs.items()]


def _token() -> str:
    """The user's token, drawn once, so that links and addresses stay valid."""
    path = state_folder() / "token"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    if not path.read_text(encoding="utf-8").strip():  # also where an earlier call was ended before it wrote
        path.write_text(secrets.token_urlsafe(18), encoding="utf-8")
    return path.read_text(encoding="utf-8").strip()


def _replay(address: str, run: str, frames: Sequence[bytes]) -> None:
    """Send the frames of a file as its loop would have sent them; print the answers to refused ones."""
    parts, began = urlsplit(address), time.monotonic()
    connection = http.client.HTTPConnection(parts.netloc)
    run = "".join(letter if letter.isalnum() else "-" for letter in run)[-64:].rjust(4, "-")
    for body in (*frames, b""):
        connection.request("POST", f"/watch/{run}", body, {"Authorization": f"Bearer {parts.fragment}"})
        answer = connection.getresponse()
        words = answer.read().decode("utf-8", "replace")
        if answer.status != http.client.OK:
            print(f"{words} ({run})", file=sys.stderr)
    count = sum(opened(body)[0].get("kind") != "values" for body in frames)
    print(f"{count} {'frame' if count == 1 else 'frames'} of {run} in {time.monotonic() - began:.0f} s", flush=True)
