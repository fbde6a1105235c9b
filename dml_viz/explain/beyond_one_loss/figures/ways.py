"""The scores of trained runs by each way to search: by codes of more and fewer bits, or by each slice of the rows."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_compared import Way
from dml_viz.explain.beyond_one_loss.model_training import SCORES
from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import EXACT, POSITIVE
from dml_viz.plot.traces import Trace, joined_marks, line

PANELS = ((0.0, 0.4), (0.6, 1.0))  # shares of the width, with room for an axis on a phone
BITS = (2, 4, 8, 16, 32)  # that have a tick
SYMBOLS, SIGNS = ("circle", "square", "diamond", "cross", "x"), "●■◆✚✖"
WHOLE = "whole rows"


def ways(model: Model, display: Display) -> go.Figure:
    """The mean scores over seeds by each way to search, mAP on the left and R@1 on the right."""
    searches = model.comparison.ways
    numbers = sorted({way.words for way in searches if way.words})
    traces, words = list[Trace](), [("—", EXACT, "by whole rows")]
    words.append(("●", POSITIVE, "by codes" if numbers else "by one slice"))
    if numbers:
        each = ", ".join(f"{sign} {count}" for sign, count in zip(SIGNS, numbers, strict=False))
        words.append(("", EXACT, f"{each} codewords for a slice"))
    means_in_words = []
    for column, name in enumerate(SCORES.values()):
        axes: dict[str, Any] = {"xaxis": f"x{column + 1}", "yaxis": f"y{column + 1}"} if column else {}
        if numbers:
            traces += _by_bits(searches, column, name, numbers, axes)
        else:
            means = [float(way.scores[:, column].mean()) for way in searches]
            names = [way.name for way in searches]
            at = np.repeat(names, len(searches[0].scores) if searches else 0)
            of_seeds = np.concatenate([np.zeros(0), *(way.scores[:, column] for way in searches)])
            hover, marked = f"%{{x}}: mean {name} %{{y:.3f}}<extra></extra>", {"mode": "markers", **axes}
            traces.append(joined_marks(f"{name} of each seed", at, of_seeds, colour=tint(EXACT, 0.6), size=5, **marked))
            traces.append(joined_marks(f"mean {name}", names, means, colour=POSITIVE, size=11, hover=hover, **marked))
            if means:
                whole = [means[0]] * len(names)
                traces.append(line(f"{name} by whole rows", names, whole, colour=EXACT, width=1.5, dash="dash", **axes))
        means_in_words += [f"{name} {_named_way(way)} {score(float(way.scores[:, column].mean()))}" for way in searches]
    alt = f"Unseen classes, means over seeds: {'; '.join(means_in_words)}."
    bottom = axis("bits of a code", type="log", tickvals=BITS) if numbers else axis("")
    panels: dict[str, Any] = {
        f"{letter}axis{column + 1 if column else ''}": extra
        for column in range(len(SCORES))
        for letter, extra in (
            ("x", {**bottom, "domain": PANELS[column], "anchor": f"y{column + 1}"}),
            ("y", {**axis(f"{list(SCORES.values())[column]}, unseen classes", rangemode="tozero"), "anchor": f"x{column + 1}"}),
        )
    }
    x, y = panels.pop("xaxis"), panels.pop("yaxis")
    return chart(traces, words, x, y, height=340, theme=display.theme, alt=alt, **panels)


def _by_bits(searches: tuple[Way, ...], column: int, name: str, numbers: list[int], axes: dict[str, Any]) -> list[Trace]:
    """A line of codes for each number of codewords, and of whole rows over all, against the bits of a code."""
    whole = sorted((way for way in searches if way.name == WHOLE), key=lambda way: way.bits)
    look: dict[str, Any] = {"colour": EXACT, "mode": "markers", "symbol": "line-ew-open", "size": 12}
    curves = [(f"{name} by whole rows", "bits in training, whole rows", whole, look)]
    for count, symbol in zip(numbers, SYMBOLS, strict=False):
        coded = [way for way in searches if way.name != WHOLE and way.words == count]
        look = {"colour": POSITIVE, "symbol": symbol, "size": 9}
        curves.append((f"{name}, {count} codewords", f"bits, {count} codewords", coded, look))
    traces = []
    for title, what, found, look in curves:
        bits, scores = [way.bits for way in found], [way.scores[:, column].mean() for way in found]
        hover = f"%{{x:g}} {what}: {name} %{{y:.3f}}<extra></extra>"
        traces.append(joined_marks(title, bits, scores, hover=hover, **look, **axes))
    return traces


def _named_way(way: Way) -> str:
    return f"by {way.name}" + (f" at {way.bits:g} bits" if way.bits else "")
