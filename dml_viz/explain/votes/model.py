"""The votes of a class on a question, as a link has them: how many chose each option, or all guesses, without any names."""

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dml_viz.data.one_line import in_one_line
from dml_viz.room.task import LONGEST_WITH_CHOICES

LONGEST = 20_000  # characters in a link
TEXT = 2 * max(LONGEST_WITH_CHOICES.values())  # characters, each of which may be escaped
MOST_OPTIONS, MOST_VOTES, MOST_GUESSES, LARGEST = 5, 2, 200, 1e9
KINDS = ("choice", "panel", "mark", "drag", "number")
FULL = 360  # degrees
WRONG = "These are no votes of a class; take the link that a console opens after a reveal"


@dataclass(frozen=True)
class ClassroomVotes:
    """A question of a classroom with its votes: a count for each option, or all guesses, sorted; empty for a vote that is hidden.

    ``truth`` is the place of the right option, or the true number, None where there is none.
    """

    text: str
    kind: str
    options: tuple[str, ...]
    label: str
    ends: tuple[float, float] | None
    truth: float | None
    votes: tuple[tuple[float, ...], ...]

    @property
    def by_choice(self) -> bool:
        """Whether options were chosen."""
        return bool(self.options)

    def plotted_value(self, guess: float) -> float:
        """The value that is drawn for a guess: of an angle, its degrees from the truth, -180 to 180; any other guess itself."""
        if self.kind != "drag" or self.truth is None:
            return guess
        return (guess - self.truth + FULL / 2) % FULL - FULL / 2


@dataclass(frozen=True)
class Settings:
    """The votes of a class, and those of an earlier class on the same question; either may be missing.

    ``simulated`` is whether the votes are those of an example.
    """

    now: ClassroomVotes | None = None
    before: ClassroomVotes | None = None
    simulated: bool = False


@dataclass(frozen=True)
class Model:
    """Rows of votes with their titles, of a class and perhaps of an earlier one."""

    settings: Settings

    @property
    def question(self) -> ClassroomVotes | None:
        """The question with its votes, if there is one."""
        return self.settings.now or self.settings.before

    @property
    def answers_in_words(self) -> str:
        """What the votes are, after their number."""
        return "simulated answers" if self.settings.simulated else "answers"

    @property
    def is_comparable(self) -> bool:
        """Whether two classes were asked the same question, with the same truth."""
        now, before = self.settings.now, self.settings.before
        return now is not None and before is not None and replace(now, votes=()) == replace(before, votes=())

    @property
    def rows(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """The titles and the votes; of an earlier class only on the same question."""
        now, before = self.settings.now, self.settings.before
        classes = [("", now), ("earlier class, ", before if now is None or self.is_comparable else None)]
        named = [
            (f"{whose}{'first' if place == 0 else 'second'} vote" if len(votes.votes) > 1 else f"{whose}vote", vote)
            for whose, votes in classes
            if votes
            for place, vote in enumerate(votes.votes)
        ]
        return tuple((title, vote) for title, vote in named if vote)


def read_votes(text: str) -> ClassroomVotes | None:
    """The votes written as ``text``, or in a link that has them; None for "". ValueError for other texts."""
    code = dict(parse_qsl(urlsplit(text).query)).get("votes.of", text) if "?" in text else text
    if not code:
        return None
    if len(code) > LONGEST:
        raise ValueError(f"votes of a class have at most {LONGEST:,} characters, these have {len(code):,}")
    try:
        given = json.loads(base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True))
        return _read(given)
    except (binascii.Error, ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(WRONG) from error


def write_votes(given: Mapping[str, Any]) -> str:
    """The text in a link for a question ``text`` that was answered ``by``, with its ``truth`` and ``votes``."""
    return base64.urlsafe_b64encode(json.dumps(given, separators=(",", ":")).encode()).decode().rstrip("=")


def without_marks(text: str) -> str:
    """Markdown without its marks: what is escaped in it stands for itself."""
    return re.sub(r"\\([^A-Za-z])", r"\1", text.replace("**", ""))


def _read(given: Mapping[str, Any]) -> ClassroomVotes:
    by, truth = given["by"], given["truth"]
    kind, options = by["kind"], tuple(_line(each) for each in by.get("options", ()))
    votes = tuple(tuple(_number(each) for each in vote or ()) for vote in given["votes"])
    ends = (_number(by["low"]), _number(by["high"])) if kind == "mark" else None
    fits = all(not vote or len(vote) == len(options) for vote in votes) if options else max(map(len, votes)) <= MOST_GUESSES
    chosen = kind in KINDS[:2]
    if kind not in KINDS or not fits or not 1 <= len(votes) <= MOST_VOTES or chosen != (1 < len(options) <= MOST_OPTIONS):
        raise ValueError(WRONG)
    if (ends and ends[0] >= ends[1]) or (chosen and any(each < 0 or each % 1 for vote in votes for each in vote)):
        raise ValueError(WRONG)
    true = None if truth is None else _number(truth)
    if chosen and true is not None and true not in range(len(options)):
        raise ValueError(WRONG)
    return ClassroomVotes(_line(given["text"]), kind, options, _line(by.get("label", "")), ends, true, votes)


def _line(text: Any) -> str:
    if not isinstance(text, str) or len(text) > TEXT:
        raise ValueError(WRONG)
    return in_one_line(text)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > LARGEST:
        raise ValueError(WRONG)
    return float(value)
