"""What samples and proxies are called in figures and formulas: by number and by the short name of their class."""

from __future__ import annotations

from collections.abc import Iterable

from dml_viz.plot.display import Display


def of_classes(display: Display, classes: Iterable[int]) -> list[str]:
    """The short names of classes."""
    return [display.classes[label].removeprefix("class ") for label in classes]


def of_samples(display: Display) -> list[str]:
    """Number and class of each sample (N,)."""
    return [f"#{k} {name}" for k, name in enumerate(of_classes(display, display.labels))]
