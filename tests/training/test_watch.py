"""A watched loop trains as before: the frames have its loss's input, and the loop is not affected."""

import ast
import copy
import math
import os
import pickle
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import metadata
from itertools import pairwise
from pathlib import Path
from threading import Condition, Event, Thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from pytorch_metric_learning import losses
from torch import Tensor, nn

import dml_viz
from dml_viz import watch
from dml_viz.data.wire import messages, unpack
from dml_viz.export.watch import runs_in_file
from dml_viz.training.watch import adapters, pace, steps
from dml_viz.training.watch import sender as sending
from dml_viz.training.watch.frames import Received, received
from dml_viz.training.watch.hook import Watching
from dml_viz.training.watch.message import MOST_ROWS, Probe
from dml_viz.training.watch.pace import AHEAD, EVERY, GIFT, LONG, OF_THE_APP, Pace
from dml_viz.training.watch.sender import Loop, Sender
from dml_viz.training.watch.steps import Losses
from dml_viz.training.watch.tensors import proxies_of, thumbnails
from tests.served import free_port

CLASSES, EACH, DIM = 6, 4, 8
SOON = 60.0  # seconds
Y = torch.arange(CLASSES).repeat_interleave(EACH)


class Caught(Sender):
    """A sender that records frames and messages."""

    def __init__(self) -> None:
        super().__init__("http://nowhere#token")
        self.frames: list[bytes] = []
        self.words: list[str] = []

    def offer_latest(self, make: Callable[[], bytes], loop: Loop, *, wait: bool = False) -> None:
        self.frames.append(make())
        loop.mark_values_delivered()

    def say(self, what: str) -> None:
        self.words.append(what)

    def last(self) -> Received:
        return self.frame(-1)

    def frame(self, place: int) -> Received:
        found = received(self.frames[place], None, 0.0, None)
        assert isinstance(found, Received)
        return found


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Watching]:
    monkeypatch.setattr(pace, "APART", 0.0)
    monkeypatch.setattr(pace, "SHARE", 1e9)
    monkeypatch.setattr(pace, "GIFT", 0.0)

    def made(loss: nn.Module, net: Any = None, probe: Any = None, every: int = 1) -> Watching:
        one = Watching(Caught(), type(loss).__name__, every, None, loss, None)
        one.hook_loss(net, probe)
        return one

    return made


def rows(seed: int = 0) -> Tensor:
    return torch.randn(len(Y), DIM, generator=torch.Generator().manual_seed(seed), requires_grad=True)


def caught(one: Watching) -> Caught:
    assert isinstance(one.sender, Caught)
    return one.sender


@pytest.mark.parametrize(
    "loss",
    [
        losses.FastAPLoss(10),
        losses.TripletMarginLoss(),
        losses.SupConLoss(),
        losses.ProxyAnchorLoss(CLASSES, DIM),
        losses.ArcFaceLoss(CLASSES, DIM),
        losses.SoftTripleLoss(CLASSES, DIM, centers_per_class=2),
        losses.CrossBatchMemory(losses.ContrastiveLoss(), DIM, memory_size=64),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_value_gradient_and_proxies_are_those_of_the_loss(loss: nn.Module, watching: Callable[..., Watching]) -> None:
    one, z = watching(loss), rows()
    value = loss(z, Y)
    (1024 * value).backward()  # as a scaler does
    assert z.grad is not None
    found = caught(one).last()
    assert found.batch["value"] == pytest.approx(float(value.detach()))
    np.testing.assert_allclose(found.batch["grad"], z.grad.numpy() / 1024, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(found.batch["z"], z.detach().numpy())
    learnt = proxies_of(loss, DIM)
    assert (learnt is None) == (not any(p.ndim == 2 for p in loss.parameters()))
    if learnt:
        np.testing.assert_allclose(found.batch["proxies"], learnt[0].detach().numpy())
        assert len(found.batch["proxies"]) == CLASSES * learnt[1] == CLASSES * (2 if "Soft" in type(loss).__name__ else 1)


README = re.findall(r"```python\n(.*?)```", metadata("pytorch-metric-learning")["Description"], re.DOTALL)
PLAIN, LOOP, MINED, CUSTOM, UNSUPERVISED = README


@pytest.mark.parametrize(
    ("program", "loss"),
    [
        (PLAIN + LOOP, "TripletMarginLoss()"),
        (MINED, "TripletMarginLoss()"),
        (CUSTOM + LOOP, "TripletMarginLoss()"),
        (UNSUPERVISED, "TripletMarginLoss()"),
        (PLAIN + LOOP, "FastAPLoss(num_bins=10)"),
        (PLAIN + LOOP, "SupConLoss()"),
        (MINED, f"ProxyAnchorLoss({CLASSES}, {DIM})"),
        (PLAIN + LOOP, f"ArcFaceLoss({CLASSES}, {DIM})"),
        (MINED, f"CrossBatchMemory(losses.ContrastiveLoss(), {DIM}, memory_size=64)"),
    ],
)
def test_the_readme_of_pytorch_metric_learning_is_watched_with_one_added_line(
    program: str, loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = Caught()
    monkeypatch.setattr("dml_viz.training.watch.Sender", lambda to: sink)
    monkeypatch.setattr(pace, "APART", 0.0)
    monkeypatch.setattr(pace, "SHARE", 1e9)
    alone = program == UNSUPERVISED
    program = program.replace("TripletMarginLoss()", loss)
    lines = program.splitlines()
    made = next(node for node in ast.parse(program).body if "loss_func =" in ast.unparse(node))
    lines.insert(made.end_lineno or 0, "dml_viz.watch(loss_func)")
    torch.manual_seed(0)
    model = nn.Linear(12, DIM)
    data = [torch.randn(len(Y), 12) for _ in range(3)]
    given = {
        "dml_viz": dml_viz,
        "model": model,
        "your_model": model,
        "your_augmentation": lambda x: x + torch.randn_like(x),
        "optimizer": torch.optim.SGD(model.parameters(), 0.1),
        "dataloader": data if alone else [(x, Y) for x in data],
        "TripletMarginLoss": losses.TripletMarginLoss,
    }
    exec("\n".join(lines), given)
    assert not sink.words
    assert len(sink.frames) == 3
    found = sink.last()
    wrapped = [given["loss_func"], *filter(None, [getattr(given["loss_func"], "loss", None)])]
    assert found.run.loss.title.split(" of ") == [type(one).__name__ for one in wrapped]
    assert found.batch["value"] == pytest.approx(float(given["loss"].detach()))  # type: ignore[attr-defined]
    assert np.abs(found.batch["grad"]).max() > 0
    assert len(found.batch["z"]) == len(Y) * (1 + alone)


def test_proxies_of_the_classes_of_a_batch_alone_are_sent(watching: Callable[..., Watching]) -> None:
    loss = losses.ProxyAnchorLoss(50, DIM)
    one, z = watching(loss), rows()
    loss(z, Y * 7 + 1).backward()
    np.testing.assert_allclose(caught(one).last().batch["proxies"], loss.proxies.detach()[1::7][:CLASSES].numpy())


def test_a_probe_leaves_modes_buffers_and_random_states_as_they_were(watching: Callable[..., Watching]) -> None:
    net = nn.Sequential(nn.Linear(5, DIM), nn.BatchNorm1d(DIM), nn.Dropout(0.5))
    net[1].eval()
    loss = losses.ContrastiveLoss()
    plain, watched = ({"net": copy.deepcopy(net), "loss": copy.deepcopy(loss)} for _ in range(2))
    one = watching(watched["loss"], watched["net"], (torch.randn(12, 5), torch.arange(12) % 3))
    ends = []
    for each in (plain, watched):
        torch.manual_seed(3), random.seed(3), np.random.seed(3)
        optimiser = torch.optim.SGD(each["net"].parameters(), 0.1)
        for _ in range(4):
            each["loss"](each["net"](torch.randn(len(Y), 5)), Y).backward()
            optimiser.step()
        ends.append((each["net"].state_dict(), torch.rand(3), random.random(), np.random.rand()))
        assert [part.training for part in each["net"]] == [True, False, True]
    assert len(caught(one).frames) == 4
    assert not caught(one).words
    torch.testing.assert_close(ends[0], ends[1], rtol=0, atol=0)
    found = caught(one).last()
    assert (found.run.protocol, found.frame.z.shape, found.frame.names) == ("probe", (12, DIM), ())


def test_without_a_probe_each_frame_brings_its_own_points(watching: Callable[..., Watching]) -> None:
    loss = losses.ContrastiveLoss()
    one = watching(loss)
    loss(rows(), Y + 40).backward()
    frame = caught(one).last().frame
    assert frame.names == tuple(map(str, range(40, 40 + CLASSES)))
    np.testing.assert_array_equal(frame.arrays["y"], Y.numpy())
    assert {"r1.unseen", "map.unseen", "loss", "grad", "active"} <= set(frame.scalars)


class Embedder(nn.Linear):
    """A model like those of sentence-transformers: it adds to the features that it gets."""

    encode = None

    def preprocess(self, texts: list[str]) -> dict[str, Any]:
        return {"input_ids": torch.tensor([[len(text), 1.0, 0.0] for text in texts]), "modality": "text"}

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        return {**features, "sentence_embedding": super().forward(features["input_ids"])}


class OfTexts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model, self.made = Embedder(3, DIM), []

    def forward(self, columns: list[dict[str, Tensor]], labels: Tensor | None) -> Tensor:
        self.made = [self.model(one)["sentence_embedding"] for one in columns]
        for rows in self.made:
            rows.retain_grad()
        return sum((rows**2).sum() * (place + 1) for place, rows in enumerate(self.made))


@pytest.mark.parametrize(
    ("columns", "labels", "wanted"),
    [
        (1, torch.tensor([7, 7, 9]), [0, 0, 1]),
        (2, None, [0, 1, 2, 0, 1, 2]),
        (3, None, [0, 1, 2, 0, 1, 2, 3, 4, 5]),
        (2, torch.tensor([1.0, 0.0, 0.9]), [0, 1, 2, 0, 3, 2]),
        (2, torch.tensor([0, 2, 1]), None),
    ],
)
def test_a_loss_of_texts_is_watched_at_the_rows_that_its_model_makes(
    columns: int, labels: Tensor | None, wanted: list[int] | None, watching: Callable[..., Watching]
) -> None:
    loss = OfTexts()
    one = watching(loss)
    loss([{"input_ids": torch.randn(3, 3)} for _ in range(columns)], labels).backward()
    if wanted is None:
        assert "have no classes" in caught(one).words[0]
        return
    found = caught(one).last()
    assert found.batch["y"].tolist() == wanted
    np.testing.assert_array_equal(found.batch["z"], torch.cat(loss.made).detach().numpy())
    np.testing.assert_allclose(found.batch["grad"], torch.cat([rows.grad for rows in loss.made]).numpy())
    loss.made = []
    copy.deepcopy(loss)(({"input_ids": torch.randn(3, 3)},), None)
    assert pickle.loads(pickle.dumps(loss.model)).weight.equal(loss.model.weight)
    assert len(caught(one).frames) == 1


def test_a_probe_may_be_texts_and_a_missing_loss_gets_a_question(watching: Callable[..., Watching]) -> None:
    loss, net = losses.ContrastiveLoss(), Embedder(3, DIM)
    one = watching(loss, net, (["a", "bc", "def", "g"], [0, 1, 1, 0]))
    loss(rows(), Y).backward()
    z = net(net.preprocess(["a", "bc", "def", "g"]))["sentence_embedding"].detach().numpy()
    np.testing.assert_allclose(caught(one).last().frame.z, z / np.linalg.norm(z, axis=1, keepdims=True), rtol=1e-5)
    assert "name it: watch.hugging_face(loss)" in caught(watching(None)).words[0]  # type: ignore[arg-type]


def test_errors_are_logged_and_never_raised(watching: Callable[..., Watching]) -> None:
    class Odd(nn.Module):
        def forward(self, scores: Tensor) -> Tensor:
            return scores.sum()

    loss = Odd()
    one = watching(loss)
    loss(torch.randn(4, requires_grad=True)).backward()
    assert "call watch.step" in caught(one).words[0]
    one.record_step(torch.randn(2, DIM), ["cat", "dog"], 1.0, None, None)
    assert "labels are no numbers; number the classes from 0 on" in caught(one).words[1]
    contrastive = losses.ContrastiveLoss()
    broken = watching(contrastive, nn.Linear(3, 2), (torch.randn(4, 7), torch.arange(4) % 2))
    contrastive(rows(), Y).backward()
    assert "probe is left out" in caught(broken).words[0]
    assert caught(broken).last().run.protocol == "batch"
    for wrong in ({"net": nn.Linear(2, 2), "probe": None}, {"net": "net", "probe": (torch.ones(2, 2), [0, 1])}):
        assert caught(watching(contrastive, **wrong)).words


def test_validation_is_no_step_and_every_nth_call_is_taken(watching: Callable[..., Watching]) -> None:
    loss = losses.ContrastiveLoss()
    one = watching(loss, every=10)
    for _ in range(30):
        loss(rows(), Y).backward()
        with torch.no_grad():
            loss(rows(), Y)
    assert [unpack(frame)[0]["step"] for frame in caught(one).frames] == [1, 2, 3, 5, 10, 20, 30]


def loop(steps: int, loss: nn.Module, one: Watching) -> list[float]:
    """The values of the loss at so many steps of which few are taken."""
    one.pace.share = 1e-9
    values = [loss(rows(seed), Y) for seed in range(steps)]
    for value in values:
        value.backward()
    return [float(value.detach()) for value in values]


@pytest.mark.parametrize("end", ["remove", "gone"])
def test_the_last_step_and_the_loss_of_every_step_arrive_whatever_the_budget(
    end: str, watching: Callable[..., Watching], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "TOGETHER", 256)
    loss = losses.ContrastiveLoss()
    one = watching(loss)
    values = loop(400, loss, one)
    taken = len(caught(one).frames)
    assert taken < 5
    if end == "gone":
        del loss
    else:
        one.remove()
    one.end()  # a second time changes nothing
    assert len(caught(one).frames) == taken + 1
    found = caught(one).last()
    assert found.frame.step == 400
    np.testing.assert_array_equal(found.batch["z"], rows(399).detach().numpy())
    sent = [received(frame, None, 0.0, None).losses for frame in caught(one).frames]  # type: ignore[union-attr]
    assert [part.first for part in sent if part] == np.cumsum([1, *(len(p.values) for p in sent[:-1] if p)]).tolist()
    np.testing.assert_allclose(np.concatenate([part.values for part in sent if part]), values)


def test_a_slow_step_keeps_its_gradient_in_case_it_is_the_last(watching: Callable[..., Watching]) -> None:
    loss, z = losses.ContrastiveLoss(), rows(9)
    one = watching(loss)
    loop(20, loss, one)
    one.pace.passed = 100.0  # seconds
    (64 * loss(z, Y)).backward()
    one.end()
    assert z.grad is not None
    np.testing.assert_allclose(caught(one).last().batch["grad"], z.grad.numpy() / 64, rtol=1e-5, atol=1e-7)


def test_a_last_batch_that_was_written_into_is_not_shown_and_its_loss_is(watching: Callable[..., Watching]) -> None:
    loss, z = losses.ContrastiveLoss(), rows(3)
    one = watching(loss)
    loop(20, loss, one)
    value = loss(z, Y)
    before = float(value.detach())
    value /= 2  # as where gradients are accumulated
    with torch.no_grad():
        z += 1
    taken = len(caught(one).frames)
    rest = received(one.rest() or b"", None, 0.0, None)
    assert isinstance(rest, Losses)
    assert (rest.first + len(rest.values) - 1, rest.values[-1]) == (21, pytest.approx(before))
    one.end()
    assert len(caught(one).frames) == taken


def test_a_last_batch_that_is_too_large_is_not_shown_and_nothing_is_said_of_its_shape(
    watching: Callable[..., Watching], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "LARGEST_BATCH", len(Y))
    loss = losses.ContrastiveLoss()
    one = watching(loss)
    loop(20, loss, one)
    taken = len(caught(one).frames)
    one.end()
    assert len(caught(one).frames) == taken < 20
    assert not any("is called with" in words for words in caught(one).words)


def test_a_share_of_all_takes_every_frame_and_a_wrong_one_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    every = Pace(5, 1.0)
    assert [every.step for k in range(20) if every.count_step(0.001 * k, 9.0)] == [1, 2, 3, 5, 10, 15, 20]
    few, many = Pace(1), Pace(1, 0.1)
    frames = [sum(pace.count_step(0.01 * k, 0.02 * pace._frames) for k in range(6000)) for pace in (few, many)]
    assert frames[1] > 3 * frames[0]
    watch(losses.ContrastiveLoss(), to="http://nowhere#token", share=0)
    assert "share = 0 is not above 0 and at most 1; 0.01 is taken" in capfd.readouterr().err
    assert watch(losses.ContrastiveLoss(), to="http://nowhere#token", every=np.int64(5)).pace.every == 5  # type: ignore[arg-type]
    for wrong in (None, math.nan, math.inf, "x", 0, 2.5):
        assert watch(losses.ContrastiveLoss(), to="http://nowhere#token", every=wrong).pace.every == EVERY  # type: ignore[arg-type]
        assert f"every = {wrong!r} is no whole number from 1 on; 10 is taken" in capfd.readouterr().err
    watch("triplet", to="http://nowhere#token")  # type: ignore[arg-type]
    assert "'triplet' is no module" in capfd.readouterr().err


def test_what_no_app_has_taken_is_in_a_file_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sender = Sender(f"http://localhost:{free_port()}#token")
    loss = losses.ContrastiveLoss()
    one = Watching(sender, "run", 1, None, loss, 1.0)
    one.hook_loss(None, None)
    loss(rows(), Y).backward()
    sender.close()
    ((_, bodies),) = runs_in_file(tmp_path / "run.dml")
    assert [received(body, None, 1.0, None).frame.step for body in bodies] == [1]  # type: ignore[union-attr]


class App(HTTPServer):
    """An app at ``port`` that gives the answers of ``statuses`` first, and then takes what comes."""

    def __init__(self, port: int = 0, *statuses: int) -> None:
        self.asked: list[tuple[str, str, bytes]] = []
        self.news = Condition()
        app, answers = self, [*statuses]

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(answers.pop(0) if answers else 200)
                self.end_headers()
                self.wfile.write(b'{"page": "train"}')
                with app.news:
                    app.asked.append((self.path, self.headers["Authorization"], body))
                    app.news.notify_all()

        super().__init__(("localhost", port), Answer)
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def server_close(self) -> None:
        self.shutdown()
        super().server_close()

    def bodies(self, count: int = 0) -> list[bytes]:
        """What has come, once it is ``count`` messages."""
        with self.news:
            assert self.news.wait_for(lambda: len(self.asked) >= count, SOON)
        return [body for _, _, body in self.asked]


class Bare:
    """A loop whose values wait until they have arrived."""

    values: bytes | None = b"values"

    def rest(self) -> bytes | None:
        return self.values

    def mark_values_delivered(self) -> None:
        self.values = None


def test_an_address_without_a_scheme_is_one_of_http() -> None:
    with App() as app:
        sender = Sender(f"localhost:{app.server_port}#token")
        sender.offer_latest(lambda: b"frame", Bare())
        sender.close()
    assert {(path, token) for path, token, _ in app.asked} == {(f"/watch/{sender.run}", "Bearer token")}


def test_an_app_that_never_answers_does_not_keep_the_last_frame_out_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sending, "LAST_WITHIN", 0.2)
    with socket.create_server(("localhost", 0)) as hangs:
        sender = Sender(f"localhost:{hangs.getsockname()[1]}#token")
        sender.wants_images = False  # an app has them
        sender.offer_latest(lambda: b"images" if sender.wants_images else b"none", Bare())
        sender.close()
    assert list(messages((tmp_path / "run.dml").read_bytes())) == [b"images"]
    assert "the app has not taken the end of this run" in capfd.readouterr().err
    assert sender._thread
    sender._thread.join(SOON)  # nobody listens any more


def test_an_app_that_is_back_before_the_end_gets_the_last_frame_and_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    port, away = free_port(), Event()
    sender = Sender(f"localhost:{port}#token")
    monkeypatch.setattr(sender, "say", lambda words: away.set())
    sender.offer_latest(lambda: b"first", loop := Bare())
    assert away.wait(SOON)
    with App(port) as app:
        sender.offer_latest(lambda: b"last", loop)
        sender.close()
    assert app.bodies() == [b"last", b""]
    assert not (tmp_path / "run.dml").exists()


def test_a_frame_for_which_the_app_was_too_busy_comes_again_before_the_values_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(sending, "REST", 0.01)
    with App(0, 429) as app:
        sender = Sender(f"localhost:{app.server_port}#token")
        sender.delivered = 1
        sender.offer_latest(lambda: b"last", Bare())
        assert app.bodies(2) == [b"last"] * 2
        sender.close()
    assert app.bodies() == [b"last", b"last", b""]


def test_a_probe_whose_labels_do_not_fit_says_how_many_there_are() -> None:
    with pytest.raises(ValueError, match="the probe has 100 points and 5 labels"):
        Probe(nn.Linear(4, 2), torch.randn(100, 4), torch.arange(5))


def test_the_first_seconds_are_generous() -> None:
    pace, spent = Pace(10), 0.0
    for k in range(300):  # of 10 ms
        spent += 0.005 * pace.count_step(0.01 * k, spent)
    assert spent / 0.005 > 20


ENDS = """
import sys, time, os, signal, torch
from torch import nn
from dml_viz import watch
from dml_viz.training.watch import pace
pace.GIFT, pace.AHEAD = 0.0, 1e-9

class Loss(nn.Module):
    def forward(self, z, y):
        return torch.cdist(z, z).mean() * (torch.nan if last else 1)

# Each loop in a process of its own, forked from this one, which imports torch for all.
loops = []
for end in sys.argv[1:]:
    if not (loop := os.fork()):
        break
    loops.append(loop)
else:
    print(*(os.waitstatus_to_exitcode(os.waitpid(loop, 0)[1]) for loop in loops))
    sys.exit()
last, loss, y = False, Loss(), torch.arange(12) % 3
watch(loss, name=end)
for k in range(1, 41):
    last = k == 40
    loss(torch.randn(12, 4, requires_grad=True), y).backward()
if end == "SIGTERM":
    os.kill(os.getpid(), signal.SIGTERM)
if end == "error":
    raise ValueError("as loops end")
"""


def test_loops_that_end_by_an_error_or_by_sigterm_send_their_last_step_and_share_a_file(tmp_path: Path) -> None:
    ends = {"error": 1, "SIGTERM": -signal.SIGTERM}
    done = subprocess.run(
        [sys.executable, "-c", ENDS, *ends],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert [*map(int, done.stdout.split())] == list(ends.values())
    runs = runs_in_file(tmp_path / "run.dml")
    assert len({name for name, _ in runs}) == 2
    for _, bodies in runs:
        frames = [one for body in bodies if isinstance(one := received(body, None, 1.0, None), Received)]
        assert frames[-1].frame.step == 40
        assert frames[-1].losses
        assert np.isnan(frames[-1].losses.values[-1])
    assert {received(bodies[0], None, 1.0, None).run.loss.title for _, bodies in runs} == set(ends)  # type: ignore[union-attr]


def test_a_step_whose_loss_is_not_finite_is_diagnosed(watching: Callable[..., Watching]) -> None:
    loss = nn.Module()
    loss.forward = lambda z, y: (z / 0).sum()  # type: ignore[assignment]
    one = watching(loss)
    loss(rows(), Y).backward()
    assert caught(one).last().frame.notes == ("At step 1 the loss is not finite.",)


def test_embeddings_that_are_not_finite_are_counted_and_scored_by_nothing(watching: Callable[..., Watching]) -> None:
    loss = losses.TripletMarginLoss()
    one = watching(loss)
    z = rows().detach()
    z[1:4] = torch.nan
    loss(z.requires_grad_(), Y).backward()
    frame = caught(one).last().frame
    assert frame.notes == (
        f"At step 1 3 of {len(z)} embeddings are not finite: their places mean nothing, and nothing is scored.",
    )
    assert np.isnan([frame.scalars[name] for name in ("map.unseen", "r1.unseen", "used.unseen")]).all()
    assert np.isnan(frame.arrays["pr.unseen"]).all()


def test_batches_that_differ_are_no_divergence(watching: Callable[..., Watching]) -> None:
    loss = losses.TripletMarginLoss()
    one = watching(loss)
    value = loss(rows(), Y)
    value.backward()
    started = [received(caught(one).frames[0], None, float(value.detach()) / times, None) for times in (1.6, 3)]
    assert not started[0].frame.notes
    assert started[1].frame.notes[0].startswith("Divergence")


@pytest.mark.parametrize(("a_step", "first", "frame"), [(0.02, 0.05, 0.008), (0.001, 0.02, 0.001), (0.1, 0.05, 0.03)])
def test_expensive_frames_come_less_often_and_take_one_hundredth_of_the_time_and_a_gift(
    a_step: float, first: float, frame: float
) -> None:
    one, now, away, spent, taken = Pace(10), 0.0, 0.0, 0.0, []
    while one.passed < 40:
        if one.count_step(now, spent):
            taken.append(one.step)
            spent += frame if taken[1:] else first
            now += frame if taken[1:] else first
        now += a_step
        if one.step % 500 == 0:
            now, away = now + 5, away + 5  # a validation, say
        assert spent <= 0.01 * max(now - away, AHEAD) + GIFT
    assert one.passed == pytest.approx(now - away, rel=0.05)
    assert taken[0] == 1
    assert spent + OF_THE_APP * len(taken) > 0.003 * one.passed
    assert one.apart > 10
    assert f"every {one.apart} steps, not every 10" in one.wider
    assert {step % 20 for step in taken[-5:]} == {0}
    assert one.due - len(taken) < 25


@pytest.mark.parametrize(("first", "frame"), [(0.3, 0.001), (0.01, 0.1), (0.01, 0.001)])
def test_the_wait_for_the_next_frame_is_known_at_a_frame(first: float, frame: float) -> None:
    one, now, spent, a_step = Pace(10), 0.0, 0.0, 0.02
    waits: list[tuple[float, float]] = []
    while len(waits) < 9:
        if one.count_step(now, spent):
            cost = frame if waits else first
            spent, now = spent + cost, now + cost
            waits.append((now, one.seconds_to_next_frame(spent)))
        now += a_step
    long = [(later - at, wait) for (at, wait), (later, _) in pairwise(waits) if wait > LONG]
    for waited, wait in long:
        assert 0.6 * waited < wait < 1.2 * waited
    assert bool(long) == (max(first, frame) > 0.05)


def test_recording_loops_find_no_more_numbers_than_without_watch(watching: Callable[..., Watching]) -> None:
    loss = losses.TripletMarginLoss()
    one = watching(loss)
    loss(embeddings=rows(), labels=Y).backward()
    assert len(caught(one).frames) == 1
    dicts = [value for value in vars(loss).values() if isinstance(value, dict)]
    assert not [value for each in dicts for value in each.values() if isinstance(value, (int, float, str))]


def test_a_loss_that_is_watched_again_is_watched_once(watching: Callable[..., Watching]) -> None:
    loss = losses.ContrastiveLoss()
    earlier, later = watching(loss), watching(loss)
    loss(rows(), Y).backward()
    assert (len(caught(earlier).frames), len(caught(later).frames)) == (0, 1)


def test_copies_of_the_loss_are_not_watched(watching: Callable[..., Watching]) -> None:
    loss = losses.ContrastiveLoss()
    one = watching(loss)
    for other in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        other(rows(), Y).backward()
    assert not caught(one).frames


def test_a_large_batch_is_thinned_and_images_are_small(watching: Callable[..., Watching]) -> None:
    loss = losses.ContrastiveLoss()
    one = watching(loss)
    loss(torch.randn(1500, DIM, requires_grad=True), torch.arange(1500) % 30).backward()
    found = caught(one).last()
    assert (len(found.frame.z), found.facts["rows"]) == (MOST_ROWS, 1500)
    images = thumbnails(torch.rand(3, 3, 100, 60))
    assert images is not None
    assert (images.shape, images.dtype) == ((3, 32, 32), np.uint8)
    assert thumbnails(torch.rand(3, 7)) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: b"",
        lambda body: body[:50],
        lambda body: b"\xff" * 90,
        lambda body: body.replace(b'"version":2', b'"version":9'),
        lambda body: body.replace(b'"step":1', b'"step":-'),
        lambda body: body.replace(b'"names":["0"', b'"names":[],"n":["0"'),
    ],
)
def test_an_invalid_message_is_refused(spoil: Callable[[bytes], bytes], watching: Callable[..., Watching]) -> None:
    loss = losses.ContrastiveLoss()
    one = watching(loss)
    loss(rows(), Y).backward()
    with pytest.raises(ValueError, match=r"."):
        received(spoil(caught(one).frames[0]), None, 0.0, None)


def test_watch_is_callable_and_takes_steps() -> None:
    assert callable(watch)
    assert callable(watch.step)


def test_trainers_of_other_libraries_are_watched_at_their_loss() -> None:
    watched: list[tuple[nn.Module, dict[str, Any]]] = []

    def watch(loss: nn.Module, **options: Any) -> None:
        watched.append((loss, options))

    loss, probe = losses.TripletMarginLoss(), (torch.ones(4, 2), torch.arange(4))
    models = {"trunk": nn.Linear(2, 3), "embedder": nn.Linear(3, 2)}
    trainer = SimpleNamespace(loss_funcs={"metric_loss": loss}, models=models)
    assert adapters.metric_learning(watch, trainer, {"probe": probe}) is trainer
    [(found, options)] = watched
    assert found is loss
    assert list(options["net"]) == list(models.values())
    module = nn.Module()
    module.net, module.criterion = nn.Linear(2, 2), losses.CrossBatchMemory(losses.ContrastiveLoss(), 2, 8)
    assert adapters.loss_in(module) is module.criterion
