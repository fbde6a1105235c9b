"""A figure offered by a page is made when it is fetched, once for all requests for the same figure."""

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from dml_viz.data.wire import unpack
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import preset
from dml_viz.explain.angular import ROOM
from dml_viz.explain.angular.model import Settings
from dml_viz.params import Param
from dml_viz.plot.canvas import Display
from dml_viz.room.link_reader import LinkReader, MovedReader
from dml_viz.room.room import Component, NoModelError
from dml_viz.room.source import Subject
from dml_viz.serve import figure_store
from dml_viz.serve.figure_store import FigureStore, Offer

SCENE = preset("overlapping")


def offered(store: FigureStore, settings: Settings | None = None, theme: str = "light") -> Offer:
    display = Display(theme, SCENE.class_names(), SCENE.labels)
    return store.offer(ROOM, SCENE.subject(), settings or Settings(), display)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FigureStore:
    made = FigureStore()
    monkeypatch.setattr(figure_store, "store", lambda: made)
    return made


async def staying() -> Message:
    """The messages of a browser that waits for its answer: none."""
    return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]


def fetched(token: str, query: str = "", name: str = "triangle") -> Response:
    [route] = figure_store.routes()
    scope = {
        "type": "http",
        "method": "GET",
        "headers": [],
        "client": None,
        "path_params": {"name": name, "token": token},
        "query_string": query.encode(),
    }
    return asyncio.run(route.endpoint(Request(scope, staying)))


def test_a_drawing_of_ours_comes_as_a_message_with_its_arrays(store: FigureStore) -> None:
    room = replace(ROOM, components={"rows": lambda model, display: Component("points", {}, {"y": np.arange(3, dtype=np.uint8)})})
    offer = store.offer(room, SCENE.subject(), Settings(), Display("light"))
    answer = fetched(offer.token, name="rows")
    assert answer.media_type == "application/octet-stream"
    assert unpack(bytes(answer.body))[1]["y"].tolist() == [0, 1, 2]
    assert fetched(offer.token, name="others").status_code == 404


def test_equal_figures_have_one_address_and_others_another(store: FigureStore) -> None:
    first = offered(store)
    assert offered(store) is first
    others = [offered(store, theme="dark"), offered(store, settings=Settings(scale=3.0))]
    assert len({offer.address(name) for offer in (first, *others) for name in ("triangle", "circle")}) == 6
    assert offered(FigureStore()).token != first.token


def test_nothing_is_computed_before_a_figure_is_fetched_and_then_once(store: FigureStore) -> None:
    models = []
    room = replace(ROOM, model=lambda embeddings, settings: models.append(1) or ROOM.model(embeddings, settings))
    offer = store.offer(room, SCENE.subject(), Settings(), Display("light", SCENE.class_names(), SCENE.labels))
    assert not models
    for name in ("triangle", "circle", "triangle"):
        assert json.loads(store.text(name, offer.token) or "")["layout"]["meta"]["alt"]
    assert len(models) == 1


def test_only_an_offered_figure_is_served(store: FigureStore) -> None:
    token = offered(store).token
    assert json.loads(bytes(fetched(token).body)) == json.loads(store.text("triangle", token) or "")
    assert fetched("0123456789abcdef").status_code == fetched(token, name="nothing").status_code == 404


def test_a_slider_that_is_moved_gives_the_figure_that_the_page_will_offer(store: FigureStore) -> None:
    link = {"angular.scale": "2.0"}

    def moved(*slider: str) -> tuple[Embeddings, Settings]:
        return SCENE.subject(), MovedReader(link, *slider).settings(ROOM.settings, Subject())

    display = Display("light", SCENE.class_names(), SCENE.labels)
    offers = [
        store.offer(ROOM, SCENE.subject(), ROOM.settings(LinkReader(link | more), Subject()), display, moved)
        for more in ({}, {"angular.alpha": "36"})
    ]
    here, there = offers
    answer = fetched(here.token, "slider=angular-alpha&value=36&mark=36.00")
    assert answer.headers["Figure"] == there.token
    assert bytes(answer.body) == bytes(fetched(there.token).body) != bytes(fetched(here.token).body)
    for query in ("slider=angular-alpha&value=900", "slider=run-steps&value=7", "slider=angular-alpha&value=x", "slider="):
        assert fetched(here.token, query).status_code == 204, query
    assert fetched(offered(store, theme="dark").token, "slider=angular-alpha&value=36").status_code == 204


def test_a_slider_of_marks_sends_its_mark() -> None:
    reader = MovedReader({}, "angular-scale", "3", "0.5")
    assert reader.setting("angular.scale", Param("scale", 1.0, "", "a scale", log=True)) == 0.5
    assert reader.setting("angular.other", Param("other", 1.0, "", "another scale", log=True)) == 1.0


def test_a_link_alone_gives_the_settings_that_the_page_would_have() -> None:
    link = {"angular.alpha": "36", "angular.form": "hinge", "angular.orders": "both", "angular.anchor": "2"}
    read = ROOM.settings(LinkReader(link), Subject(SCENE.subject()))
    assert (read.angular.alpha, read.angular.form, read.both, read.roles) == (36, "hinge", True, (2, 0, 0))
    assert ROOM.settings(LinkReader({}), Subject()) == Settings(roles=(0, 4, 6), exact=True)
    with pytest.raises(ValueError, match="alpha"):
        ROOM.settings(LinkReader({"angular.alpha": "900"}), Subject())


def test_a_batch_without_a_model_says_why() -> None:
    scene = preset("no two of a class")
    embeddings: Embeddings = scene.subject()
    with pytest.raises(NoModelError, match="alone in its class"):
        ROOM.model(embeddings, Settings())


def test_figures_of_a_tab_s_files_are_forgotten_with_it_unless_another_tab_shows_them(store: FigureStore) -> None:
    display = Display("light", SCENE.class_names(), SCENE.labels)
    of_scene = store.offer(ROOM, SCENE.subject(), Settings(), display)

    def move(*slider: str) -> tuple[Embeddings, Settings]:
        return SCENE.subject(), Settings(turn=50)

    points, turns = SCENE.subject(), (60, 30, 15)
    own, shared, moved = (store.offer(ROOM, points, Settings(turn=turn), display, move, tab="a") for turn in turns)
    assert store.offer(ROOM, SCENE.subject(), Settings(turn=30), display, tab="b") is shared
    bodies = [fetched(offer.token).body for offer in (of_scene, shared)]
    assert fetched(own.token).status_code == 200
    after = store.figure_with_slider_moved("triangle", moved.token, "turn", "50", "")
    assert after
    store.forget_files_of("a")
    assert [fetched(token).status_code for token in (own.token, moved.token, after[0])] == [404] * 3
    assert store.offers == (of_scene, shared)
    assert [fetched(offer.token).body for offer in (of_scene, shared)] == bodies
    assert len(store._few.values()) == len(store._texts.values()) == 2
    store.forget_files_of("b")
    assert store.offers == (of_scene,)
