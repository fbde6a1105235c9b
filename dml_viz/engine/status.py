"""The status of a job and of each of its members."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Status = Literal["running", "paused", "asleep", "done", "incomplete", "stopped", "failed"]
# The status of several together is the first of these that one of them has.
ORDER: tuple[Status, ...] = ("running", "asleep", "paused", "done", "stopped", "failed")
GOING: tuple[Status, ...] = ("running", "asleep")
EARLY: tuple[Status, ...] = ("stopped", "failed")  # ended before the budget: by its own numbers, or because something broke
ENDED: tuple[Status, ...] = ("done", *EARLY)


def common_status(counts: Mapping[Status, int]) -> Status:
    """The status of a job by how many of its members have each; "incomplete" where some failed and the others have ended."""
    first = next(status for status in ORDER if counts.get(status))
    return "incomplete" if first in ENDED and first != "failed" and counts.get("failed") else first


@dataclass(frozen=True)
class MemberStatus:
    """The status of one run, the reason if no visitor caused it, its step, and its seconds of training.

    A run is "stopped" by a number that is not finite: trained again, it stops there again. One that "failed" may succeed then.
    """

    status: Status
    reason: str
    step: int
    seconds: float


@dataclass(frozen=True)
class RunStatus:
    """The status of a job: "running" if any member is, "done" if all have ended and any is done, "incomplete" if some failed.

    ``step`` is the least of the members', ``latest`` the newest step that all have shown, -1 before the first; ``changes`` are
    those of the first member: (step from which on, text). ``plane`` is the step in whose plane all are drawn, 0: each in its own.
    """

    status: Status
    reason: str
    step: int
    budget: int
    latest: int
    changes: tuple[tuple[int, str], ...]
    plane: int
    members: tuple[MemberStatus, ...]
