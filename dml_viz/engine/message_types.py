"""The headers of the messages of a job, as types: `messages` writes them, and the browser's scripts are checked against them."""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from dml_viz.engine.status import Status


class PointWords(TypedDict):
    """The classes and sets of evaluated points by name, the classes that are trained on, and R@1 of raw pixels by group."""

    classes: Sequence[str]
    categories: Sequence[str]
    trained: Sequence[int]
    baseline: Mapping[str, float]
    sets: Sequence[str]


class DataWords(PointWords):
    """A further data set that members are evaluated on; the names of its arrays begin with "data1.", "data2."."""

    title: str


class SubjectRacer(TypedDict):
    """A racer that is drawn: its letter, the step and racer that it branches from, its dimension, its data set's number."""

    letter: str
    title: str
    branch: tuple[int, int] | None
    dim: int
    data: int


class SubjectHeader(PointWords):
    """What a job is of. Its arrays are "y", "unseen", "images", "near_pixels" and "sets", of further data "data1.y" and so on."""

    version: int
    kind: Literal["subject"]
    run: str
    title: str
    device: str
    budget: int
    every: int
    dim: int
    protocol: str
    seeds: int
    members: Sequence[SubjectRacer]
    data: Sequence[DataWords]


class RacerProgress(TypedDict):
    """The least step of a racer's seeds, the mean seconds of a seed, and why seeds ended early."""

    step: int
    seconds: float
    failed: Sequence[str]


class FrameRacer(RacerProgress):
    """A racer in a frame: whether it has one, its notes, the names of classes that are its own, and a step that is its own.

    With its points come the step of the key frame at whose places its neighbour map begins (-1: none), and whether it is one.
    """

    there: bool
    notes: Sequence[str]
    names: NotRequired[Sequence[str]]
    at: NotRequired[int]
    after: NotRequired[int]
    key: NotRequired[bool]


class LoopVerdict(TypedDict):
    """The verdict on a watched loop: notes, a sentence for where all is well, and the last step that is known."""

    notes: Sequence[str]
    well: str
    last: int


class Remarks(TypedDict):
    """What a watched loop adds to each message."""

    verdict: NotRequired[LoopVerdict]


class StatusHeader(Remarks):
    """The status of a job; recorded jobs have no changes."""

    version: int
    status: Status
    reason: str
    budget: int
    latest: int
    plane: int
    changes: NotRequired[Sequence[tuple[int, str]]]


class TickHeader(StatusHeader):
    """The news that there is no newer frame."""

    kind: Literal["tick"]
    step: int
    members: Sequence[RacerProgress]


class FrameHeader(StatusHeader):
    """A step as it is drawn. Its arrays are "rows", and of member k "k.view", "k.near" and the like; "losses" of a watched loop.

    `rows` has the step and then `columns`, run by run.
    """

    kind: Literal["frame"]
    step: int
    members: Sequence[FrameRacer]
    columns: Sequence[str]
    device: str


class EmbeddingsHeader(TypedDict):
    """All coordinates of the points at a step; its array is "z"."""

    version: int
    kind: Literal["embeddings"]
    step: int


class PointsHeader(TypedDict):
    """The steps of key frames, of each member; their points, in whole numbers, are "k.points" (m, n, d) of member k."""

    version: int
    kind: Literal["points"]
    steps: Sequence[Sequence[int]]


class FeedData(TypedDict):
    """A message of the run at `url`, in the array "message", with the step that was asked for; "points" are those asked for."""

    kind: Literal["feed"]
    url: str
    step: int | None


HEADERS = (SubjectHeader, TickHeader, FrameHeader, EmbeddingsHeader, PointsHeader)
