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
from dml_viz.plot.traces import Trace, line

PANELS = ((0.0, 0.4), (0.6, 1.0))  # shares of the width, with room for an axis on a phone
BITS = (2, 4, 8, 16, 32)  # that have a tick
SYMBOLS = ("circle", "square", "diamond", "cross", "x")
WHOLE = "whole rows"


def ways(model: Model, display: Display) -> go.Figure:
    """The mean scores over seeds by each way to search, mAP on the left and R@1 on the right."""
    searches = model.comparison.ways
    numbers = sorted({way.words for way in searches if way.words})
    traces, words = list[Trace](), [("—", EXACT, "by whole rows")]
    words.append(("●", POSITIVE, "by codes" if numbers else "by one slice"))
    if numbers:
        each = ", ".join(f"{_sign(k)} {count}" for k, count in enumerate(numbers))
        words.append(("", EXACT, f"{each} codewords for a slice"))
    means_in_words = []
    for column, name in enumerate(SCORES.values()):
        axes: dict[str, Any] = {"xaxis": f"x{column + 1}", "yaxis": f"y{column + 1}"} if column else {}
        if numbers:
            traces += _by_bits(searches, column, name, numbers, axes)
        else:
            means = [float(way.scores[:, column].mean()) for way in searches]
            names = [way.name for way in searches]
            traces.append(
                line(
                    f"{name} of each seed",
                    np.repeat(names, len(searches[0].scores) if searches else 0),
                    np.concatenate([way.scores[:, column] for way in searches]) if searches else [],
                    colour=tint(EXACT, 0.6),
                    mode="markers",
                    marker={"size": 5},
                    **axes,
                )
            )
            traces.append(
                line(
                    f"mean {name}",
                    names,
                    means,
                    colour=POSITIVE,
                    mode="markers",
                    marker={"size": 11},
                    **axes,
                    hover=f"%{{x}}: mean {name} %{{y:.3f}}<extra></extra>",
                )
            )
            if means:
                traces.append(
                    line(f"{name} by whole rows", names, [means[0]] * len(names), colour=EXACT, width=1.5, dash="dash", **axes)
                )
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
    dash = {"symbol": "line-ew-open", "size": 12}
    traces = [
        line(
            f"{name} by whole rows",
            [way.bits for way in whole],
            [way.scores[:, column].mean() for way in whole],
            colour=EXACT,
            mode="markers",
            marker=dash,
            hover=f"%{{x:g}} bits in training, whole rows: {name} %{{y:.3f}}<extra></extra>",
            **axes,
        )
    ]
    for k, count in enumerate(numbers):
        coded = [way for way in searches if way.name != WHOLE and way.words == count]
        traces.append(
            line(
                f"{name}, {count} codewords",
                [way.bits for way in coded],
                [way.scores[:, column].mean() for way in coded],
                colour=POSITIVE,
                width=2,
                mode="lines+markers",
                marker={"size": 9, "symbol": SYMBOLS[k]},
                hover=f"%{{x:g}} bits, {count} codewords: {name} %{{y:.3f}}<extra></extra>",
                **axes,
            )
        )
    return traces


def _sign(k: int) -> str:
    return ("●", "■", "◆", "✚", "✖")[k]


def _named_way(way: Way) -> str:
    return f"by {way.name}" + (f" at {way.bits:g} bits" if way.bits else "")
