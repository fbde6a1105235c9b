"""Attacks on the whole server: paths, headers, names, sockets and bodies that no page sends."""

import asyncio
import json
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.types import Message
from streamlit.runtime import Runtime
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

import app as launcher
from dml_viz.engine import Engine, Limits
from dml_viz.engine.limits import Visitor
from dml_viz.figure_files.formats import FORMATS, Figure
from dml_viz.figure_files.spec import Spec
from dml_viz.serve import stream
from dml_viz.serve.answering import Answers
from dml_viz.training.loop import Run
from tests.fake_training import FAKE, ManualExecutor
from tests.samples import for_each
from tests.tables import rows

PLACES = (
    "", "static", "app/static", "component", "component/dml_viz.live", "_stcore/bidi-components", "media", "live-assets/1",
    "live-assets/1/recorded", "figures", "export/pytorch", "live", "your_data", "_stcore/upload_file/a", "watch",
)  # fmt: skip
TARGETS = (
    "../app.py", "../../app.py", "../../../../../../../../etc/passwd", "..%2F..%2F..%2F..%2F..%2Fetc%2Fpasswd",
    "..%5C..%5Capp.py", "%2e%2e/app.py", "%252e%252e%252fapp.py", "....//....//app.py", "%2Fetc%2Fpasswd", "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd", "app.py%00.js", "C:%5Cwindows%5Cwin.ini", "%5C%5Chost%5Cshare", ".streamlit/config.toml", "..;/app.py",
    "%c0%ae%c0%ae/app.py",
)  # fmt: skip
SECRETS = (b"root:", b"Launcher of the app", b"gatherUsageStats", b"Traceback")
LINES = ("\r\nSet-Cookie: injected=1", "\r\n\r\n<script>injected</script>", "\n injected: 1", "\u560d\u560ainjected: 1")
FORMULAS = ('=HYPERLINK("http://evil.example","x")', "+cmd|' /C calc'!A0", "-2+3+cmd", "@SUM(A1)", "\tx", "\r=1+cmd")
MARKUP = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def site() -> Iterator[Starlette]:
    """The whole server, its middleware and Streamlit's routes too, with no session begun."""
    before, Runtime._instance = Runtime._instance, None
    yield launcher.app._build_starlette_app()
    Runtime._instance = before


def answer(
    site: Starlette, path: str, query: str = "", method: str = "GET", headers: dict[str, str] | None = None, body: int = 0
) -> tuple[int, Headers, bytes]:
    """Status, headers and body of one answer; the app may read the first 64 kB of a longer ``body``."""
    sent: list[Message] = []
    parts = iter([{"type": "http.request", "body": bytes(min(body, 65_536)), "more_body": body > 65_536}])

    async def receive() -> Message:
        return next(parts, None) or await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    given = {"host": "localhost:8501", "accept": "*/*", **(headers or {})}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "scheme": "http",
        "client": ("192.0.2.1", 1),
        "server": ("localhost", 8501),
        "headers": [(name.encode(), value.encode("utf-8")) for name, value in given.items()],
    }
    asyncio.run(asyncio.wait_for(site(scope, receive, send), 60))
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), content


@pytest.mark.parametrize("place", PLACES)
def test_no_path_leads_outside_the_served_files(site: Starlette, place: str) -> None:
    for target in TARGETS:
        path = f"/{place}/{unquote(target, errors='replace')}".replace("//", "/", 1)
        status, headers, body = answer(site, path)
        assert not any(secret in body for secret in SECRETS), path
        assert status < 500, path
        if 300 <= status < 400:
            assert headers["location"].startswith("/"), path
            assert not headers["location"].startswith(("//", "/\\")), "it would lead to another site"
        elif status == 200:
            assert b"<title>Streamlit</title>" in body, "the document of the app, which then knows no such page"


@for_each("place", ["", "train", "train/deep", "figures", "live-assets/1", "export/pytorch", "media"])
def test_no_line_of_a_request_becomes_a_line_of_the_answer(site: Starlette, place: str) -> None:
    for line in LINES:
        found = [
            answer(site, f"/{place}/x{line}"),
            answer(site, f"/{place}", f"a={line}&slider={line}", headers={"cookie": f"_streamlit_xsrf={line}"}),
            answer(site, f"/{place}/deep/x", f"scene={line}", headers={"host": f"localhost{line}", "if-none-match": line}),
        ]
        for status, headers, body in found:
            assert status < 500
            assert not any("\r" in value or "\n" in value for value in headers.values())
            assert "injected" not in headers
            assert "injected" not in headers.get("set-cookie", "")
            assert b"<script>injected" not in body


def test_a_body_that_no_route_asks_for_is_not_read_to_its_end(site: Starlette) -> None:
    for place, method in product(PLACES, ("POST", "PUT", "PATCH")):
        status, _, body = answer(site, f"/{place}", method=method, body=1 << 30, headers={"content-length": str(1 << 30)})
        assert 400 <= status < 500, (place, method)
        assert len(body) < 1000


def test_a_made_up_cookie_opens_the_page_of_any_visitor_and_no_more(site: Starlette) -> None:
    cookies = ["2|00|00|x", "0" * 100_000, "2|" + "ff" * 5000 + "|ff|1", generate_xsrf_token_string(b"x" * 16), '"\\', "\x00"]
    for cookie in cookies:
        status, headers, body = answer(
            site, "/train", headers={"cookie": f"_streamlit_xsrf={cookie}; _streamlit_session={cookie}; _streamlit_user={cookie}"}
        )
        assert (status, body) == (200, answer(site, "/train")[2])
        assert len(headers.get("set-cookie", "")) < 1000, "what is made up is not handed back"
        refused = answer(site, "/_stcore/upload_file/a/b", method="PUT", headers={"cookie": f"_streamlit_xsrf={cookie}"})
        assert refused[0] == 403


def chart(name: str) -> Figure:
    """A figure whose every word is ``name``."""
    trace = {"type": "scatter", "name": name, "x": [1.0], "y": [-2.5], "text": [name], "visible": True}
    words = {"title": {"text": name}, "xaxis": {"title": {"text": name}, "range": [0, 1]}}
    spec = Spec("circle", "angular", f"angular?ask={name}", title=name, caption=name)
    return Figure(spec, words=name, caption=name, chart={"data": [trace], "layout": words})


@for_each("formula", FORMULAS)
def test_no_name_is_a_formula_of_a_table(formula: str) -> None:
    text = (FORMATS["csv"].write(chart(formula)) or b"").decode()
    head, *table = rows(text)
    assert head[:3] == ["trace", "name", "point"]
    ((_, name, _, x, y, words),) = table
    assert (name, words) == (f"'{formula}", f"'{formula}")
    assert (x, y) == ("1", "-2.5"), "numbers stay numbers"


def test_no_name_ends_the_script_or_the_markup_of_an_exported_file() -> None:
    harmless = {}
    for name in (MARKUP, "plain"):
        for suffix, each in FORMATS.items():
            if written := each.write(chart(name)):
                harmless.setdefault(suffix, []).append(written)
                assert json.loads(each.read(written) or "")["title"] == name
    assert {"html", "csv", "py", "ipynb", "json"} <= harmless.keys()
    spoilt, plain = (text.lower().count(b"<script") for text in harmless["html"])
    assert spoilt == plain
    compile(harmless["py"][0], "figure.py", "exec")


def test_a_thousand_idle_sockets_delay_no_other_and_leave_nothing_behind() -> None:
    workers = ManualExecutor()
    engine = Engine(FAKE, lambda: workers, Limits(unwatched=600))
    workers.make_all()
    job = engine.create(Run(steps=40, every=10, dim=2), "visitor")
    workers.make()
    served = Starlette(routes=stream.routes(lambda: engine, Answers, lambda _: Visitor("visitor")))

    async def opened(questions: asyncio.Queue[Message], sent: list[Message]) -> None:
        async def send(message: Message) -> None:
            sent.append(message)

        headers = [(b"host", b"lab"), (b"origin", b"http://lab")]
        path = f"/live/{job.id}"
        scope = {"type": "websocket", "path": path, "root_path": "", "headers": headers, "query_string": b"", "subprotocols": []}
        await served({**scope, "scheme": "ws", "client": ("192.0.2.1", 1)}, questions.get, send)

    async def all_of_them() -> list[str]:
        queues: list[asyncio.Queue[Message]] = [asyncio.Queue() for _ in range(1001)]
        sent: list[list[Message]] = [[] for _ in queues]
        tasks = [asyncio.create_task(opened(one, to)) for one, to in zip(queues, sent, strict=True)]
        for one in queues:
            one.put_nowait({"type": "websocket.connect"})
        queues[-1].put_nowait({"type": "websocket.receive", "text": '{"want": "subject"}'})
        async with asyncio.timeout(60):
            while len(sent[-1]) < 2:
                await asyncio.sleep(0.01)
        huge = {"type": "websocket.receive", "text": '{"want": "' + "x" * 10_000_000}
        queues[0].put_nowait(huge)
        for one in queues[1:]:
            one.put_nowait({"type": "websocket.disconnect", "code": 1006})
        await asyncio.gather(*tasks)
        assert len(asyncio.all_tasks()) == 1
        return [message["type"] for message in sent[-1]] + [str(sent[0][-1].get("code"))]

    try:
        assert asyncio.run(all_of_them()) == ["websocket.accept", "websocket.send", "4400"]
    finally:
        engine.close()


def test_a_frame_of_a_socket_is_small() -> None:
    settings = tomllib.loads((Path(launcher.__file__).parent / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["maxMessageSize"] <= 32, "megabytes that a stranger's frame may fill, of each socket"
