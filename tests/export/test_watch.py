"""Loops are watched over a real server: they appear, only owners of the key see them, and a lost server disturbs no loop."""

import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import torch
import uvicorn
from pytorch_metric_learning import losses, miners
from starlette.applications import Starlette
from torch import nn

from dml_viz import watch
from dml_viz.data.wire import pack, unpack
from dml_viz.engine import Engine
from dml_viz.engine.messages import frame_message, subject_message
from dml_viz.engine.store import FolderStore, Store
from dml_viz.engine.watched import MOST_RUNS, WatchedRuns, viewer_of
from dml_viz.engine.watched_race import ID_SEPARATOR, WatchedRace
from dml_viz.export import watch as watch_command
from dml_viz.serve import watch_route
from dml_viz.training.watch import pace, sender
from dml_viz.training.watch.hook import Watching
from tests.fake_training import FAKE
from tests.samples import THOROUGH

TOKEN, SOON = "a-token", 200.0
RESTARTS = 10 if THOROUGH else 3
CLASSES, DIM = 5, 8
Y = torch.arange(CLASSES).repeat_interleave(6)


class AtOnce(Executor):
    """An executor that makes calls as they are submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Server:
    """The route over an engine, at its own port."""

    def __init__(self, port: int = 0, store: Store | None = None) -> None:
        self.engine = Engine(FAKE, AtOnce, store=store)
        listening = socket.create_server(("127.0.0.1", port), reuse_port=True)
        self.port = listening.getsockname()[1]
        app = Starlette(routes=[watch_route.frames_route(lambda: self.engine)])
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        self._thread = Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/#{TOKEN}"

    def post(self, run: str, body: bytes, **headers: str) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", f"/watch/{run}", body, {"Authorization": f"Bearer {TOKEN}", **headers})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def steps(self) -> int:
        """The newest step of all runs together."""
        return max((job.step for job in self.engine.watched.of(viewer_of(TOKEN))), default=0)

    def close(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join()
        self.engine.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DML_VIZ_WATCH_TOKENS", f"another {TOKEN}")
    monkeypatch.setattr(pace, "APART", 0.0)
    monkeypatch.setattr(sender, "APART_AT_FIRST", 0.0)
    monkeypatch.setattr(pace, "SHARE", 1e9)
    monkeypatch.setattr(sender, "FIRST_PAUSE", 0.01)


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, DIM))


def train(loss: nn.Module, more: Callable[[], bool], miner: Any = None) -> int:
    """Train while ``more()``, at most for some minutes; return the number of steps."""
    model, steps, until = net(), 0, time.monotonic() + SOON
    optimiser = torch.optim.Adam([*model.parameters(), *loss.parameters()], 1e-3)
    while more() and time.monotonic() < until:
        optimiser.zero_grad()
        z = model(torch.randn(len(Y), 12) + Y[:, None])
        value = loss(z, Y, miner(z, Y)) if miner else loss(z, Y)
        value.backward()
        optimiser.step()
        steps += 1
    return steps


def test_the_readme_examples_of_the_library_appear_live_by_one_line(server: Server) -> None:
    examples: list[tuple[nn.Module, Any]] = [
        (losses.FastAPLoss(10), None),
        (losses.TripletMarginLoss(), miners.MultiSimilarityMiner()),
        (losses.ProxyAnchorLoss(CLASSES, DIM), None),
        (losses.SupConLoss(), None),
        (losses.ArcFaceLoss(CLASSES, DIM), None),
        (losses.CrossBatchMemory(losses.ContrastiveLoss(), DIM, memory_size=64), None),
    ]
    for loss, miner in examples:
        watching: Watching = watch(loss, to=server.address, every=1)
        train(loss, lambda at=watching: at.sender.delivered < 3, miner)  # type: ignore[misc]
        watching.remove()
    runs = server.engine.watched.of(viewer_of(TOKEN))
    named = [*(type(loss).__name__ for loss, _ in examples[:-1]), "CrossBatchMemory of ContrastiveLoss"]
    assert [job.run.loss.title for job in runs] == named
    assert len(runs) == MOST_RUNS
    race = server.engine.job_view(ID_SEPARATOR.join(job.id for job in runs))
    assert isinstance(race, WatchedRace)
    assert len(race.jobs) == MOST_RUNS
    assert server.engine.job_view(ID_SEPARATOR.join(["nobody", runs[0].id])) is None
    for job in runs:
        assert job.latest_step >= 3
        assert len(job.steps) >= 3
        assert subject_message(job)
        assert frame_message(job)
        assert ("proxies" in job.at().learnt) == any(p.ndim == 2 for p in examples[runs.index(job)][0].parameters())  # type: ignore[union-attr]


def test_a_server_that_is_restarted_again_and_again_disturbs_no_loop(tmp_path: Any, capfd: pytest.CaptureFixture[str]) -> None:
    server = Server(store=FolderStore(tmp_path))
    loss = losses.ContrastiveLoss()
    watching: Watching = watch(loss, to=server.address, every=1)
    reached = 0
    for turn in range(RESTARTS):
        before = reached
        train(loss, lambda here=server, step=watching.pace.step: here.steps() <= step)  # type: ignore[misc]
        server.close()
        reached = server.steps()
        assert reached > before
        train(loss, lambda at=watching, step=watching.pace.step: at.pace.step < step + 3)  # type: ignore[misc]
        if turn == RESTARTS - 1:  # no frame is on its way to the last one
            watching.remove()
            watching.sender._thread.join(SOON)
        server = Server(server.port, FolderStore(tmp_path))
    [job] = server.engine.watched.of(viewer_of(TOKEN))
    assert job.step == reached  # of before the restart
    assert len(job.steps) >= RESTARTS
    assert job.status == "paused"
    server.close()
    assert "does not answer" in capfd.readouterr().err


def test_permission_to_send_is_checked_before_anything_is_read(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.post("abcd", b"x", Authorization="Bearer wrong")[0] == 401
    assert server.post("abcd", b"x", **{"X-Forwarded-For": "192.0.2.1"})[0] == 403
    assert server.post("a", b"x")[0] == 404
    assert server.post("abcd", b"x", **{"Content-Length": str(10**9)})[0] == 413
    assert server.post("abcd", b"no frame")[0] == 400
    monkeypatch.setenv("DML_VIZ_WATCH_TOKENS", "")
    status, why = server.post("abcd", b"x")
    assert (status, "dml-viz watch" in why) == (403, True)


def test_a_run_is_visible_only_with_its_key_and_keys_give_no_tokens(server: Server) -> None:
    loss = losses.ContrastiveLoss()
    watching: Watching = watch(loss, to=server.address, every=1)
    train(loss, lambda: server.steps() == 0)
    watching.remove()
    [job] = server.engine.watched.of(viewer_of(TOKEN))
    assert not server.engine.watched.of(viewer_of("another"))
    assert not server.engine.watched.of(TOKEN)
    assert TOKEN not in viewer_of(TOKEN)
    assert server.engine.get(job.id) is None
    assert server.engine.job_view(job.id) is job
    assert job.wait_for(lambda one: one.status == "done", SOON)


def message() -> bytes:
    """The message of a frame."""
    made: list[bytes] = []

    class Kept(sender.Sender):
        def offer_latest(self, make: Callable[[], bytes], loop: sender.Loop, *, wait: bool = False) -> None:
            made.append(make())

    one = Watching(Kept("http://nowhere#token"), "a loop", 1, None, None, None)
    one.record_step(torch.randn(len(Y), DIM), Y, 1.0, torch.randn(len(Y), DIM), None)
    return made[0]


def test_a_malformed_header_is_refused_in_a_sentence(server: Server) -> None:
    body = message()
    header, arrays = unpack(body)
    odd: list[Any] = [{}, [1], "x", True, None, -1, 10**400, 1e308, [[]], {"a": []}]
    answers = [server.post("abcd", pack({**header, name: value}, arrays)) for name in header for value in odd]
    assert {status for status, _ in answers} <= {200, 400}
    assert all(len(words) > 20 for status, words in answers if status == 400)
    for name in arrays:
        for wrong in (np.zeros(0, np.uint8), np.zeros((3, 3, 3), np.float32), np.full(3, -1, np.int32)):
            assert server.post("abcd", pack(header, {**arrays, name: wrong}))[0] in (200, 400)
    assert server.post("abcd", b"[" * 100_000)[0] == 400
    assert server.post("abcd", len(deep := b"[" * 99_996).to_bytes(4, "little") + deep)[0] == 400


def test_values_of_a_run_that_is_not_known_are_kept_by_their_loop(server: Server) -> None:
    header, arrays = unpack(message())
    values = pack({**header, "kind": "values"}, {"values": arrays["values"]})
    assert server.post("abcd", values)[0] == 409
    assert not server.engine.watched._runs
    assert server.post("abcd", pack(header, arrays))[0] == 200
    assert server.post("abcd", pack({**header, "kind": "values", "first": 2}, {"values": np.ones(3, np.float32)}))[0] == 200
    [job] = server.engine.watched.of(viewer_of(TOKEN))
    told, sent = unpack(frame_message(job))
    assert (told["step"], told["verdict"]["last"], sent["losses"][:, 0].tolist()) == (1, 4, [1, 2, 3, 4])


def test_a_frame_of_other_dimensions_is_refused_with_what_to_do_and_leaves_the_run_as_it_is(server: Server) -> None:
    header, arrays = unpack(message())
    assert server.post("abcd", pack(header, arrays))[0] == 200
    wider = {name: np.tile(array, 2) if array.ndim == 2 else array for name, array in arrays.items()}
    status, words = server.post("abcd", pack({**header, "step": 2}, wider))
    assert (status, server.steps()) == (400, 1)
    assert f"the frame has {2 * DIM} dimensions, and its run has {DIM}; give another loop a name of its own" in words
    assert server.post("efgh", pack(header, wider))[0] == 200


def test_values_after_the_last_frame_and_the_end_of_a_loop_outlive_a_restart(server: Server, tmp_path: Path) -> None:
    header, arrays = unpack(message())
    values = pack({**header, "kind": "values", "first": 2}, {"values": np.ones(3, np.float32)})
    server.engine.watched._store = FolderStore(tmp_path)
    for body, last, status in ((pack(header, arrays), 1, "paused"), (values, 4, "paused"), (b"", 4, "done")):
        assert server.post("abcd", body)[0] == 200
        server.engine.watched.save(at_once=True)
        [job] = WatchedRuns(FolderStore(tmp_path), server.engine.limits).of(viewer_of(TOKEN))
        assert (job.remarks[0]["verdict"]["last"], job.status) == (last, status)


def test_a_frame_that_stops_on_its_way_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_route, "SILENT", 0.05)
    with socket.create_connection(("127.0.0.1", server.port), SOON) as stopped:
        head = f"POST /watch/abcd HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 1000\r\n\r\n"
        stopped.sendall(head.encode() + b"half")
        assert b" 408 " in stopped.recv(4096)


@pytest.mark.parametrize(("answer", "shown"), [("", "502 Bad Gateway"), ("<html>x</html>", "502 Bad Gateway"), (" No.", "No.")])
def test_the_sentence_on_a_refused_run_is_never_empty(answer: str, shown: str) -> None:
    assert sender.refusal(502, "Bad Gateway", answer) == shown


@pytest.mark.parametrize(
    ("name", "words"), [("README.md", "was not written by"), ("nope.dml", "there is no file"), ("", "is a folder")]
)
def test_a_file_that_no_loop_wrote_is_refused_in_a_sentence(
    name: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "README.md").write_text("# No frames\n")
    assert watch_command.main([str(tmp_path / name)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert words in line
    assert "Errno" not in line


@pytest.mark.parametrize("other", ["", "http://127.0.0.1:2/#token"])
def test_the_end_of_an_app_leaves_the_address_of_another_one(other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "dml-viz").mkdir()
    (tmp_path / "dml-viz" / "token").touch()  # as of a call that was ended before it wrote
    started: list[Any] = []

    class App:
        def wait(self) -> int:
            started.append(sender.noted_address())
            if other:
                sender.address_file().write_text(other)
            return 0

    def start_app(port: int, settings: dict[str, str], *_: object) -> tuple[App, str]:
        started.append(settings["DML_VIZ_WATCH_TOKENS"])
        return App(), f"http://127.0.0.1:{port}"

    monkeypatch.setattr(watch_command.look, "start_app", start_app)
    monkeypatch.setattr(watch_command, "end_at_sigterm", lambda code: None)
    monkeypatch.setattr(watch_command.webbrowser, "open", lambda page: None)
    assert watch_command.main(["--port", "1"]) == 0
    token, address = started
    assert len(token) > 16
    assert address == f"http://127.0.0.1:1/#{token}"
    assert sender.noted_address() == other
