"""The questions of a lesson's file, with what is said of each answer."""

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from dml_viz.room.lesson_text import Station
from dml_viz.room.markdown import escape_except_tex
from dml_viz.room.prediction import Choices, Drag, Mark, Prediction, Round
from dml_viz.room.room import Room
from dml_viz.room.task import Task
from dml_viz.serve.figure_store import prediction_models

FULL = 360  # degrees, of an answer by dragging


def prediction_of(path: str, name: str) -> Prediction[Any] | None:
    """The prediction of a page called ``name``, None for an empty name; ValueError for one that the page does not have."""
    if not name:
        return None
    known = getattr(import_module(f"dml_viz.explain.{path}.predictions"), "PREDICTIONS", ())
    found = next((each for each in known if each.name == name), None)
    if found is None:
        raise ValueError(f"the page has no prediction {name[:40]!r}; choose from {', '.join(each.name for each in known)}")
    return found


def question_of(
    room: Room[Any, Any], prediction: Prediction[Any] | None, station: Station | None, task: Task
) -> dict[str, Any] | None:
    """The question of a station: of its page, its own with choices, or one whose answer is shown."""
    own = station.as_prediction("own") if station else None
    if own:
        return _asked(own, None, None)
    if prediction:
        return _asked(prediction, *prediction_models(room, prediction))
    question, answer = (station.question, station.answer) if station and station.question else (task.question, task.answer)
    if not question:
        return None
    question, answer = escape_except_tex(question), escape_except_tex(answer)
    shown = {**_control(Choices(("a", "b"))), "kind": "shown", "options": [], "question": question, "points": []}
    return {"name": "", "asked": shown, "answers": [], "says": answer, "way": [], "bare": False, "hides": []}


def _asked(prediction: Prediction[Any], before: Any, after: Any) -> dict[str, Any]:
    """A question with what is said of each answer."""
    asked = prediction.ask(before)
    first = prediction.reveal(Round(asked).lock(_answers(asked.by)[0]), before, after)
    revealed = first.revealed
    assert revealed is not None
    answers = []
    for answer in _answers(asked.by):
        judged = replace(revealed, verdict=asked.by.judge(answer, revealed.truth))
        answers.append({"value": answer, "said": Round(asked, answer, judged).verdict, "verdict": judged.verdict})
    return {
        "name": prediction.name,
        "asked": {**_control(asked.by), "question": asked.question, "points": asked.points},
        "answers": answers,
        "says": revealed.says,
        "way": [round(angle, 3) for angle in revealed.way],
        "bare": prediction.bare,
        "hides": prediction.hides,
    }


def _answers(by: Choices | Mark | Drag) -> list[float]:
    if isinstance(by, Choices):
        return [float(place) for place in range(len(by.options))]
    if isinstance(by, Mark):
        return [float(value) for value in np.linspace(by.low, by.high, round((by.high - by.low) / by.step) + 1)]
    return [float(angle) for angle in range(FULL)]


def _control(by: Choices | Mark | Drag) -> dict[str, Any]:
    kind = {Choices: "choices", Mark: "mark", Drag: "drag"}[type(by)]
    label = f"{by.label} ({by.allows})" if isinstance(by, Mark) and by.allows else getattr(by, "label", "")
    usual = {"options": [], "low": 0, "high": 1, "step": 1, "unit": "", "point": 0}
    return {"kind": kind, **{name: getattr(by, name, value) for name, value in usual.items()}, "label": label}
