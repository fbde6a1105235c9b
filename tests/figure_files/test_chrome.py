"""The server's own Chrome: whoever asks gets the figure that was asked for, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import signal
import threading
import zlib
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import plotly.graph_objects as go
import pytest
from starlette.applications import Starlette
from starlette.types import Message

from dml_viz.app import export_server
from dml_viz.app.export_server import figure_ask, signature
from dml_viz.figure_files import chrome as module
from dml_viz.figure_files.chrome import Press, PressError, found, how_to_get_one
from dml_viz.figure_files.options import Wish
from dml_viz.figure_files.reading import _marked
from dml_viz.figure_files.spec import Recipe
from dml_viz.plot.style import template

IDLE = 0.5
SOON = 20.0
SIZE = {"width": 300.0, "height": 200.0}
COLUMN = Wish(width=3.3, font="serif", points=8.0, palette="light")


def drawn_as(number: int, title: str = "number") -> str:
    """A figure with its number in it."""
    layout = {"template": template("light"), "xaxis": {"title": {"text": f"{title} {number}"}}}
    return str(go.Figure({"data": [{"type": "scatter", "y": [number, number + 1]}], "layout": layout}).to_json())


def asked(number: int, form: str = "svg", wish: Wish | None = None, title: str = "number") -> dict[str, Any]:
    recipe = Recipe(f"figure-{number}", "fastap", f"fastap?fastap.bins={number}", title=f"Figure {number}")
    data = {"figure": drawn_as(number, title), "alt": f"Number {number}.", "theme": "light", "recipe": recipe.write()}
    return figure_ask(data, form, wish, SIZE, base="http://app.test/")


@pytest.fixture(scope="module")
def press() -> Iterator[Press]:
    if found() is None:
        if os.environ.get("CI"):
            pytest.fail(how_to_get_one())
        pytest.skip(how_to_get_one())
    one = Press()
    yield one
    one.close()


def text_of(svg: bytes) -> str:
    return re.sub(r"<[^>]*>", " ", svg.decode())


@pytest.mark.usefixtures("press")
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waiting for a process's end needs Linux")
def test_a_chrome_that_nobody_asks_is_gone_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    idle, ends = Press(idle=IDLE), list[int]()
    open_ = idle._open

    async def opened() -> None:
        await open_()
        ends.append(os.pidfd_open(idle.pid or 0))

    monkeypatch.setattr(idle, "_open", opened)
    idle.drawn(asked(1))
    assert select.select([ends[0]], [], [], SOON)[0], "it is still there"
    assert "number 3" in text_of(idle.drawn(asked(3)))
    assert len(ends) == 2
    idle.close()


def test_thirty_who_ask_at_once_each_get_their_own_figure(press: Press) -> None:
    with ThreadPoolExecutor(30) as pool:
        files = list(pool.map(lambda number: press.drawn(asked(number)), range(30)))
    for number, file in enumerate(files):
        assert re.findall(r"number (\d+)", text_of(file)) == [str(number)]
        recipe = Recipe.read(_marked(file) or "")
        assert recipe.figure == f"figure-{number}"
        assert recipe.address == f"http://app.test/fastap?fastap.bins={number}"
        assert b"<image" not in file


def test_a_page_for_a_write_up_is_exactly_as_wide_as_wished(press: Press) -> None:
    file = press.drawn(asked(7, "pdf", COLUMN))
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", file)
    assert box
    assert float(box[1]) == pytest.approx(3.3 * 72, abs=1e-3)
    assert b"/Subtype /Image" not in file
    assert b"DMLSerif" in file
    assert Recipe.read(_marked(file) or "").write_up == COLUMN.write()


def test_every_letter_of_a_page_has_a_glyph(press: Press) -> None:
    page = press.drawn(asked(1, "pdf", title="s<sub>p</sub> − m<sup>2</sup> ≤ 2Δ, ∠n′ of α, β"))
    streams = [
        zlib.decompress(body) for body in re.findall(rb"/FlateDecode.*?stream\n(.*?)\nendstream", page, re.DOTALL)
    ]
    words = b"".join(stream for stream in streams if b" Tf " in stream)
    assert words.count(b"<") > 20
    assert b"<0000>" not in words


def test_a_colour_bar_has_its_colours_on_a_page(press: Press) -> None:
    data = [{"type": "heatmap", "z": [[0, 1], [2, 3]], "colorscale": [[0, "#f00"], [0.25, "#fff"], [1, "#00f"]]}]
    told = {"figure": json.dumps({"data": data}), "alt": "", "theme": "light", "recipe": asked(1)["data"]["recipe"]}
    page = press.drawn(figure_ask(told, "pdf", None, SIZE, base="http://app.test/"))
    assert b"/C0 [1 0 0] /C1 [1 1 1]" in page
    assert b"/C0 [1 1 1] /C1 [0 0 1]" in page
    assert b"/Bounds [0.25]" in page


def test_a_chrome_killed_at_work_is_asked_again_or_says_so_and_is_replaced(press: Press) -> None:
    press.drawn(asked(1))
    pid = press.pid
    assert pid
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(press.drawn, asked(number)) for number in range(4)]
        os.kill(pid, signal.SIGKILL)
        for number, answer in enumerate(waiting):
            failed = answer.exception(SOON * 3)
            if failed is None:
                assert f"number {number}" in text_of(answer.result())
            else:
                assert isinstance(failed, PressError)
                assert "ask again" in str(failed)
    assert "number 7" in text_of(press.drawn(asked(7)))
    assert press.pid not in (None, pid)


def test_a_figure_that_cannot_be_drawn_says_why_and_harms_no_other(press: Press) -> None:
    with pytest.raises(PressError, match="could not be drawn"):
        press.drawn({**asked(1), "module": "nothing"})
    assert "number 4" in text_of(press.drawn(asked(4)))


def test_where_there_is_no_chrome_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "found", lambda: None)
    one = Press()
    with pytest.raises(PressError, match="apt-get install chromium"):
        one.drawn(asked(1))
    one.close()


def test_where_there_is_no_kaleido_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    one = Press()
    with pytest.raises(PressError, match="pip install kaleido"):
        one.drawn(asked(1))
    one.close()


async def hanging() -> bytes:
    await asyncio.Event().wait()
    return b""


async def cancelled() -> bytes:
    raise asyncio.CancelledError


async def closed() -> bytes:
    raise BrokenPipeError("the pipe is closed")


def of_chromes(monkeypatch: pytest.MonkeyPatch, *answers: Callable[[], Coroutine[Any, Any, bytes]]) -> None:
    """Let each Chrome that a press opens answer as the next of ``answers``, the last for ever."""
    to_come = list(answers)

    class Chrome:
        def __init__(self) -> None:
            self._answer = to_come.pop(0) if len(to_come) > 1 else to_come[0]

        async def calc_fig(self, *_: Any) -> bytes:
            return await self._answer()

        async def close(self) -> None:
            raise asyncio.CancelledError

    async def open_(self: Press) -> None:
        self._chrome = Chrome()

    monkeypatch.setattr(Press, "_open", open_)


@pytest.mark.parametrize(
    ("answer", "said"),
    [(hanging, "did not answer in time"), (cancelled, "failed: it ended"), (closed, "failed: the pipe is closed")],
)
def test_a_chrome_that_fails_is_given_up(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[], Coroutine[Any, Any, bytes]], said: str
) -> None:
    async def drawing() -> bytes:
        return b"drawn"

    one = Press(draws_within=0.05)
    of_chromes(monkeypatch, answer)
    with pytest.raises(PressError, match=f"{said}.*; ask again"):
        one.drawn(asked(1))
    of_chromes(monkeypatch, answer, drawing)
    assert one.drawn(asked(1)) == b"drawn"
    one.close()


def test_a_visitor_who_gives_up_leaves_the_others_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    began, go_on = threading.Event(), threading.Event()

    async def drawing() -> bytes:
        began.set()
        await asyncio.to_thread(go_on.wait, SOON)
        return b"drawn"

    async def visits(one: Press) -> bytes:
        gives_up = asyncio.create_task(one.drawn_for(asked(1)))
        await asyncio.to_thread(began.wait, SOON)
        stays = asyncio.create_task(one.drawn_for(asked(2)))
        gives_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gives_up
        go_on.set()
        return await stays

    one = Press()
    of_chromes(monkeypatch, drawing)
    assert asyncio.run(visits(one)) == b"drawn"
    one.close()


def answer_to(path: str, content: bytes | None = None, origin: str = "http://here.test") -> tuple[int, str]:
    """The status and the text that the server's routes answer with."""
    place, _, query = path.partition("?")
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": content or b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = {"host": "here.test", "origin": origin, "content-length": str(len(content or b""))}
    scope = {
        "type": "http", "method": "GET" if content is None else "POST", "path": place, "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()], "scheme": "http",
        "server": ("here.test", 80), "root_path": "",
    }  # fmt: skip
    asyncio.run(Starlette(routes=export_server.routes())(scope, receive, send))
    return sent[0]["status"], b"".join(part.get("body", b"") for part in sent).decode()


def body(**more: Any) -> dict[str, Any]:
    figure = drawn_as(1)
    told = {
        "figure": figure,
        "signature": signature(figure),
        "recipe": {"figure": "a"},
        "words": "b",
        "wish": {},
        "format": "svg",
    }
    return {**told, **SIZE, **more}


@pytest.mark.parametrize(
    ("told", "status", "said"),
    [
        (body(signature="0" * 64), 400, "no figure of this server"),
        (body(figure="{}"), 400, "no figure of this server"),
        (body(format="exe"), 400, "'exe' is not known"),
        (body(wish={"palette": "pink"}), 400, "palette = 'pink'"),
        (body(wish={"width": 1e9}), 400, "width"),
        (body(recipe="x"), 400, "no recipe"),
        (body(width="wide"), 400, "could not convert"),
        ({}, 400, "figure"),
    ],
)
def test_the_server_draws_what_it_has_signed_and_nothing_else(told: dict[str, Any], status: int, said: str) -> None:
    found_status, text = answer_to("/export/figure", json.dumps(told).encode())
    assert found_status == status
    assert said in text


def test_another_site_draws_nothing() -> None:
    assert answer_to("/export/figure", json.dumps(body()).encode(), "http://elsewhere.test")[0] == 403


def test_a_loss_is_handed_out_as_pytorch_with_its_knobs() -> None:
    status, text = answer_to("/export/pytorch/fastap?bins=17")
    assert status == 200
    assert "BINS = 17" in text
    compile(text, "snippet", "exec")


@pytest.mark.parametrize(
    ("path", "status"),
    [("nothing", 404), ("fastap?bins=-1", 400), ("fastap?bins=nan", 400), ("fastap?bins=x", 400), ("../../etc", 404)],
)
def test_no_loss_is_handed_out_that_cannot_be(path: str, status: int) -> None:
    assert answer_to(f"/export/pytorch/{path}")[0] == status
