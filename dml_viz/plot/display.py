"""How a figure is shown, whatever its numbers are."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Display:
    """The theme, "light" or "dark", what each class is called, and the class of each point (N,)."""

    theme: str = "light"
    classes: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    of_run: bool = False

    @property
    def who(self) -> Sequence[str]:
        """What each point is called: its index and its class."""
        return [f"#{k} ({self.classes[label]})" for k, label in enumerate(self.labels)]
