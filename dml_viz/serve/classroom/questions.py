"""What is asked in a classroom: the predictions of all pages, and questions of a teacher's own.

The truth of a prediction is computed here, as its page computes it, and stays here until it is revealed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias

from dml_viz.data.one_line import in_one_line
from dml_viz.engine.job import Job
from dml_viz.room.ask import as_link
from dml_viz.room.lesson_text import address
from dml_viz.room.markdown import escape_except_tex
from dml_viz.room.prediction import Choices, Drag, Mark, NotYetError, Prediction
from dml_viz.room.task import ANSWER, CHOICE, LONGEST_WITH_CHOICES, QUESTION
from dml_viz.serve.classroom.asks import AskedChoices, AskedDrag, AskedNumber, AskedScale, Prepared, Question
from dml_viz.serve.classroom.follow import checked_link
from dml_viz.serve.figure_store import prediction_models

LARGEST = 1e9  # of a number
LABEL, UNIT = 60, 12  # characters
NO_RUN = "The question is about your own run: open it from Train live, with the run beside it."


@dataclass(frozen=True)
class Number:
    """A number without a scale, whose ``unit`` follows it where it is said."""

    label: str
    unit: str = ""
    allows = ""

    def read(self, answer: Any) -> float:
        """The answer; ValueError if it is too large, or no number."""
        if not abs(float(answer)) <= LARGEST:
            raise ValueError(f"answer {answer!r} is not allowed; give a number from {-LARGEST:g} to {LARGEST:g}")
        return float(answer)

    def judge(self, answer: float, truth: float) -> str:
        """`RIGHT` where the answer is the true number to nine decimals, else `WRONG`."""
        return Mark(self.label, -LARGEST, LARGEST, 0, 1e-9).judge(answer, truth)

    def words(self, value: float) -> str:
        """The number, with all of its digits, and its unit."""
        return f"{value:.15g}{self.unit}"


Answerable: TypeAlias = Choices | Mark | Drag | Number


@dataclass(frozen=True)
class PagePrediction:
    """A prediction with the address of its page and its models; of one on a run, they are those of the teacher's job."""

    page: str
    prediction: Prediction[Any]
    models: Callable[[Job | None], tuple[Any, Any]]

    @property
    def prepared(self) -> Prepared:
        """The prediction in the list of those that are ready."""
        return {"name": self.prediction.name, "title": self.prediction.title, "page": self.page}


@dataclass(frozen=True)
class Truth:
    """A truth, a sentence on it and the way of a dragged point; the page in the state of the truth."""

    value: float | None = None
    says: str = ""
    way: tuple[float, ...] = ()
    link: str = ""


@dataclass(frozen=True)
class Asked:
    """A question that is asked: what students get of it, how its answers are read, and how its truth is computed."""

    question: Question
    by: Answerable
    truth: Callable[[], Truth] = Truth


def predictions_of(package: ModuleType, first: str = "") -> Mapping[str, PagePrediction]:
    """The predictions of the pages in ``package`` by name; the page ``first`` is the one without an address."""
    known = {}
    for info in iter_modules(package.__path__):
        name = f"{package.__name__}.{info.name}"
        if info.ispkg and find_spec(f"{name}.predictions"):
            module = import_module(f"{name}.predictions")
            page = "" if info.name == first else info.name
            for each in module.PREDICTIONS:
                known[each.name] = PagePrediction(page, each, _models(import_module(name), each))
    return MappingProxyType(known)


def ask(given: Mapping[str, Any], known: Mapping[str, PagePrediction], job: Callable[[str], Job | None]) -> Asked:
    """The question that a teacher asks with ``given``; ValueError, which says what is wrong, for what cannot be asked.

    ``job`` returns the job of the run with an id.
    """
    if "prediction" not in given:
        return _own(given)
    name = given["prediction"]
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"There is no prediction {str(name)[:60]!r}; choose one of the list.")
    each, prediction = known[name], known[name].prediction
    run = given.get("run", "")

    def models() -> tuple[Any, Any]:
        return each.models(job(run) if isinstance(run, str) and run else None)

    asked = prediction.ask(models()[0] if prediction.of_model else None)
    question: Question = {
        "name": name,
        "title": prediction.title,
        "page": each.page,
        "text": asked.question,
        "allows": asked.by.allows,
        "by": _written(asked.by, asked.points),
    }

    def truth() -> Truth:
        revealed = prediction.computed(asked.by, *models())
        link = address(each.page, as_link({**prediction.settings, **prediction.reveals}))
        return Truth(revealed.truth, revealed.says, revealed.way, link)

    return Asked(question, asked.by, truth)


def _own(given: Mapping[str, Any]) -> Asked:
    """A teacher's own question."""
    text, by = _line(given.get("text"), LONGEST_WITH_CHOICES[QUESTION], "question"), given.get("by")
    if not isinstance(by, Mapping):
        raise ValueError("A question of your own is answered by choice, by a mark on a scale, or by a number.")
    answerable, right = _own_by(by), given.get("right")
    says = escape_except_tex(_line(given.get("says"), LONGEST_WITH_CHOICES[ANSWER], "answer", empty=True))
    link = checked_link(given["link"]) if given.get("link") else ""
    question: Question = {
        "name": "",
        "title": "",
        "page": "",
        "text": escape_except_tex(text),
        "allows": "",
        "by": _written(answerable, ()),
    }
    truth = Truth(None if right is None else float(answerable.read(right)), says, link=link)
    return Asked(question, answerable, lambda: truth)


def _own_by(by: Mapping[str, Any]) -> Answerable:
    if by.get("kind") == "choice" and isinstance(options := by.get("options"), list):
        return Choices(tuple(escape_except_tex(_line(option, LONGEST_WITH_CHOICES[CHOICE], "option")) for option in options))
    label, unit = (_line(by.get(key, ""), most, key, empty=True) for key, most in (("label", LABEL), ("unit", UNIT)))
    label = escape_except_tex(label)
    unit = f"\u00a0{unit}" if unit[:1].isalpha() else unit  # a word stands apart from its number
    if by.get("kind") == "number":
        return Number(label, unit)
    if by.get("kind") != "mark":
        raise ValueError("A question of your own is answered by choice, by a mark on a scale, or by a number.")
    low, high, step = (by.get(key) for key in ("low", "high", "step"))
    numbers = [float(each) for each in (low, high, step) if isinstance(each, int | float) and abs(each) <= LARGEST]
    if len(numbers) < 3 or not (numbers[0] < numbers[1] and 0 < numbers[2] <= numbers[1] - numbers[0]):
        raise ValueError(f"A scale goes from one number to a larger one in steps: not from {low!r} to {high!r} by {step!r}.")
    return Mark(label, numbers[0], numbers[1], 0, numbers[2], unit)


def _line(text: Any, most: int, what: str, *, empty: bool = False) -> str:
    """A teacher's text in one line; ValueError for one that is empty, or longer than ``most`` characters."""
    line = in_one_line(str(text or ""))
    if len(line) > most or not (line or empty):
        raise ValueError(f"The {what} has {len(line)} characters; write {0 if empty else 1} to {most}.")
    return line


def _written(by: Answerable, points: tuple[tuple[float, int], ...]) -> AskedChoices | AskedScale | AskedNumber | AskedDrag:
    """How a question is answered, for a browser."""
    if isinstance(by, Choices):
        return {"kind": "panel" if by.panels else "choice", "options": by.options, "points": points}
    if isinstance(by, Drag):
        return {"kind": "drag", "points": points, "point": by.point}
    if isinstance(by, Mark):
        return {"kind": "mark", "label": by.label, "low": by.low, "high": by.high, "step": by.step, "unit": by.unit}
    return {"kind": "number", "label": by.label, "unit": by.unit, "largest": LARGEST}


def _models(room: ModuleType, prediction: Prediction[Any]) -> Callable[[Job | None], tuple[Any, Any]]:
    """The models of a prediction: that of the teacher's run where it is about one, or those of its recording or room."""
    if of_run := prediction.of_run:
        return lambda job: (of_run(job),) * 2 if job else _no_run()
    return lambda _: prediction_models(room.ROOM, prediction)


def _no_run() -> Any:
    raise NotYetError(NO_RUN)
