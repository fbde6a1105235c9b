"""What a pitfall is, how a function in a loss's file declares it, and the table that pages show."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from types import MappingProxyType
from typing import Any, TypeAlias

from dml_viz.params import numerals

Numbers: TypeAlias = dict[str, Any]  # of a pitfall by name, what `float` takes


class _Numerals(Formatter):
    """Formats numbers with a true minus and powers of ten."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return numerals(str(super().format_field(value, format_spec)))


@dataclass(frozen=True)
class Pitfall:
    """A claim in notes or code that is wrong, or a question they leave open, about a loss, and what is so, measured.

    ``name`` is "loss.function"; ``losses`` are file names of losses. ``claim`` is what circulates, in one or two sentences.
    ``text`` is what is so, in Markdown with a format field for every number; KaTeX's braces are therefore doubled.
    ``misleads`` says how the smallness of the example misleads; it is empty where the numbers hold for any. ``measure``
    makes the numbers from fixed seeds in float64, the same ones every time.
    """

    name: str
    losses: tuple[str, ...]
    title: str
    claim: str
    text: str
    misleads: str
    measure: Callable[[], Numbers]

    @cached_property
    def numbers(self) -> Mapping[str, float]:
        """The numbers by name, made once per process."""
        return MappingProxyType({name: float(number) for name, number in self.measure().items()})

    @property
    def answer(self) -> str:
        """The text with its numbers."""
        return self.text_with(self.numbers)

    def text_with(self, numbers: Mapping[str, float]) -> str:
        """The text with ``numbers`` in place of its own."""
        return _Numerals().vformat(self.text, (), numbers)


def pitfall(
    title: str, *, claim: str, text: str, misleads: str = "", also: tuple[str, ...] = ()
) -> Callable[[Callable[[], Numbers]], Pitfall]:
    """Declare the function below, which measures, as a pitfall of the loss that its file is named by and of ``also``."""

    def declared(measure: Callable[[], Numbers]) -> Pitfall:
        loss = measure.__module__.rpartition(".")[2]
        return Pitfall(f"{loss}.{measure.__name__}", (loss, *also), title, claim, text, misleads, measure)

    return declared
