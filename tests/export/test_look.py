"""The app is opened on a file of this machine, and a file that cannot be used is refused before anything is started."""

import re
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import numpy as np
import pytest

import dml_viz
from dml_viz.export import look
from dml_viz.export.cli import main as command
from tests.samples import THOROUGH

# In place of the app, which takes ten seconds to start: a server that answers with the files that the app would open.
STANDS_IN = """
import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(os.environ["DML_VIZ_LOOK"].encode())

[port] = [option.partition("=")[2] for option in sys.argv if option.startswith("--server.port=")]
HTTPServer(("localhost", int(port)), Answers).serve_forever()
"""


@contextmanager
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Popen[bytes]]]:
    """The processes started, which end with the test; no browser opens."""
    found: list[Popen[bytes]] = []

    def begin(*arguments: object, **options: object) -> Popen[bytes]:
        found.append(Popen(*arguments, **options))  # type: ignore[call-overload]
        return found[-1]

    monkeypatch.setattr(look.subprocess, "Popen", begin)
    monkeypatch.setattr(look.webbrowser, "open", lambda url: True)
    yield found
    for process in found:
        process.terminate()
        process.wait()


def test_arrays_are_opened_and_the_page_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    if not THOROUGH:
        monkeypatch.setattr(look, "app_command", lambda *options: [sys.executable, "-c", STANDS_IN, *options])
    for name in ("HTTP_PROXY", "http_proxy"):  # of a network in which this machine's app is not
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with started(monkeypatch) as processes:
        address = dml_viz.look(np.eye(6), np.arange(6) % 3)
        assert re.fullmatch(r"http://localhost:\d+/your_data", address)
        monkeypatch.delenv("HTTP_PROXY")
        monkeypatch.delenv("http_proxy")
        with urllib.request.urlopen(address) as page:
            assert page.status == 200
            if not THOROUGH:
                arrays = np.load(page.read().decode())
                assert (arrays["z"] == np.eye(6)).all()
                assert arrays["y"].tolist() == [0, 1, 2, 0, 1, 2]
        assert processes[0].poll() is None


def test_a_file_that_cannot_be_used_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with started(monkeypatch) as processes:
        (tmp_path / "net.pt").write_bytes(b"PK")
        assert command(["look", str(tmp_path / "net.pt")]) == 2
        assert "net.pt is a pickle" in capsys.readouterr().err
        assert command(["look", str(tmp_path / "nothing.npz")]) == 2
        assert "nothing.npz" in capsys.readouterr().err
        assert not processes
