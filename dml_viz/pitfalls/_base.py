"""The contract of an erratum: what a file in ``errata/`` declares, and the text that pages show of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from string import Formatter
from types import MappingProxyType
from typing import Any, ClassVar

from dml_viz.params import numerals


class _Set(Formatter):
    """Fills numbers in as they are set."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return numerals(str(super().format_field(value, format_spec)))


@dataclass(frozen=True)
class Erratum(ABC):
    """What notes or code in circulation get wrong, or leave open, about a loss, measured on a small fixed example.

    A leaf does literally what circulates, in its own file, and takes the right side from the losses.
    """

    title: ClassVar[str]
    losses: ClassVar[tuple[str, ...]]
    """The losses it is about, by their file names."""
    circulates: ClassVar[str]
    """What notes or code say or do, in one or two sentences."""
    text: ClassVar[str]
    """What to tell of it, in Markdown with a format field for every number; KaTeX's braces are therefore doubled."""
    misled: ClassVar[str] = ""
    """How the smallness of the example misleads, in one sentence; empty where the numbers hold for any."""

    @abstractmethod
    def measure(self) -> dict[str, float]:
        """The numbers by name, made anew from fixed seeds in float64: the same ones every time."""

    def numbers(self) -> Mapping[str, float]:
        """The numbers by name, made once per process."""
        return _numbers(self)

    @property
    def told(self) -> str:
        """What to tell, with the numbers in it."""
        return self.tell(self.numbers())

    def tell(self, numbers: Mapping[str, float]) -> str:
        """What there would be to tell if ``numbers`` had been measured."""
        return _Set().vformat(self.text, (), numbers)


@cache
def _numbers(erratum: Erratum) -> Mapping[str, float]:
    return MappingProxyType(erratum.measure())
