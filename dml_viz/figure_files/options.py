"""Export options of a figure for a write-up: its size, the size of its words, colours for print."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dml_viz.figure_files.declared import DECLARED
from dml_viz.params import Declared, knobs, param

LEAST_INCHES, MOST_INCHES = DECLARED["inches"]
MOST_POINTS: int = DECLARED["mostPoints"]
WIDEST_AREA: int = DECLARED["widestArea"]  # square inches, a little more than A0 has
SMALLEST_WORDS = 4.0  # points


@dataclass(frozen=True)
class ExportOptions(Declared):
    """Width and height in inches (None: the picture's own), and the style.

    The defaults are the browser's `AS_SEEN` (assets/src/export/files.js). ``points`` 0 leaves words and figure in their
    size on the screen. ValueError for a figure that cannot be drawn.
    """

    width: float | None = None
    height: float | None = None
    font: str = param("sans", "typeface of the words", choices=("sans", "serif", "modern"))
    points: float = param(0.0, "size of the words, in points", domain=f"[0, {MOST_POINTS}]")
    line: float = param(1.0, "lines, times as wide", domain="[{}, {}]".format(*DECLARED["line"]))
    palette: str = param("screen", "colours", choices=("screen", "light", "dark", "grey"))
    ground: str = param("paper", "what is behind the drawing", choices=("paper", "none"))
    letters: str = param("words", "words as text or as outlines", choices=("words", "outlines"))
    title: bool = param(False, "whether the title is drawn")
    legend: bool = param(True, "whether the legend is drawn")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("width", "height"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and LEAST_INCHES <= value <= MOST_INCHES):
                inches = f"{LEAST_INCHES:g} to {MOST_INCHES:g} inches"
                raise ValueError(f"ExportOptions: {name} = {value!r} is not allowed; choose {inches}, or none")
        if (self.width or 0) * (self.height or 0) > WIDEST_AREA:
            raise ValueError(
                f"ExportOptions: {self.width:g} by {self.height:g} inches are not allowed; choose at most "
                f"{WIDEST_AREA:g} square inches"
            )
        if 0 < self.points < SMALLEST_WORDS:
            raise ValueError(
                f"ExportOptions: points = {self.points!r} is not allowed; choose 0, or {SMALLEST_WORDS:g} to {MOST_POINTS}"
            )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "ExportOptions":
        """The options of JSON ``values``; ValueError for a value that is not allowed, or a name that is not known."""
        unknown = set(values) - set(cls.__dataclass_fields__)
        if unknown:
            raise ValueError(f"ExportOptions: {', '.join(sorted(map(str, unknown)))} is not known")
        return cls(**values)

    def write(self) -> dict[str, Any]:
        """The options as JSON values."""
        return {"width": self.width, "height": self.height, **knobs(self)}
