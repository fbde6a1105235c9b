"""The stream over a real socket: uvicorn in a thread, questions asked as a browser asks them."""

import gzip
import json
import posixpath
import socket
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection, HTTPResponse
from threading import Thread
from typing import Any

import numpy as np
import pytest
import uvicorn
from starlette.applications import Starlette
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from dml_viz import to_javascript
from dml_viz.assets import LOSSES, PLOTLY, browser_files, component_files
from dml_viz.data.wire import unpack
from dml_viz.engine import Engine, Job, Limits
from dml_viz.engine.limits import Visitor
from dml_viz.engine.messages import VERSION
from dml_viz.serve.answering import Answers
from dml_viz.serve.files import address
from dml_viz.serve.page_headers import preload_links
from dml_viz.serve.stream import Question, routes
from dml_viz.training.loop import Run
from tests.fake_training import FAKE, STEPS_A_SLICE, WORST_SEED, ManualExecutor
from tests.samples import for_each

RUN = Run(steps=40, every=10, dim=2)
SOON = 60.0  # seconds, on a busy machine
Message = tuple[dict[str, Any], dict[str, np.ndarray]]


def one_visitor(_: object) -> Visitor:
    return Visitor("visitor")


class Server:
    """The routes on a free port, over an engine whose workers are moved by hand."""

    def __init__(self) -> None:
        self.workers, self.answers = ManualExecutor(), Answers()
        self.engine = Engine(FAKE, lambda: self.workers, Limits(unwatched=600))
        self.workers.make_all()
        listening = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{listening.getsockname()[1]}"
        app = Starlette(routes=routes(lambda: self.engine, lambda: self.answers, one_visitor))
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="websockets-sansio"))
        self._thread = Thread(target=self._server.run, args=([listening],))
        self._thread.start()

    def begun(self, run: Run = RUN) -> Job:
        live = self.engine.create(run, "visitor")
        self.workers.make()
        return live

    def train(self, live: Job, until: int | None = None) -> None:
        live.play(until)
        self.workers.make_all()

    def opened(self, run_id: str) -> ClientConnection:
        """A connection to a run."""
        return connect(f"ws://{self.host}/live/{run_id}", open_timeout=SOON, close_timeout=1)

    def get(self, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection(self.host)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self.engine.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


def ask(connection: ClientConnection, **question: object) -> Message:
    connection.send(json.dumps(question))
    answer = connection.recv(timeout=SOON)
    assert isinstance(answer, bytes)
    return unpack(answer)


def close_code(connection: ClientConnection) -> int:
    with pytest.raises(ConnectionClosed) as closed:
        connection.recv(timeout=SOON)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def test_the_subject_message_names_what_is_watched(server: Server) -> None:
    live = server.begun()
    with server.opened(live.id) as connection:
        header, arrays = ask(connection, want="subject")
    assert header["kind"] == "subject"
    assert header["run"] == live.id
    assert (header["budget"], header["every"], header["dim"]) == (40, 10, 2)
    assert header["classes"] == ["a", "b"]
    assert header["categories"] == ["letters", "letters"]
    assert header["baseline"] == {"seen": 0.9, "unseen": 0.8}
    assert header["title"].endswith(RUN.dataset.title)
    assert {name: (array.dtype, array.shape) for name, array in arrays.items()} == {
        "y": (np.uint8, (6,)),
        "unseen": (np.uint8, (6,)),
        "images": (np.uint8, (6, 8, 8)),
        "near_pixels": (np.uint16, (6, 8)),
    }


def test_the_subject_is_waited_for(server: Server) -> None:
    run_id = server.engine.create(RUN, "visitor").id
    with server.opened(run_id) as connection:
        connection.send('{"want": "subject"}')
        server.workers.make_all()
        answer = connection.recv(timeout=SOON)
    assert isinstance(answer, bytes)
    assert unpack(answer)[0]["kind"] == "subject"


def test_a_run_that_has_not_begun_sends_ticks(server: Server) -> None:
    run_id = server.engine.create(RUN, "visitor").id
    with server.opened(run_id) as connection:
        assert ask(connection, want="subject")[0]["kind"] == "tick"
        server.workers.make_all()
        assert ask(connection, want="subject")[0]["kind"] == "subject"


def test_a_run_that_cannot_begin_closes_the_socket_with_the_reason(server: Server) -> None:
    live = server.begun(replace(RUN, seed=WORST_SEED))
    with server.opened(live.id) as connection:
        connection.send('{"want": "subject"}')
        assert close_code(connection) == 4409


def test_next_is_the_newest_frame_with_the_rows_that_were_missed(server: Server) -> None:
    live = server.begun()
    server.train(live, until=30)
    with server.opened(live.id) as connection:
        header, arrays = ask(connection, want="next", after=0, rows=1)
    assert (header["kind"], header["step"], header["latest"], header["budget"]) == ("frame", 30, 30, 40)
    assert (header["status"], header["reason"], header["device"]) == ("paused", "", "AUTO")
    assert header["version"] == VERSION
    assert [(one["there"], one["notes"], one["failed"]) for one in header["members"]] == [(True, [], [])]
    assert header["columns"] == ["loss", "r1.unseen"]
    assert arrays["rows"][:, 0].tolist() == [10, 20, 30]
    frame = live.at(30)
    assert frame is not None
    assert arrays["rows"][-1, 1] == np.float32(frame.scalars["loss"])
    assert arrays["0.view"].shape == (6, 2)


def test_a_reader_that_has_the_newest_frame_gets_a_tick_after_about_a_second(server: Server) -> None:
    live = server.begun()
    with server.opened(live.id) as connection:
        header, arrays = ask(connection, want="next", after=0, rows=1)
    assert (header["kind"], header["status"], header["latest"], header["step"]) == ("tick", "paused", 0, 0)
    assert arrays == {}


def test_a_waiting_reader_gets_the_frame_when_it_comes(server: Server) -> None:
    live = server.begun()
    with server.opened(live.id) as connection:
        ask(connection, want="next", after=-1, rows=0)
        live.play()
        assert ask(connection, want="next", after=0, rows=1)[0]["status"] == "running"
        connection.send(json.dumps({"want": "next", "after": 0, "rows": 1}))
        server.workers.make(10 // STEPS_A_SLICE)
        answer = connection.recv(timeout=SOON)
    assert isinstance(answer, bytes)
    header, arrays = unpack(answer)
    assert (header["kind"], header["step"]) == ("frame", 10)
    assert arrays["rows"][:, 0].tolist() == [10]
    live.reset()
    server.workers.make_all()


def test_a_step_is_the_frame_at_or_before_it(server: Server) -> None:
    live = server.begun()
    server.train(live)
    with server.opened(live.id) as connection:
        for asked, given in ((0, 0), (9, 0), (10, 10), (25, 20), (40, 40), (99, 40)):
            assert ask(connection, want="step", step=asked)[0]["step"] == given


def test_of_questions_that_wait_the_newest_is_answered(server: Server) -> None:
    live = server.begun()
    server.train(live)
    with server.opened(live.id) as connection:
        for step in [10] * 99 + [40]:
            connection.send(json.dumps({"want": "step", "step": step}))
        steps = [10]
        while steps[-1] != 40:
            answer = connection.recv(timeout=SOON)
            assert isinstance(answer, bytes)
            steps.append(unpack(answer)[0]["step"])
        assert len(steps) < 99
        assert ask(connection, want="step", step=20)[0]["step"] == 20, "an answer is there for each question that was waited for"


def test_a_socket_that_asks_without_pause_delays_no_other(server: Server) -> None:
    live = server.begun()
    server.train(live)
    with server.opened(live.id) as flooding, server.opened(live.id) as other:
        for _ in range(5000):
            flooding.send('{"want": "step", "step": 40}')
        assert [ask(other, want="step", step=step)[0]["step"] for step in range(0, 41, 10)] == [0, 10, 20, 30, 40]
        assert isinstance(flooding.recv(timeout=SOON), bytes), "it is answered, too"


def test_a_reader_learns_of_a_reset_even_when_the_run_is_ahead_of_it_again(server: Server) -> None:
    live = server.begun()
    server.train(live, until=10)
    with server.opened(live.id) as connection:
        assert ask(connection, want="next", after=-1)[0]["step"] == 10
        live.reset()
        server.train(live, until=20)
        assert ask(connection, want="next", after=10, rows=2)[0]["latest"] == -1
        header, arrays = ask(connection, want="next", after=-1, rows=0)
    assert header["step"] == 20
    assert arrays["rows"][:, 0].tolist() == [0, 10, 20]


def test_pulling_counts_as_watching(server: Server) -> None:
    live = server.begun()
    live.play()
    server.engine.leave("visitor")
    with server.opened(live.id) as connection:
        header, _ = ask(connection, want="next", after=-1)
    assert header["status"] == "running"
    server.workers.make_all()


def test_a_run_that_is_replaced_closes_the_socket_of_its_readers(server: Server) -> None:
    live = server.begun()
    with server.opened(live.id) as connection:
        ask(connection, want="next", after=-1)
        connection.send('{"want": "next", "after": 0}')
        server.begun()
        assert close_code(connection) == 4404


@for_each(
    "question", ["", "{", "[]", "{}", '{"want": "all"}', '{"want": "next", "after": -2}', '{"want": "step", "step": 1.5}',
                 '{"want": "next", "rows": true}', '{"want": "subject"}' + " " * 5000, "[" * 4000, b"\x00\x01"],
)  # fmt: skip
def test_a_malformed_question_closes_the_socket(server: Server, question: str | bytes) -> None:
    live = server.begun()
    with server.opened(live.id) as connection:
        connection.send(question)
        assert close_code(connection) == 4400


def test_a_run_that_is_not_there_closes_the_socket(server: Server) -> None:
    with server.opened("nobody-knows-it") as connection:
        assert close_code(connection) == 4404


def test_a_question_names_what_is_wrong_with_it() -> None:
    with pytest.raises(ValueError, match=r"after = -2 is not allowed; ask with a whole number, -1 or more"):
        Question.parse('{"want": "next", "after": -2}')


def test_plotly_is_served_compressed_and_asked_for_once(server: Server) -> None:
    response, body = server.get("/live-assets/1/plotly.min.js", Accept_Encoding="gzip")
    assert response.status == 200
    assert response.getheader("content-type", "").startswith("text/javascript")
    assert gzip.decompress(body).startswith(b"var Plotly=")
    assert len(body) < 500_000
    tag = response.getheader("etag", "")
    response, body = server.get("/live-assets/1/plotly.min.js", If_None_Match=tag)
    assert (response.status, body) == (304, b"")


def test_a_file_under_an_address_with_its_version_is_cached_for_good(server: Server) -> None:
    name = "src/runs/packing.js"
    assert server.get(f"/live-assets/another/{name}")[0].getheader("cache-control") == "no-cache"
    assert "immutable" in server.get(f"/{address(name)}")[0].getheader("cache-control", "")


def test_a_script_as_built_names_its_map_and_the_page_what_it_imports(server: Server) -> None:
    for name in browser_files():
        if name.startswith("dist/js/chunk-") and name.endswith(".js"):
            source_map = server.get(f"/{address(name)}")[0].getheader("sourcemap")
            sources = json.loads(server.get(f"/{address(f'dist/js/{source_map}')}")[1])["sources"]
            assert all(posixpath.normpath(f"dist/js/{source}") in browser_files() for source in sources)
    header = preload_links("/angular")
    assert all(f"{address(name)}>; rel=modulepreload" in header for name in component_files("scene_editor"))
    assert PLOTLY.name in header
    assert PLOTLY.name not in preload_links("/race")  # nothing of a race is drawn by Plotly
    assert preload_links("/teaching/viz/", "teaching/viz") == preload_links("/")


def test_a_file_of_every_kind_that_pages_load_is_served(server: Server) -> None:
    for name in {path.suffix: name for name, path in browser_files().items()}.values():
        assert server.get(f"/{address(name)}")[0].status == 200, name


def test_a_generated_script_is_served_like_a_file(server: Server) -> None:
    name = f"/{address(LOSSES)}"
    response, body = server.get(name)
    assert (response.status, body.decode()) == (200, to_javascript.javascript_of_losses())
    assert response.getheader("content-type", "").startswith("text/javascript")
    tag = response.getheader("etag", "")
    assert server.get(name, If_None_Match=tag)[0].status == 304


@for_each(
    "path",
    [
        "/live-assets/1/nothing.js",
        "/live-assets/1/..%2Fapp.py",
        "/live-assets/1/%2Fetc%2Fpasswd",
        "/live-assets/1/src",
        "/live-assets/1/recorded/nothing.bin",
        "/recorded/start.bin",
        "/live-assets/../app.py",
    ],
)
def test_nothing_else_is_served(server: Server, path: str) -> None:
    assert server.get(path)[0].status == 404
