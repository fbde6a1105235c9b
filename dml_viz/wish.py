"""How a figure is drawn for a write-up: at a fixed size, with words of a fixed size, in colours that print."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dml_viz.params import check, knobs, param

LARGEST = 60.0  # inches


@dataclass(frozen=True)
class Wish:
    """Width and height in inches (None: the picture's own), and how it is drawn; as assets/export_svg.js has it.

    ``points`` 0 keeps the words as the screen has them, and the size with them.
    """

    width: float | None = None
    height: float | None = None
    font: str = param("sans", "", meaning="typeface of the words", choices=("sans", "serif"))
    points: float = param(0.0, "", meaning="size of the words, in points", domain="[0, 60]")
    line: float = param(1.0, "", meaning="lines, times as wide", domain="[0.5, 3]")
    palette: str = param("screen", "", meaning="colours", choices=("screen", "light", "grey"))
    title: bool = param(False, "", meaning="whether the title is drawn")
    legend: bool = param(True, "", meaning="whether the legend is drawn")

    def __post_init__(self) -> None:
        check(self)
        for name in ("width", "height"):
            value = getattr(self, name)
            if value is not None and not (
                isinstance(value, (int, float)) and math.isfinite(value) and 0.5 <= value <= LARGEST
            ):
                raise ValueError(f"Wish: {name} = {value!r} is not allowed; choose 0.5 to {LARGEST:g} inches, or none")

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Wish:
        """The wish that JSON values tell; ValueError for one that cannot be had, or an unknown part."""
        unknown = set(told) - set(cls.__dataclass_fields__)
        if unknown:
            raise ValueError(f"Wish: {', '.join(sorted(map(str, unknown)))} is not known")
        numbers = {name: float(told[name]) for name in ("points", "line") if name in told}
        return cls(**{**told, **numbers})

    def write(self) -> dict[str, Any]:
        """As JSON values."""
        return {"width": self.width, "height": self.height, **knobs(self)}
