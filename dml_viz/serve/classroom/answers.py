"""The answers of a classroom by vote, each of one participant and final, and what is shown of them all together.

A participant is a random id that only its own device has. What is shown holds no id, and no vote of fewer than `FEWEST`.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from dml_viz.room.prediction import CLOSE, RIGHT, WRONG, Choices, Drag, Mark
from dml_viz.serve.classroom.messages import Switched, Vote
from dml_viz.serve.classroom.questions import Answerable

FEWEST = 5  # answers of a vote that is shown
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
# Shares of right answers below which a teacher explains again, and above which the class goes on; between them students talk, as
# in peer instruction (Crouch and Mazur, 2001, doi:10.1119/1.1374249). The two numbers are ours.
FEW, MOST = 0.3, 0.7
NOBODY: Mapping[str, float] = MappingProxyType({})
Suggestion: TypeAlias = Literal["", "explain", "talk", "go on"]


class Answers:
    """The answers by the epoch in which their vote was opened."""

    def __init__(self) -> None:
        self._given: dict[int, dict[str, float]] = {}

    def give(self, vote: int, participant: str, value: float) -> bool:
        """Count an answer; return False if it is counted already. ValueError where the participant has given another."""
        given = self._given.setdefault(vote, {})
        if given.get(participant, value) != value:
            raise ValueError("You have answered; an answer cannot be changed.")
        before = len(given)
        given[participant] = value
        return len(given) > before

    def of(self, vote: int) -> Mapping[str, float]:
        """The answers of a vote by participant."""
        return self._given.get(vote, NOBODY)

    def keep(self, votes: Iterable[int]) -> None:
        """Forget all votes but these."""
        self._given = {vote: self._given[vote] for vote in votes if vote in self._given}


def tally(values: Sequence[float], by: Answerable, truth: float | None) -> Vote | None:
    """What is shown of the answers of a vote; None for fewer than `FEWEST`."""
    if len(values) < FEWEST:
        return None
    choices = isinstance(by, Choices)
    guesses = [] if choices else sorted(_rounded(value, by) for value in values)
    return {
        "answered": len(values),
        "counts": np.bincount(np.asarray(values, int), minlength=len(by.options)).tolist() if isinstance(by, Choices) else [],
        "guesses": guesses,
        "quantiles": [] if choices or isinstance(by, Drag) else np.quantile(values, QUANTILES).tolist(),
        "verdicts": [] if truth is None else _verdicts(values, by, truth),
    }


def switched(first: Mapping[str, float], second: Mapping[str, float], by: Answerable, truth: float | None) -> Switched | None:
    """How many changed their answer from the first vote to the second; None where fewer than `FEWEST` answered in both."""
    both = first.keys() & second.keys()
    if len(both) < FEWEST:
        return None
    moved = [who for who in both if _differ(first[who], second[who], by)]
    right = [(_right(first[who], by, truth), _right(second[who], by, truth)) for who in moved]
    return {
        "both": len(both),
        "changed": len(moved),
        "to_right": sum(now and not before for before, now in right),
        "from_right": sum(before and not now for before, now in right),
    }


def suggestion(values: Sequence[float], by: Answerable, truth: float | None) -> Suggestion:
    """What a teacher may do after a vote is closed; "" where the truth is unknown, or too few have answered."""
    if truth is None or len(values) < FEWEST:
        return ""
    right, close, _ = _verdicts(values, by, truth)
    share = (right + close) / len(values)
    return "go on" if share > MOST else "explain" if share < FEW else "talk"


def _verdicts(values: Sequence[float], by: Answerable, truth: float) -> list[int]:
    """How many of the answers are right, close and wrong."""
    judged = [by.judge(value, truth) for value in values]
    return [judged.count(verdict) for verdict in (RIGHT, CLOSE, WRONG)]


def _right(value: float, by: Answerable, truth: float | None) -> bool:
    return truth is not None and by.judge(value, truth) == RIGHT


def _differ(first: float, second: float, by: Answerable) -> bool:
    return by.judge(second, first) != RIGHT if isinstance(by, Drag) else first != second


def _rounded(value: float, by: Answerable) -> float:
    """A guess as precise as it is meant to be."""
    if isinstance(by, Drag):
        return round(value) % 360
    return round(by.low + round((value - by.low) / by.step) * by.step, 9) if isinstance(by, Mark) else value
