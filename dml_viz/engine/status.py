"""The status of a job and of each of its members."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["running", "paused", "asleep", "done", "failed"]
# The status of a job is the first of these that one of its members has.
ORDER: tuple[Status, ...] = ("running", "asleep", "paused", "done", "failed")


@dataclass(frozen=True)
class MemberStatus:
    """The status of one run, the reason if no visitor caused it, its step, and its seconds of training."""

    status: Status
    reason: str
    step: int
    seconds: float


@dataclass(frozen=True)
class RunStatus:
    """The status of a job: "running" if any member is, "done" if all members are that have not failed.

    ``step`` is the least of the members', ``latest`` the newest step that all have shown, -1 before the first; ``changes`` are
    those of the first member: (step from which on, text). ``plane`` is the step whose frame the plane is fitted to.
    """

    status: Status
    reason: str
    step: int
    budget: int
    latest: int
    changes: tuple[tuple[int, str], ...]
    plane: int
    members: tuple[MemberStatus, ...]
