"""The display of a figure: theme and names, on which its numbers do not depend."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Display:
    """The theme, "light" or "dark", the name of each class (C,), and the class of each point (N,)."""

    theme: str = "light"
    classes: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    of_run: bool = False

    @property
    def who(self) -> Sequence[str]:
        """The name of each point (N,): its index and its class."""
        return [f"#{k} ({self.classes[label]})" for k, label in enumerate(self.labels)]
