"""Predict, then reveal: rounds without any page, the truth of every prediction, and pages that ask."""

import json
import re
from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz import explain
from dml_viz.app.frame import PAGES
from dml_viz.plot.canvas import Display
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.prediction import ASKED, CLOSE, LOCKED, REVEALED, RIGHT, WRONG, Asked, Choices, Drag, Mark, Revealed, Round
from dml_viz.room.room import Room
from dml_viz.room.source import Subject
from dml_viz.room.sources import Points
from dml_viz.serve.figure_store import prediction_models
from tests.samples import THOROUGH, for_each, sample
from tests.shown import given, opened, ran, words

# By the name of their package, which is that of their page.
NAMED: dict[str, Room[Any, Any]] = {
    info.name: room
    for info in iter_modules(explain.__path__)
    if isinstance(room := getattr(import_module(f"{explain.__name__}.{info.name}"), "ROOM", None), Room)
}
ROOMS = list(NAMED.values())
PRECISE = re.compile(r"\d*\.\d*[1-9]\d+|\d{2,}\.\d+")  # a number of two digits at least that is not round
PREDICTIONS = {each.name: (room, each) for room in ROOMS for each in room.predictions}


def page_of(room: Room[Any, Any]) -> str:
    (page,) = (path.name for path in PAGES.glob("*.py") if NAMED.get(path.stem.split("_", 1)[1]) is room)
    return page


def first_answer(asked: Asked) -> float:
    return 0 if isinstance(asked.by, Choices) else asked.by.low if isinstance(asked.by, Mark) else 10.0


def test_a_round_is_asked_then_locked_then_revealed_and_each_once() -> None:
    asked = Round(Asked("a.b", "Which?", Choices(("this", "that"))))
    truth = Revealed(1, "That one.", WRONG)
    assert asked.stage == ASKED
    with pytest.raises(ValueError, match="lock an answer first"):
        asked.reveal(truth)
    locked = asked.lock(0)
    assert (locked.stage, locked.answer) == (LOCKED, 0)
    with pytest.raises(ValueError, match="has been answered"):
        locked.lock(1)
    revealed = locked.reveal(truth)
    assert (revealed.stage, revealed.revealed) == (REVEALED, truth)
    with pytest.raises(ValueError, match="reveal it once"):
        revealed.reveal(truth)
    assert asked.stage == ASKED, "a round is never changed, another one follows it"


@pytest.mark.parametrize(
    ("by", "answer", "reason"),
    [
        (Choices(("a", "b")), 2, "place from 0 to 1"),
        (Choices(("a", "b")), None, "no choice"),
        (Mark("Step", 0, 60, 3), 61, "give 0 to 60"),
        (Drag(0), float("nan"), "give degrees"),
    ],
)
def test_an_invalid_answer_is_refused_in_a_sentence(by: Any, answer: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Round(Asked("a.b", "Which?", by)).lock(answer)


@pytest.mark.parametrize("options", [("one",), ("same", "same"), tuple("abcdef")])
def test_two_to_five_choices_can_be_asked(options: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="2 to 5 different"):
        Choices(options)


def test_an_answer_is_right_where_it_is_the_number_shown_and_close_within_what_the_question_says() -> None:
    assert [Drag(0, 15).judge(350, truth) for truth in (355, 4, 6)] == [RIGHT, CLOSE, WRONG]
    assert Drag(0).read(-10) == 350
    assert [Mark("Step", 0, 60, 3).judge(answer, 20.4) for answer in (20, 17, 16)] == [RIGHT, CLOSE, WRONG]
    assert [Mark("mAP", 0, 1, 0.03, 0.01).judge(answer, 0.139) for answer in (0.14, 0.11, 0.1)] == [RIGHT, CLOSE, WRONG]
    assert Mark("Losses", 0, 8, 0).judge(3, 4) == WRONG
    assert [Mark("x", 0, 1, 0, 0.25).words(each) for each in (0, 0.75)] == ["0.00", "0.75"]
    assert Mark("x", 0.1, 1.1, 0, 0.5).words(0.6) == "0.6"
    share = Mark("Share, in percent", 0, 100, 10, unit="%")
    assert (share.judge(62, 61.8), share.words(61.8)) == (RIGHT, "62%")
    for by in (Drag(0, 15), Mark("Step", 0, 60, 3)):
        assert f"{by.tolerance:g}" in by.allows
    assert Choices(("it grows", "it stays")).words(1) == "“it stays”", "a choice is quoted, so that it fits any sentence"


def test_names_of_predictions_are_unique_and_begin_with_their_page() -> None:
    every = [(room.key, each.name) for room in ROOMS for each in room.predictions]
    assert len({name for _, name in every}) == len(every)
    assert all(name.startswith(f"{key}.") for key, name in every)


@pytest.mark.parametrize("name", PREDICTIONS)
def test_the_truth_of_a_prediction_is_computed_and_can_be_answered(name: str) -> None:
    room, prediction = PREDICTIONS[name]
    before, after = prediction_models(room, prediction)
    asked = prediction.ask(before)
    revealed = prediction.reveal(Round(asked).lock(first_answer(asked)), before, after).revealed
    assert revealed
    assert asked.by.read(revealed.truth) == pytest.approx(revealed.truth % 360 if isinstance(asked.by, Drag) else revealed.truth)
    assert any(sign.isdigit() for sign in revealed.says), "what is revealed names the numbers that show it"
    assert "nan" not in revealed.says
    assert asked.by.judge(asked.by.read(revealed.truth), revealed.truth) == RIGHT
    if isinstance(asked.by, Drag):
        assert asked.by.judge(revealed.way[0], revealed.truth) == WRONG, "a point that stays is no question"


def drawn(room: Room[Any, Any], settings: Mapping[str, Any]) -> Any:
    """The scene with all that its overlay draws, as it is sent to a browser."""
    reader = LinkReader({key: str(value) for key, value in settings.items()})
    assert isinstance(room.source, Points)
    scene = room.source.scene(reader)
    _, chosen = room.batch(reader, Subject(scene=scene))
    return scene.data(*room.drawn(chosen), "light")


def figure_of(room: Room[Any, Any], name: str, model: Any) -> str:
    display = Display("light", names_of(model))
    return room.figures[name](model, display).to_json()


def names_of(model: Any) -> tuple[str, ...]:
    return tuple(f"class {chr(65 + label)}" for label in range(int(model.y.max()) + 1)) if hasattr(model, "y") else ()


@for_each("name", PREDICTIONS)
def test_the_reveal_shows_the_thing_asked(name: str) -> None:
    room, prediction = PREDICTIONS[name]
    before, after = prediction_models(room, prediction)
    begins = f"{room.figure_prefix}-"
    for figure in prediction.figures:
        hidden = f"{begins}{figure}" in prediction.hides
        assert hidden or figure_of(room, figure, before) != figure_of(room, figure, after), figure
    if prediction.figures or prediction.hides or prediction.bare or isinstance(prediction.ask(before).by, Drag):
        return
    states = [drawn(room, {**prediction.settings, **more}) for more in ({}, prediction.reveals)]
    assert states[0] != states[1], "the points, or what is drawn around them, change"


@pytest.mark.parametrize("name", PREDICTIONS if THOROUGH else {key.partition(".")[0]: key for key in PREDICTIONS}.values())
def test_a_page_asks_locks_and_reveals(name: str) -> None:
    room, prediction = PREDICTIONS[name]
    before, after = prediction_models(room, prediction)
    asked = prediction.ask(before)
    app = opened(page_of(room), {"predict": name})
    assert not app.warning
    assert asked.question in words(app)
    assert not set(prediction.hides) & keys_of(app), "a figure that would show the answer is not sent"
    presets = [each.value for each in app.info if each.value.startswith("**")]
    assert not (prediction.hides and presets), "nor the sentence of a preset, which may say it"
    says = prediction.computed(asked.by, before, after).says
    sent = words(app) + "".join(map(json.dumps, given(app)))
    assert says not in sent
    known = PRECISE.findall(asked.question + json.dumps(prediction.reveals, default=str))
    assert not {*PRECISE.findall(says)} & {*PRECISE.findall(sent)} - {*known}, "a number of the answer"
    rounds = app.session_state["predict.rounds"]
    rounds[name] = rounds[name].lock(first_answer(asked))
    ran(app)
    app.button(key="predict.reveal").click()
    ran(app)
    revealed = app.session_state["predict.rounds"][name].revealed
    assert revealed.says in words(app)
    assert not prediction.hides or set(prediction.hides) & keys_of(app)
    assert app.query_params["predict"] == name
    for key, value in prediction.reveals.items():
        assert str(app.session_state[key]).startswith(str(value)), "the page shows what the truth was computed of"
    if name in sample(PREDICTIONS, 4):
        app.button(key="predict.close").click()
        ran(app)
        assert "predict" not in app.query_params


@pytest.mark.parametrize("name", ["proxies.stray", "gradients.longest", "beyond.trained"])
def test_a_wall_is_sent_nothing_of_an_answer_until_its_class_sees_it(name: str) -> None:
    room, prediction = PREDICTIONS[name]
    app = opened(page_of(room), {"predict": name, "wall": "BCDFGH"})
    assert not set(prediction.hides) & keys_of(app)
    assert [data["bare"] for data in given(app) if "bare" in data] == [prediction.bare]
    app.session_state["classroom.asked"], app.session_state["classroom.revealed"] = name, True
    ran(app)
    assert set(prediction.hides) & keys_of(app)
    assert [data["bare"] for data in given(app) if "bare" in data] == [False]


def keys_of(app: AppTest) -> set[str]:
    """The keys of the components that the page draws."""
    return {str(element.key).replace(".", "-") for element in app.get("bidi_component")}


def test_an_unknown_prediction_gets_a_sentence() -> None:
    app = opened("64_fastap.py", {"predict": "fastap.nothing"})
    assert "predict = 'fastap.nothing' is no prediction of this page" in app.warning[0].value.replace("\\", "")


def test_choices_are_locked_by_a_click() -> None:
    app = opened("64_fastap.py", {"predict": "fastap.bins"})
    assert app.button(key="predict.lock").disabled
    app.session_state["predict.answer.fastap.bins"] = 0
    ran(app)
    app.session_state["predict.answer.fastap.bins"] = 1  # and the button is pressed before the page has run again
    app.button(key="predict.lock").click()
    ran(app)
    assert app.session_state["predict.rounds"]["fastap.bins"].answer == 1


def test_a_prediction_is_reached_from_the_menu_and_leaves_the_page_in_its_state() -> None:
    app = opened("64_fastap.py", {"fastap.bins": 50})
    app.button(key="predict.fastap.bins").click()
    ran(app)
    assert app.slider(key="fastap.bins").value == 10
    assert dict(app.query_params) == {"predict": "fastap.bins"}
