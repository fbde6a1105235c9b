"""The states of a classroom: idle, open 1, closed 1, open 2, closed 2, revealed; each change is a new epoch."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from dml_viz.serve.classroom.messages import Action, StateName

IDLE: StateName = "idle"
REVEALED: StateName = "revealed"
OPEN: Mapping[StateName, int] = MappingProxyType({"open 1": 1, "open 2": 2})  # the vote that is open
CLOSED: Mapping[StateName, int] = MappingProxyType({"closed 1": 1, "closed 2": 2})
VOTES: Mapping[StateName, tuple[int, ...]] = MappingProxyType(  # how many votes a state may have
    {IDLE: (0,), "open 1": (1,), "closed 1": (1,), "open 2": (2,), "closed 2": (2,), REVEALED: (1, 2)}
)
ACTIONS: Mapping[StateName, Mapping[Action, StateName]] = MappingProxyType(
    {
        IDLE: {"open": "open 1"},
        "open 1": {"close": "closed 1"},
        "closed 1": {"again": "open 2", "show": "closed 1", "reveal": REVEALED, "next": IDLE},
        "open 2": {"close": "closed 2"},
        "closed 2": {"reveal": REVEALED, "next": IDLE},
        REVEALED: {"next": IDLE},
    }
)
MOST = 1_000_000  # epochs


class WrongEpochError(ValueError):
    """The state has changed since; the message says so."""


@dataclass(frozen=True)
class State:
    """A state with its epoch. ``votes`` are the epochs in which the votes of its question were opened.

    ``shown`` is whether the first vote is shown before the second.
    """

    epoch: int = 0
    name: StateName = IDLE
    votes: tuple[int, ...] = ()
    shown: bool = False

    @property
    def legal(self) -> tuple[Action, ...]:
        """The actions that are allowed."""
        return tuple(action for action in ACTIONS[self.name] if not (action == "show" and self.shown))

    @property
    def open_vote_epoch(self) -> int | None:
        """The epoch of the vote that is open; None where none is."""
        return self.votes[-1] if self.name in OPEN else None

    @property
    def secret(self) -> bool:
        """Whether a question is asked and not revealed."""
        return self.name not in (IDLE, REVEALED)

    def after(self, action: str, epoch: int) -> "State":
        """The state after ``action`` of a teacher who has seen ``epoch``; ValueError, which says why, for one that is refused."""
        if epoch != self.epoch:
            raise WrongEpochError(f"The classroom has moved on: it is {self.name} now.")
        allowed: dict[str, StateName] = {each: name for each, name in ACTIONS[self.name].items() if each in self.legal}
        if action not in allowed:
            raise ValueError(f"“{action}” is not possible while the classroom is {self.name}; possible: {', '.join(allowed)}.")
        name, now = allowed[action], self.epoch + 1
        votes = (*self.votes, now) if name in OPEN else () if name == IDLE else self.votes
        return replace(self, epoch=now, name=name, votes=votes, shown=name != IDLE and (self.shown or action == "show"))

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "State":
        """The state in a message of a teacher's device; ValueError for what is no state."""
        name, votes, shown = (
            next((each for each in VOTES if each == given.get("state")), None),
            given.get("votes"),
            given.get("shown"),
        )
        if name is None or not isinstance(shown, bool) or not isinstance(votes, list):
            raise ValueError("This is no state of a classroom.")
        epochs = [each for each in (*votes, given.get("epoch")) if type(each) is int and 0 <= each <= MOST]
        opened, epoch = tuple(epochs[:-1]), epochs[-1] if epochs else -1
        if (
            len(epochs) != 1 + len(votes)
            or len(votes) not in VOTES[name]
            or list(opened) != sorted({*opened})
            or epoch < max(epochs)
        ):
            raise ValueError(f"A classroom that is {name} has {' or '.join(map(str, VOTES[name]))} votes, opened in its epochs.")
        if name in OPEN and opened[-1] != epoch:
            raise ValueError("The vote that is open was opened in the epoch of the state.")
        if shown and name in (IDLE, "open 1"):
            raise ValueError(f"A classroom that is {name} shows no vote.")
        return cls(epoch, name, opened, shown)
