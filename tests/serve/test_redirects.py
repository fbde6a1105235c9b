"""Addresses that lead to a page: those below it, and those that it had before; old recipes and lessons lead there, too."""

import asyncio
import json

import pytest
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from streamlit import config

from dml_viz.app import frame, frontend
from dml_viz.export.compose import spec_of_link
from dml_viz.figure_files.spec import MARK, RENAMED, VERSION, Spec
from dml_viz.room import lesson_text
from dml_viz.room.tray import Tray
from dml_viz.serve import server
from dml_viz.serve.page_requests import PageRedirects
from tests.samples import for_each

SETTINGS = "batches.size=24&formula=s_n+-+s_p%2C+m&s=~x"


async def answered(scope: Scope, receive: Receive, send: Send) -> None:
    path = scope["path"]
    response = PlainTextResponse(path) if path.endswith(".txt") else HTMLResponse(path)
    await response(scope, receive, send)


def asked(path: str) -> tuple[int, str]:
    """The status of the answer at ``path`` with `SETTINGS`, and where it leads."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": SETTINGS.encode(), "headers": []}
    asyncio.run(PageRedirects(answered, frontend)(scope, receive, send))
    return sent[0]["status"], Headers(raw=sent[0]["headers"]).get("location", "")


@pytest.mark.parametrize("base", ["", "teaching/viz"])
@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_address_opens_its_page_with_its_settings(old: str, new: str, base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "get_option", lambda name: {"server.baseUrlPath": base}[name])
    home = f"/{base}/" if base else "/"
    for path in (old, f"{old}/", f"{old}/deeper", f"{new}/deeper"):
        assert asked(f"{home}{path}") == (307, f"{home}{new}?{SETTINGS}")
    for path in ("", new, "fastap"):
        assert asked(f"{home}{path}") == (200, "")
    assert asked(f"{home}{old}/a.txt") == (200, ""), "a file is no page"
    assert new in frame.titles()
    assert old not in frame.titles()


def test_routes_of_the_app_are_below_its_base_path_as_those_of_streamlit() -> None:
    routes = server.routes()
    moved = [server.below("teaching/viz", route) for route in routes]
    assert [route.path for route in moved] == [f"/teaching/viz{route.path}" for route in routes]
    for each, route in zip(moved, routes, strict=True):
        assert (type(each), each.endpoint, getattr(each, "methods", ())) == (
            type(route),
            route.endpoint,
            getattr(route, "methods", ()),
        )
    assert [server.below("", route) for route in routes] == routes


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_old_recipes_trays_and_lessons_lead_to_the_page(old: str, new: str) -> None:
    panel = {"figure": "x", "page": old, "link": f"{old}?{SETTINGS}"}
    read = Spec.read(json.dumps({**panel, MARK: VERSION}))
    assert (read.page, read.link) == (new, f"{new}?{SETTINGS}")
    tray = Tray.read({"panels": [panel], "columns": 1, "letters": "a", "options": None})
    assert [spec.page for spec in tray.specs] == [new]
    assert list(tray.panels) == [panel], "the browser recognises what it wrote"
    assert spec_of_link(f"https://a.example/{old}?x=1#figure").page == new
    (station,) = lesson_text.read(f"# A\n## B\nlink: /{old}?x=1\nask: C?\n", frame.titles()).stations
    assert (station.page, station.settings) == (new, {"x": "1"})


# The one page whose subject is a better address than its title is long: all losses side by side, by their gradients.
@for_each(("page", "title"), [each for each in frame.titles().items() if each[0] not in ("", "gradients")])
def test_an_address_is_made_of_the_words_of_its_title(page: str, title: str) -> None:
    assert set(page.split("_")) <= set(title.lower().replace(",", "").split())
