"""Colours that contrast with their background, and words that are legible on it."""

import itertools

import numpy as np
import pytest

from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.style import (
    CLASS_COLOURS,
    EXACT,
    INK,
    NEGATIVE,
    ON_DARK,
    PAPER,
    POSITIVE,
    QUERY,
    READABLE,
    contrast,
    on_paper,
    palette,
    recolour,
)

COLOURS = (*CLASS_COLOURS, POSITIVE, NEGATIVE, QUERY, EXACT)


def test_every_colour_has_the_contrast_of_words_on_dark_paper() -> None:
    assert {
        colour: round(contrast(on_paper(colour, "dark"), PAPER["dark"]), 2)
        for colour in COLOURS
        if contrast(on_paper(colour, "dark"), PAPER["dark"]) < READABLE
    } == {}
    assert set(ON_DARK) <= set(COLOURS), "no colour is replaced that is not drawn"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_in_any_colour_can_be_read(theme: str) -> None:
    assert all(contrast(on_paper(colour, theme, words=True), PAPER[theme]) >= READABLE for colour in COLOURS)
    assert on_paper(INK[theme], theme, words=True) == INK[theme], "what can be read already stays"


def test_classes_are_distinguishable_on_dark_paper_as_on_light() -> None:
    def nearest(colours: list[str]) -> float:
        rows = np.array([list(bytes.fromhex(colour[1:])) for colour in colours], float)
        return min(float(np.linalg.norm(one - other)) for one, other in itertools.combinations(rows, 2))

    assert nearest([on_paper(c, "dark") for c in CLASS_COLOURS]) >= nearest(list(CLASS_COLOURS))


def test_a_figure_for_dark_paper_has_its_colours_in_every_place() -> None:
    traces = [
        {"type": "scatter", "x": [0.5], "y": np.array([1.0]), "customdata": ["#0072B2"], "marker": {"color": ["#0072B2"]}},
        {"type": "bar", "x": [1], "y": [2], "marker": {"color": np.array(["#0072B2", "#E69F00"])}, "text": "#0 (class A)"},
        {"type": "scatter", "x": [1], "y": [2], "line": {"color": "rgba(0,114,178,0.5)"}},
    ]
    fig = canvas(traces, {"annotations": [key(("●", "#0072B2", "positives"))]}, theme="dark", alt="1")
    dark = ON_DARK["#0072B2"]
    assert fig.data[0].marker.color == (dark,)
    assert list(fig.data[0].customdata) == ["#0072B2"]
    assert list(fig.data[1].marker.color) == [dark, "#E69F00"]
    assert fig.data[1].text == "#0 (class A)"
    assert fig.data[2].line.color == "rgba(31,143,224,0.5)"
    assert f"color:{dark}" in fig.layout.annotations[0].text


def test_words_are_darker_on_light_paper_and_marks_are_not() -> None:
    trace = {"marker": {"color": NEGATIVE}, "textfont": {"color": NEGATIVE}}
    shown = recolour(trace, "light")
    assert shown["marker"]["color"] == NEGATIVE
    assert shown["textfont"]["color"] == palette()["words"][NEGATIVE] != NEGATIVE
