"""A thousand malformed inputs by links, sockets, requests and files: each gets a sentence, none a traceback."""

import asyncio
import gc
import json
import pkgutil
import random
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.types import Message

import dml_viz.explain
from dml_viz.app import frame, frontend
from dml_viz.app.lessons.bar import FIRST_LESSON
from dml_viz.explain.race.settings import race_settings
from dml_viz.figure_files.formats import FORMATS, read_spec
from dml_viz.room import short_link
from dml_viz.room.ask import Setting
from dml_viz.room.lesson_text import find as find_lesson
from dml_viz.room.lesson_text import read as read_lesson
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.room import Room
from dml_viz.room.run_form import run_form
from dml_viz.room.source import Subject
from dml_viz.serve import answering, figure_store, server
from dml_viz.serve.answering import Answers
from dml_viz.serve.connections import SocketLimit
from dml_viz.serve.files import file_routes
from dml_viz.serve.guard import Guard
from dml_viz.serve.stream import Question

LEFT = 200_000  # bytes allocated and not freed, at most
LINKS, QUESTIONS, REQUESTS, FILES = 400, 200, 200, 200
PATHS = "/export/pytorch/fastap", "/figures/pipeline/0", "/live-assets/1/src/runs/packing.js", "/_stcore/metrics"
POISON = (
    "nan", "-1e999", "", "<script>", "../../etc/passwd", "x" * 3000, "☃\u202e", "0x10", "None", "%00", "\x00", "[[[[", "{}",
    "1_0", "true", "-0", "9" * 400, "١٢", "a80_90b", "~~~", "@1-1", "=", "&", '{"want": 1}', "1e400", "fastap.bins:-1",
)  # fmt: skip
ROOMS = [
    room
    for found in pkgutil.iter_modules(dml_viz.explain.__path__)
    if isinstance(room := getattr(import_module(f"{dml_viz.explain.__name__}.{found.name}"), "ROOM", None), Room)
]


class Spy(LinkReader):
    """Records which settings are read, and their defaults."""

    def __init__(self) -> None:
        super().__init__({})
        self.known: dict[str, str] = {}

    def setting(self, key: str, knob: Setting) -> Any:
        value = super().setting(key, knob)
        self.known[key] = str(value)
        return value


def readers() -> list[tuple[Callable[[LinkReader], object], dict[str, str]]]:
    """The readers of links: each page's settings, runs and races; each with a valid link."""
    shown = Subject()
    asks: list[Callable[[LinkReader], object]] = [lambda link, room=room: room.settings(link, shown) for room in ROOMS]  # type: ignore[misc]
    found = []
    for read in (*asks, run_form, race_settings):
        spy = Spy()
        read(spy)
        if spy.known:
            found.append((read, spy.known))
    return found


def spoilt(text: str, rng: random.Random) -> str:
    """The text with a piece cut out, doubled or replaced by malformed text, or malformed text alone."""
    begin, end = sorted(rng.randint(0, len(text)) for _ in range(2))
    return rng.choice(
        [rng.choice(POISON), text[:begin] + rng.choice(POISON) + text[end:], text[:begin] + text[end:], text[:end] + text[begin:]]
    )


def refused(read: Callable[[], object]) -> bool:
    """Whether ``read`` refuses its input with a sentence; any other error is raised."""
    try:
        read()
    except ValueError as error:
        return bool(str(error))
    return False


def links(rng: random.Random) -> int:
    count = 0
    for _ in range(LINKS // 2):
        read, known = rng.choice(READERS)
        key = rng.choice(sorted(known))
        count += refused(lambda read=read, key=key, known=known: read(LinkReader({key: spoilt(known[key], rng)})))  # type: ignore[misc]
        count += refused(lambda known=known: short_link.expand(spoilt(short_link.compress(known), rng)))  # type: ignore[misc]
    return count


def questions(rng: random.Random) -> int:
    asked = '{"want": "next", "after": 12, "rows": 3, "step": 7}'
    return sum(refused(lambda: Question.parse(spoilt(asked, rng))) for _ in range(QUESTIONS))


def files(rng: random.Random, folder: Path) -> int:
    spec = json.dumps({"dml_viz_recipe": 1, "figure": "circle", "page": "angular", "link": "/angular?a=1", "run": {}, "step": 3})
    lesson, titles = find_lesson(FIRST_LESSON), frame.titles()
    count = 0
    for _ in range(FILES // 2):
        path = folder / f"file.{rng.choice(sorted(FORMATS))}"
        path.write_bytes(rng.choice([spoilt(spec, rng).encode(), rng.randbytes(200), b"\x89PNG\r\n\x1a\n" + rng.randbytes(90)]))
        count += refused(lambda path=path: read_spec(path))  # type: ignore[misc]
        count += refused(lambda: read_lesson(spoilt(lesson, rng), titles))
    return count


def requests(rng: random.Random) -> int:
    return sum(400 <= asyncio.run(status(rng)) < 500 for _ in range(REQUESTS))


async def status(rng: random.Random) -> int:
    """The status of the server's answer to a spoilt request."""
    path = rng.choice(PATHS)
    query = "&".join(f"{quote(rng.choice(['bins', 'slider', 'value', 'x']))}={quote(rng.choice(POISON))}" for _ in range(3))
    sent: list[Message] = []
    body = iter([{"type": "http.request", "body": rng.randbytes(64), "more_body": False}])

    async def receive() -> Message:
        return next(body, None) or await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [
        (b"host", spoilt("localhost:8501", rng)[:200].encode()),
        (b"cookie", spoilt("_streamlit_xsrf=2|00|00|1", rng).encode()),
    ]
    scope = {
        "type": "http",
        "method": rng.choice(["GET", "POST", "PUT", "TRACE", "X"]),
        "path": spoilt(path, rng),
        "root_path": "",
        "query_string": query.encode(),
        "headers": headers,
        "scheme": "http",
        "client": ("192.0.2.1", 1),
        "server": ("lab", 80),
    }
    await APP(scope, receive, send)
    assert sent[0]["status"] < 500
    return int(sent[0]["status"])


READERS = readers()
APP = Guard(SocketLimit(Starlette(routes=[server.pytorch_route(), *figure_store.routes(), *file_routes()])), frontend)


def test_a_thousand_malformed_inputs_give_sentences_and_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Answers()
    monkeypatch.setattr(answering, "answer_queue", lambda: own)

    def thousand() -> tuple[int, int, int, int]:
        rng = random.Random(14)
        return links(rng), questions(rng), files(rng, tmp_path), requests(rng)

    first = thousand()
    assert min(first) > 50, "most are refused, the rest is harmless"

    def leaves_nothing() -> bool:
        gc.collect()
        before = len(gc.get_objects())
        tracemalloc.start()
        try:
            assert thousand() == first
            gc.collect()
            return len(gc.get_objects()) < before + 500 and tracemalloc.get_traced_memory()[0] < LEFT
        finally:
            tracemalloc.stop()

    assert any(leaves_nothing() for _ in range(3)), "what other threads of the process keep meanwhile is theirs"
