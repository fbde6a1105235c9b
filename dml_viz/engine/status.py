"""What a job does at one moment, and what each of its members does."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["running", "paused", "asleep", "done", "failed"]
# A job does what the first of these says that one of its members does.
ORDER: tuple[Status, ...] = ("running", "asleep", "paused", "done", "failed")


@dataclass(frozen=True)
class MemberStatus:
    """What one run does, why where no visitor asked for it, the step it is at, and the seconds that it has trained for."""

    status: Status
    reason: str
    step: int
    seconds: float


@dataclass(frozen=True)
class RunStatus:
    """What a job does: "running" where any of its members is, "done" where all are that could go on.

    ``step`` is the least of its members', ``latest`` the newest step that all have shown, -1 before the first; ``changes`` are
    those of the first: (step from which on, what). ``plane`` is the step that the plane is fitted at.
    """

    status: Status
    reason: str
    step: int
    budget: int
    latest: int
    changes: tuple[tuple[int, str], ...]
    plane: int
    members: tuple[MemberStatus, ...]
