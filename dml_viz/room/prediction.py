"""Predict, then reveal: a question about the model of a page, an answer that is locked, and the truth, which is computed.

A page declares a `Prediction`. A `Round` has the question (`Asked`), the answer and the truth (`Revealed`), and does not depend
on a page: the question does not contain the truth. No Streamlit here.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

M = TypeVar("M")  # model of a page
FEWEST, MOST = 2, 5  # choices
ASKED, LOCKED, REVEALED = "asked", "locked", "revealed"
ROUNDING, DECIMALS = 1e-9, 9
RIGHT, CLOSE, WRONG = "Right", "Close", "Not so"  # what an answer is


class NotYetError(ValueError):
    """The truth cannot be computed yet; the message says what the visitor has to do first."""


@dataclass(frozen=True)
class Choices:
    """Two to five ``options`` (Markdown with TeX); the answer and the truth are places among them.

    The options may be the titles of ``panels`` with the points of the scene.
    """

    options: tuple[str, ...]
    panels: bool = False

    def __post_init__(self) -> None:
        if not FEWEST <= len(set(self.options)) == len(self.options) <= MOST:
            raise ValueError(f"{len(self.options)} choices cannot be asked; give {FEWEST} to {MOST} different ones")

    def read(self, answer: Any) -> int:
        """The answer; ValueError if it is no index of a choice."""
        if answer not in range(len(self.options)):
            raise ValueError(f"answer {answer!r} is no choice; give a place from 0 to {len(self.options) - 1}")
        return int(answer)

    def judge(self, answer: float, truth: float) -> str:
        """`RIGHT` or `WRONG`."""
        return RIGHT if answer == truth else WRONG

    def words(self, value: float) -> str:
        """The choice, quoted."""
        return f"“{self.options[int(value)]}”"

    @property
    def allows(self) -> str:
        """How near an answer has to be, in words; empty, since a choice is right or not."""
        return ""


@dataclass(frozen=True)
class Mark:
    """A number from ``low`` to ``high`` on a slider, such as a step or a count. An answer within ``tolerance`` is close.

    It is right where the true number, as precise as the slider, is the same. ``unit`` follows it where it is said. ValueError for
    ends that are not ``step`` apart, or some whole number of it.
    """

    label: str
    low: float
    high: float
    tolerance: float
    step: float = 1
    unit: str = ""

    def __post_init__(self) -> None:
        steps = (self.high - self.low) / self.step
        if abs(steps - round(steps)) > ROUNDING * max(1, steps):
            last = self.low + math.floor(steps) * self.step
            raise ValueError(
                f"Steps of {self.step:g} from {self.low:g} do not reach {self.high:g}: the last ends at {last:g}. "
                "Change an end or the step."
            )

    def read(self, answer: Any) -> float:
        """The answer; ValueError if it is outside the scale."""
        if not self.low <= float(answer) <= self.high:
            raise ValueError(f"answer {answer!r} is not on the scale; give {self.low:g} to {self.high:g}")
        return float(answer)

    def judge(self, answer: float, truth: float) -> str:
        """`RIGHT`, `CLOSE` or `WRONG`."""
        if self._number(answer) == self._number(truth):
            return RIGHT
        apart = abs(answer - float(self._number(truth)))
        return CLOSE if apart <= self.tolerance + ROUNDING else WRONG

    def words(self, value: float) -> str:
        """The number, as precise as the slider, with its unit."""
        return self._number(value) + self.unit

    def _number(self, value: float) -> str:
        return f"{value:.{max(_places(self.low), _places(self.step))}f}"

    @property
    def allows(self) -> str:
        """How near an answer has to be, in words; empty where it has to be the number."""
        return f"within {self.tolerance:g} is close" if self.tolerance else ""


def _places(value: float) -> int:
    """How many decimals ``value`` has, at most `DECIMALS`."""
    return next((places for places in range(DECIMALS) if float(f"{value:.{places}f}") == value), DECIMALS)


@dataclass(frozen=True)
class Drag:
    """The angle on the circle, in degrees, to which point ``point`` of the scene is dragged.

    Right within ``exact`` degrees, close within ``tolerance``.
    """

    point: int
    tolerance: float = 15
    exact: float = 5

    def read(self, answer: Any) -> float:
        """The answer in [0, 360); ValueError if it is not finite."""
        if not math.isfinite(float(answer)):
            raise ValueError(f"answer {answer!r} is no angle; give degrees")
        return float(answer) % 360

    def judge(self, answer: float, truth: float) -> str:
        """`RIGHT`, `CLOSE` or `WRONG`."""
        apart = abs((answer - truth + 180) % 360 - 180)
        return RIGHT if apart <= self.exact else CLOSE if apart <= self.tolerance else WRONG

    def words(self, value: float) -> str:
        """The angle."""
        return f"{value % 360:.0f}°"

    @property
    def allows(self) -> str:
        """How near an answer has to be, in words."""
        return f"within {self.exact:g}° is right, within {self.tolerance:g}° close"


By: TypeAlias = Choices | Mark | Drag


@dataclass(frozen=True)
class Asked:
    """A question with all that is needed to answer it. ``points`` (degrees, class) are those of a scene to drag or pick in."""

    name: str
    question: str
    by: By
    points: tuple[tuple[float, int], ...] = ()


@dataclass(frozen=True)
class Revealed:
    """The truth, a sentence about it, and what the answer was; ``way`` (degrees) is the path of a dragged point."""

    truth: float
    says: str
    verdict: str
    way: tuple[float, ...] = ()

    @property
    def right(self) -> bool:
        """Whether the answer was right."""
        return self.verdict == RIGHT


@dataclass(frozen=True)
class Round:
    """One question from asking to the truth: asked, then locked with an answer, then revealed; each step once."""

    asked: Asked
    answer: float | None = None
    revealed: Revealed | None = None

    @property
    def stage(self) -> str:
        """`ASKED`, `LOCKED` or `REVEALED`."""
        return REVEALED if self.revealed else ASKED if self.answer is None else LOCKED

    def lock(self, answer: Any) -> "Round":
        """The round with an answer; ValueError if it has one already, or for an answer that is not allowed."""
        if self.stage != ASKED:
            raise ValueError(f"{self.asked.name} has been answered; ask it anew to answer again")
        return replace(self, answer=self.asked.by.read(answer))

    @property
    def verdict(self) -> str:
        """What the answer was, with the truth (Markdown), once that is revealed; the sentence on the truth follows."""
        if not self.revealed:
            return ""
        by, truth = self.asked.by, self.asked.by.words(self.revealed.truth)
        if self.revealed.right or self.answer is None:
            return f"**{RIGHT}: {truth}.**"
        return f"**{self.revealed.verdict}. You said {by.words(self.answer)}; the answer is {truth}.**"

    def reveal(self, revealed: Revealed) -> "Round":
        """The round with the truth; ValueError without an answer, or if the truth was revealed before."""
        if self.stage != LOCKED:
            raise ValueError(f"{self.asked.name} is {self.stage}; lock an answer first, and reveal it once")
        return replace(self, revealed=revealed)


@dataclass(frozen=True, eq=False)
class Prediction(Generic[M]):
    """A question about a page in the state ``settings`` (all others at their defaults), and how its truth is computed.

    *Reveal* puts the page into the state ``settings`` with ``reveals``. ``truth`` and ``says`` (Markdown) get the models of both
    states, before and after, which are the same if ``reveals`` is empty. The truth is an index among `Choices`, a number for
    `Mark`, and for `Drag` the path (T,) of the point in degrees. ``hides`` are the keys of figures that would show the truth.
    ``figures`` are names of the room's figures that show it beside the scene, where the page's first ones do not. Of one that is
    ``bare``, the points are drawn without arrows and edges until the truth is revealed. The models are those of the scene, or
    both are that of a ``recording``, or of the visitor's run: ``of_run(job)``, which raises `NotYetError` while it is too early.
    """

    name: str  # in links, and unique: "fastap.bins"
    title: str  # of its button
    question: str | Callable[[M], str]
    by: By | Callable[[M], By]
    truth: Callable[[M, M], Any]
    says: Callable[[M, M], str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    reveals: Mapping[str, Any] = field(default_factory=dict)
    hides: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    bare: bool = False
    recording: Callable[[], M] | None = None
    of_run: Callable[[Any], M] | None = None

    @property
    def of_model(self) -> bool:
        """Whether the question depends on the model."""
        return callable(self.question) or callable(self.by) or isinstance(self.by, Drag)

    def ask(self, before: M | None) -> Asked:
        """The question about the model ``before``, which may be None if the question does not depend on it."""
        model: Any = before
        question = self.question if isinstance(self.question, str) else self.question(model)
        by = self.by if isinstance(self.by, Choices | Mark | Drag) else self.by(model)
        pointed = isinstance(by, Drag) or (isinstance(by, Choices) and by.panels)
        points = tuple(zip(angles(model.z).tolist(), model.y.tolist(), strict=True)) if pointed else ()
        return Asked(self.name, question, by, points)

    def reveal(self, round: Round, before: M, after: M) -> Round:
        """``round`` with the truth, computed from the models ``before`` and ``after``."""
        by, answer, revealed = round.asked.by, round.answer, self.computed(round.asked.by, before, after)
        return round.reveal(revealed if answer is None else replace(revealed, verdict=by.judge(answer, revealed.truth)))

    def computed(self, by: By, before: M, after: M) -> Revealed:
        """The truth, computed from the models ``before`` and ``after``, as it is without an answer."""
        truth = self.truth(before, after)
        way = tuple(np.asarray(truth, float).tolist()) if isinstance(by, Drag) else ()
        return Revealed(float(way[-1] if way else truth), self.says(before, after), WRONG, way)


def angles(rows: np.ndarray) -> np.ndarray:
    """The angles (..., N), in degrees, of rows (..., N, 2)."""
    return np.degrees(np.arctan2(rows[..., 1], rows[..., 0]))


def way(rows: np.ndarray, point: int) -> np.ndarray:
    """The path (T,) in degrees, without jumps at 360, of ``point`` in rows (T, N, 2)."""
    return np.asarray(np.degrees(np.unwrap(np.radians(angles(rows)[:, point]))))
