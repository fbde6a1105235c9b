"""The palette and the Plotly template: classes by colour and marker, positives and negatives by one colour each."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, TypedDict

import numpy as np

# Okabe and Ito (2008), "Color Universal Design", without black and with the yellow darkened for white paper,
# continued by Paul Tol's "muted" scheme (2021); markers differ where two colours look alike.
CLASS_COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#B8A000", "#882255",
    "#44AA99", "#999933", "#332288", "#AA4499", "#117733", "#DDCC77", "#6699CC", "#661100",
)  # fmt: skip
CLASS_MARKERS = (
    "circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "pentagon",
    "star", "hexagon", "star-diamond", "bowtie", "hourglass", "star-triangle-up", "triangle-left", "triangle-right",
)  # fmt: skip
CLASS_SIGNS = dict(zip(CLASS_MARKERS, "●■◆▲✚✖▼⬟★⬢", strict=False))  # the same marks in words
# The grey of each class in print without colour, 0 is black: neighbours far apart, none too light.
CLASS_GREYS = (45, 150, 95, 0, 140, 175, 70, 115, 20, 165, 55, 125, 85, 185, 105, 30)

CROWD = 60  # points from which marks shrink

POSITIVE = "#0072B2"
NEGATIVE = "#D55E00"
QUERY = "#CC79A7"
EXACT = "#7A7A7A"

# Racers are lines with letters. Their tones, by theme, are no colours of classes; a tone and a dash together are unique. A tone
# is used again with the dash half the row further.
RACER_TONES = {
    "light": ("#1f2430", "#d6116b", "#6d28d9", "#6e7786", "#8a5a22", "#4d7c0f"),
    "dark": ("#e8eaf0", "#ff6fb0", "#b79cff", "#98a1b2", "#e39a6f", "#a3d65c"),
}
RACER_DASHES = ("", "7 3", "2 2.5", "9 3 2 3", "6 2 1.5 2 1.5 2", "15 4")

INK = {"light": "#1f2430", "dark": "#e8eaf0"}
FAINT = {"light": "#d9dce3", "dark": "#3b4050"}
PAPER = {"light": "#ffffff", "dark": "#0f1218"}
FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", Helvetica, Arial, sans-serif'


# Colours are those on light paper; these are too dark for dark paper and are replaced there.
ON_DARK = {
    "#0072B2": "#1F8FE0",
    "#882255": "#DB5283",
    "#332288": "#8F7DF0",
    "#AA4499": "#C458D2",
    "#117733": "#4FB04A",
    "#661100": "#BF6650",
    EXACT: "#8A8A8A",
}
READABLE = 4.5  # contrast of words on their paper (WCAG 2.2, 1.4.3)
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|rgba\((\d+),(\d+),(\d+)")
SIGN = re.compile(r'">\W</span>')  # behind a colour: a mark of a key, of the same colour as what it names
# Properties of a figure that contain no colour and may be long.
UNCOLOURED = frozenset({"x", "y", "z", "u", "v", "customdata", "ids", "meta", "hovertext"})


def contrast(first: str, second: str) -> float:
    """The contrast of two colours #rrggbb by WCAG 2.2, from 1 to 21."""
    dark, light = sorted(map(_luminance, (first, second)))
    return (light + 0.05) / (dark + 0.05)


@cache
def on_paper(colour: str, theme: str, words: bool = False) -> str:
    """The colour of ``theme`` for ``colour`` #rrggbb; for ``words``, with enough contrast to be read."""
    colour_on_paper = ON_DARK.get(colour.upper(), colour) if theme == "dark" else colour
    if not words or contrast(colour_on_paper, PAPER[theme]) >= READABLE:
        return colour_on_paper
    ends = list(zip(_channels(colour_on_paper), _channels(INK[theme]), strict=True))
    darker = ("#" + "".join(f"{round(channel + (ink - channel) * k / 20):02X}" for channel, ink in ends) for k in range(1, 21))
    return next(shade for shade in darker if contrast(shade, PAPER[theme]) >= READABLE)


def recolour(value: Any, theme: str, words: bool = False) -> Any:
    """A figure as plain data, its colours replaced by the colours of ``theme``; ``words`` is true within a font."""
    if isinstance(value, dict):
        return {
            key: part if key in UNCOLOURED else recolour(part, theme, words or "font" in key or key == "text")
            for key, part in value.items()
        }
    if isinstance(value, np.ndarray):
        return np.array([recolour(part, theme, words) for part in value.tolist()]) if value.dtype.kind == "U" else value
    if isinstance(value, list | tuple) and not (value and isinstance(value[0], int | float)):
        return [recolour(part, theme, words) for part in value]
    return _recoloured(value, theme, words) if isinstance(value, str) and ("#" in value or "(" in value) else value


@lru_cache(4096)
def _recoloured(text: str, theme: str, words: bool) -> str:
    def colour(match: re.Match[str]) -> str:
        if match[0][0] == "#":
            return on_paper(match[0], theme, words and not SIGN.match(text, match.end()))
        mapped = on_paper("#" + "".join(f"{int(part):02X}" for part in match.groups()), theme, words)
        return f"rgba({','.join(map(str, _channels(mapped)))}"

    return COLOUR.sub(colour, text)


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _luminance(colour: str) -> float:
    parts = (part / 255 for part in _channels(colour))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def class_style(index: int) -> tuple[str, str]:
    """Colour and marker of class ``index``; the pair repeats only after 16 x 16 classes."""
    rounds, slot = divmod(index, len(CLASS_COLOURS))
    return CLASS_COLOURS[slot], CLASS_MARKERS[(slot + rounds) % len(CLASS_MARKERS)]


class ClassStyle(TypedDict):
    """The colour and the marker of a class, and its grey (0 is black) in print without colour."""

    colour: str
    marker: str
    grey: int


class RacerStyles(TypedDict):
    """The tones of racers by theme, and their dashes."""

    tones: Mapping[str, Sequence[str]]
    dashes: Sequence[str]


class Palette(TypedDict):
    """All colours and markers, on light paper: `onDark` has those that dark paper needs, `words` those that are read."""

    classes: list[ClassStyle]
    positive: str
    negative: str
    query: str
    exact: str
    onDark: Mapping[str, str]
    words: Mapping[str, str]
    ink: Mapping[str, str]
    faint: Mapping[str, str]
    paper: Mapping[str, str]
    font: str
    racers: RacerStyles


def palette() -> Palette:
    """All colours and markers as JSON values, for the components that draw in the browser."""
    return {
        "classes": [
            {"colour": c, "marker": m, "grey": g} for c, m, g in zip(CLASS_COLOURS, CLASS_MARKERS, CLASS_GREYS, strict=True)
        ],
        "positive": POSITIVE,
        "negative": NEGATIVE,
        "query": QUERY,
        "exact": EXACT,
        "onDark": ON_DARK,
        "words": {c: on_paper(c, "light", words=True) for c in (*CLASS_COLOURS, POSITIVE, NEGATIVE, QUERY)},
        "ink": INK,
        "faint": FAINT,
        "paper": PAPER,
        "font": FONT,
        "racers": {"tones": RACER_TONES, "dashes": RACER_DASHES},
    }


def template(theme: str = "light") -> dict[str, Any]:
    """A Plotly template for ``theme`` ("light" or "dark"), on a transparent background."""
    ink, faint = INK[theme], FAINT[theme]
    axis = {
        "gridcolor": faint,
        "zerolinecolor": faint,
        "linecolor": ink,
        "ticks": "outside",
        "tickcolor": faint,
        "zeroline": False,
        "automargin": True,
        "title": {"standoff": 8, "font": {"size": 13}},
    }
    return {
        "layout": {
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(CLASS_COLOURS),
            "font": {"family": FONT, "size": 13, "color": ink},
            "margin": {"l": 50, "r": 12, "t": 34, "b": 42},
            "title": {"font": {"size": 15}, "x": 0, "xref": "paper", "xanchor": "left"},
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "xanchor": "right", "x": 1.0},
            "hoverlabel": {"font": {"family": FONT}},
        }
    }
