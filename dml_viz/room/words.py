"""The words of a page's first figure: what its article says of it, and what a lesson in one file says live."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dml_viz.plot.canvas import Display

Text: TypeAlias = str | Callable[[Any], str]  # words, or a function of the model that gives them


@dataclass(frozen=True, eq=False)
class Formulas:
    """Formulas in LaTeX, of the loss or in the model's numbers, each in a line of its own, and a remark below."""

    lines: Callable[[Any, Display], Sequence[str]]
    remark: Text = ""


@dataclass(frozen=True, eq=False)
class FirstFigure:
    """The claim of the scene that is dragged, what to look for in it, how it misleads, and the formulas with its numbers.

    ``claim`` is of the settings where it is a function, as it is drawn before the points, unless it is ``claimed_of_model``.
    ``caption`` ends the line on where the points are from, after ``size``, how many there are.
    """

    claim: Text
    look_for: Text
    misleads: Text
    formulas: tuple[Formulas, ...]
    caption: Callable[[Any, Display], str]
    size: str = "{size} points in {dim} dimensions;"
    claimed_of_model: bool = False


def text_of(text: Text, of: Any) -> str:
    """``text``, asked of a model or of settings where it is a function."""
    return text if isinstance(text, str) else text(of)


def line(words: FirstFigure, provenance: str, model: Any, display: Display) -> str:
    """Where the points come from, how many there are, and in what roles."""
    size, dim = model.z.shape
    of_size = words.size.replace("{size}", str(size)).replace("{dim}", str(dim))
    return f"{provenance.rstrip('.')}. {of_size} {words.caption(model, display)}"


def with_true_minus_signs(sentence: str) -> str:
    """``sentence`` with a true minus sign before its negative numbers."""
    return re.sub(r"(?<![\w-])-(?=\d)", "−", sentence)
