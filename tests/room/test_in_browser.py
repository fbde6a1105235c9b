"""Rooms in the browser say what they say in Python: the same sentences, numbers and truths, on presets and on random scenes."""

import json
from pathlib import Path
from typing import Any

import pytest

from dml_viz.explain.proxies.scenes import PLACES, scene_with_proxies
from dml_viz.room.in_browser import javascript_of_rooms
from tests.javascript import Evaluate, evaluating
from tests.room_cases import KEYS, NUMBERS, RUN, alike, answered, links, presets, rooms, said
from tests.samples import THOROUGH

COUNT = 24 if THOROUGH else 12  # scenes: all presets, and some random ones; `python -m benchmarks rooms` takes more


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    return evaluating(Path(tmp_path_factory.mktemp("rooms")), {"rooms/rooms.js": javascript_of_rooms(rooms(*KEYS))})


@pytest.mark.parametrize("key", KEYS)
def test_a_room_in_the_browser_says_what_it_says_in_python(evaluate: Evaluate, key: str) -> None:
    (room,) = rooms(key)
    cases: list[tuple[dict[str, Any], str | None]] = list(presets(room))
    cases += [(link, None) for link in links(room, COUNT)]
    found = evaluate(RUN, [["said", key, link, label, NUMBERS[key]] for link, label in cases])
    for (link, label), browser in zip(cases, found, strict=True):
        print(link, browser.get("error"))  # shown if the test fails, for the last one
        assert alike(json.loads(json.dumps(said(room, link, label))), browser)


def test_buttons_put_proxies_where_those_of_the_page_put_them(evaluate: Evaluate) -> None:
    cases = [{}, *links(rooms("proxies")[0], COUNT)]
    for link, browser in zip(cases, evaluate(RUN, [["pressed", "proxies", link] for link in cases]), strict=True):
        assert browser == {place: scene_with_proxies(place, link) for place in PLACES}


@pytest.mark.parametrize("key", KEYS)
def test_predictions_in_the_browser_have_the_same_truths(evaluate: Evaluate, key: str) -> None:
    (room,) = rooms(key)
    names = [prediction.name for prediction in room.predictions]
    found = evaluate(RUN, [["answered", key, name, 1] for name in names])
    for name, browser in zip(names, found, strict=True):
        print(name, browser.get("error"))  # shown if the test fails, for the last one
        assert alike(answered(room, name, 1), browser)
