"""The messages on what a wall shows: its page, what the teacher's hand does there, and what the page has for the consoles."""

from collections.abc import Mapping
from typing import Literal, TypedDict

from dml_viz.room.component_data import OfferedQuestion


class FollowedScene(TypedDict):
    """What a teacher shows at this moment: a page, its changed settings, the step of a scrubber, and the pointer."""

    page: str
    settings: Mapping[str, str]
    step: float | None
    pointer: tuple[float, float] | None


class LinkSent(TypedDict):
    """The page that a teacher shows, with its settings."""

    type: Literal["link"]
    link: str


class OfferSent(TypedDict):
    """What the page on a wall has for the consoles: its question, and the number of stations of its lesson, 0 for none."""

    type: Literal["offer"]
    question: OfferedQuestion | None
    stations: int


class SceneSent(TypedDict):
    """What a teacher's hand does."""

    type: Literal["scene"]
    scene: FollowedScene


class SceneMessage(TypedDict):
    """What a teacher's hand does, newest alone."""

    type: Literal["scene"]
    seq: int
    scene: FollowedScene


class LinkMessage(TypedDict):
    """The page that a teacher shows."""

    type: Literal["link"]
    seq: int
    link: str


class OfferMessage(TypedDict):
    """What the page on the wall has for the consoles."""

    type: Literal["offer"]
    seq: int
    question: OfferedQuestion | None
    stations: int
