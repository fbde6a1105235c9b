"""The WebKitGTK that is on this machine, driven by its WebDriver: the engine of Safari, and so of half of the phones."""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.programs import WEBKIT, XVFB
from tests.served import free_port
from tests.space import LONGEST_WAIT

BROWSERS = "webkit2gtk-4.*/MiniBrowser"
LIBRARIES = (Path("/usr/lib"), Path("/usr/libexec"))
WAIT = "const [done] = arguments; const look = () => (%s) ? done() : requestAnimationFrame(look); look();"


class Tab:
    """The one tab of a browser."""

    def __init__(self, address: str, browser: str) -> None:
        self.address = address
        options = {"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation"]}}
        session = self._post("/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]
        self.address += f"/session/{session}"
        self._post("/timeouts", {"script": LONGEST_WAIT})

    def _post(self, path: str, body: Any) -> Any:
        request = Request(self.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=2 * LONGEST_WAIT / 1000) as answer:
            return json.load(answer)["value"]

    def open(self, path: Path, at: str = "") -> None:
        """Open a file."""
        self._post("/url", {"url": path.as_uri() + at})

    def evaluate(self, expression: str) -> Any:
        """The value of an expression."""
        return self._post("/execute/sync", {"script": f"return {expression};", "args": []})

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        self._post("/execute/async", {"script": WAIT % expression, "args": []})

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 6) -> None:
        """Drag with the mouse."""
        (x, y), (u, v) = start, end
        ways = [(x + (u - x) * k / steps, y + (v - y) * k / steps) for k in range(steps + 1)]
        moves = [{"type": "pointerMove", "duration": 16, "x": round(a), "y": round(b)} for a, b in ways]
        acts = [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}]
        self._post("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": acts}]})

    def close(self) -> None:
        """Close the browser."""
        with urlopen(Request(self.address, method="DELETE"), timeout=LONGEST_WAIT / 1000):
            pass


@contextmanager
def tab() -> Iterator[Tab]:
    """A tab of a browser on a display of its own; without the programs the test is skipped."""
    driver, server = WEBKIT.path(), XVFB.path()
    browser = next((path for folder in LIBRARIES for path in folder.rglob(BROWSERS)), None)
    if browser is None:
        pytest.skip(WEBKIT.advice)
    with ExitStack() as stack:
        reading, writing = os.pipe()
        stack.enter_context(_running([server, "-displayfd", str(writing), "-nolisten", "tcp"], pass_fds=(writing,)))
        os.close(writing)
        with os.fdopen(reading) as lines:
            display = f":{lines.readline().strip()}"
        port = free_port()
        environment = {**os.environ, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1"}
        process = stack.enter_context(_running([driver, f"--port={port}"], env=environment))
        _wait_until_listening(process, port)
        opened = Tab(f"http://127.0.0.1:{port}", str(browser))
        stack.callback(opened.close)
        yield opened


@contextmanager
def _running(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _wait_until_listening(process: subprocess.Popen[bytes], port: int) -> None:
    while True:
        with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)):
            return
        with suppress(subprocess.TimeoutExpired):  # between two tries, wait for the end of the process
            raise RuntimeError(f"the driver of WebKit ended with status {process.wait(0.05)}")
