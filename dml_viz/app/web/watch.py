"""Open the app on your own training loops: ``dml-viz watch [run.dml ...]`` waits for them and prints address and token."""

import argparse
import http.client
import os
import secrets
import signal
import sys
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from dml_viz.app.web import look
from dml_viz.app.web.watch_route import KEY, PAGE
from dml_viz.data.wire import messages
from dml_viz.engine.watched import viewer_of
from dml_viz.training.watch.sender import VARIABLE, address_file, state_folder

NICE = 5  # the loop on this machine comes first
HERE = "127.0.0.1"


def main(arguments: Sequence[str]) -> int:
    """Serve the app until it is stopped; the exit code is 2 if it cannot be started, or a file cannot be read."""
    parser = argparse.ArgumentParser(prog="dml-viz watch", description="Open the app on training loops of your own.")
    parser.add_argument("files", nargs="*", type=Path, help="files that dml_viz.watch wrote where no app waited")
    parser.add_argument("--port", type=int, default=0, help="where the app listens (a free port unless given)")
    parser.add_argument("--host", default=HERE, help="0.0.0.0 lets loops and browsers of other machines in")
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the app ends with the command
    token, anywhere = _token(), chosen.host != HERE
    settings = {"DML_VIZ_WATCH_TOKENS": token, "DML_VIZ_WATCH_FROM": "anywhere" if anywhere else "this machine"}
    settings |= {"DML_VIZ_STORE": os.environ.get("DML_VIZ_STORE") or str(state_folder() / "runs")}
    port = chosen.port or look.free_port()
    try:
        recorded = [list(messages(path.read_bytes())) for path in chosen.files]
        process, base = look.start(port, settings, chosen.host, NICE)
    except (OSError, ValueError, RuntimeError) as error:
        print(f"{error}.", file=sys.stderr)
        return 2
    address, page = f"{base}/#{token}", f"{base}/{PAGE}?{KEY}={viewer_of(token)}"
    address_file().write_text(address, encoding="utf-8")
    print(f"{page} (stop with Ctrl+C)")
    print(
        f"A loop on this machine finds it: from dml_viz import watch; watch(loss). On another: {VARIABLE}='{address}'",
        flush=True,
    )
    try:
        for path, frames in zip(chosen.files, recorded, strict=True):
            _replay(address, f"{path.stem}-{int(path.stat().st_mtime)}", frames)
        webbrowser.open(page)
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        address_file().unlink(missing_ok=True)


def _token() -> str:
    """The user's token, drawn once, so that links and addresses stay valid."""
    path = state_folder() / "token"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)
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
    print(f"{len(frames)} frames of {run} in {time.monotonic() - began:.0f} s", flush=True)
