"""The types of what is asked: as a teacher puts it, and as students get it."""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict


class OwnChoices(TypedDict):
    """Two to five options of a teacher's own question."""

    kind: Literal["choice"]
    options: Sequence[str]


class AskedScale(TypedDict):
    """A scale on which a number is marked."""

    kind: Literal["mark"]
    label: str
    low: float
    high: float
    step: float
    unit: str


class OwnNumber(TypedDict):
    """A number that answers a teacher's own question."""

    kind: Literal["number"]
    label: str
    unit: str


class AskedNumber(TypedDict):
    """A number that is typed, from -`largest` to `largest`."""

    kind: Literal["number"]
    label: str
    unit: str
    largest: float


class AskedChoices(TypedDict):
    """Options, or the panels of losses; of panels the points (degrees, class) that each of them shows."""

    kind: Literal["choice", "panel"]
    options: Sequence[str]
    points: Sequence[tuple[float, int]]


class AskedDrag(TypedDict):
    """Points (degrees, class) on the circle, of which one is dragged; the answer is its angle in degrees."""

    kind: Literal["drag"]
    points: Sequence[tuple[float, int]]
    point: int


class PredictionAsk(TypedDict):
    """The prediction of a page by its name; of one on the teacher's own run, the id of the run."""

    prediction: str
    run: NotRequired[str]


class OwnAsk(TypedDict):
    """A question of the teacher's own; at the reveal comes what the answer `says`, and the `link` to the state that shows it."""

    text: str
    by: OwnChoices | AskedScale | OwnNumber
    says: NotRequired[str]
    link: NotRequired[str]


class Question(TypedDict):
    """A question with all that is needed to answer it, and nothing of its answer; its texts are Markdown with TeX.

    `allows` says how near an answer has to be.
    """

    name: str
    title: str
    page: str
    text: str
    allows: str
    by: AskedChoices | AskedScale | AskedNumber | AskedDrag


class Prepared(TypedDict):
    """A question that the pages have ready."""

    name: str
    title: str
    page: str
