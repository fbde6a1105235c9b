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
    found = model.comparison.ways
    numbers = sorted({way.words for way in found if way.words})
    traces, words = list[Trace](), [("—", EXACT, "by whole rows")]
    words.append(("●", POSITIVE, "by codes" if numbers else "by one slice"))
    if numbers:
        each = ", ".join(f"{_sign(k)} {count}" for k, count in enumerate(numbers))
        words.append(("", EXACT, f"{each} codewords for a slice"))
    told = []
    for place, name in enumerate(SCORES.values()):
        own: dict[str, Any] = {"xaxis": f"x{place + 1}", "yaxis": f"y{place + 1}"} if place else {}
        if numbers:
            traces += _by_bits(found, place, name, numbers, own)
        else:
            means = [float(way.scores[:, place].mean()) for way in found]
            names = [way.name for way in found]
            traces.append(
                line(
                    f"{name} of each seed",
                    np.repeat(names, len(found[0].scores) if found else 0),
                    np.concatenate([way.scores[:, place] for way in found]) if found else [],
                    colour=tint(EXACT, 0.6),
                    mode="markers",
                    marker={"size": 5},
                    **own,
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
                    **own,
                    hover=f"%{{x}}: mean {name} %{{y:.3f}}<extra></extra>",
                )
            )
            if means:
                traces.append(
                    line(f"{name} by whole rows", names, [means[0]] * len(names), colour=EXACT, width=1.5, dash="dash", **own)
                )
        told += [f"{name} {_told(way)} {score(float(way.scores[:, place].mean()))}" for way in found]
    alt = f"Unseen classes, means over seeds: {'; '.join(told)}."
    bottom = axis("bits of a code", type="log", tickvals=BITS) if numbers else axis("")
    panels: dict[str, Any] = {
        f"{letter}axis{place + 1 if place else ''}": extra
        for place in range(len(SCORES))
        for letter, extra in (
            ("x", {**bottom, "domain": PANELS[place], "anchor": f"y{place + 1}"}),
            ("y", {**axis(f"{list(SCORES.values())[place]}, unseen classes", rangemode="tozero"), "anchor": f"x{place + 1}"}),
        )
    }
    x, y = panels.pop("xaxis"), panels.pop("yaxis")
    return chart(traces, words, x, y, height=340, theme=display.theme, alt=alt, **panels)


def _by_bits(found: tuple[Way, ...], place: int, name: str, numbers: list[int], own: dict[str, Any]) -> list[Trace]:
    """A line of codes for each number of codewords, and of whole rows over all, against the bits of a code."""
    whole = sorted((way for way in found if way.name == WHOLE), key=lambda way: way.bits)
    dash = {"symbol": "line-ew-open", "size": 12}
    traces = [
        line(
            f"{name} by whole rows",
            [way.bits for way in whole],
            [way.scores[:, place].mean() for way in whole],
            colour=EXACT,
            mode="markers",
            marker=dash,
            hover=f"%{{x:g}} bits in training, whole rows: {name} %{{y:.3f}}<extra></extra>",
            **own,
        )
    ]
    for k, count in enumerate(numbers):
        coded = [way for way in found if way.name != WHOLE and way.words == count]
        traces.append(
            line(
                f"{name}, {count} codewords",
                [way.bits for way in coded],
                [way.scores[:, place].mean() for way in coded],
                colour=POSITIVE,
                width=2,
                mode="lines+markers",
                marker={"size": 9, "symbol": SYMBOLS[k]},
                hover=f"%{{x:g}} bits, {count} codewords: {name} %{{y:.3f}}<extra></extra>",
                **own,
            )
        )
    return traces


def _sign(place: int) -> str:
    return ("●", "■", "◆", "✚", "✖")[place]


def _told(way: Way) -> str:
    return f"by {way.name}" + (f" at {way.bits:g} bits" if way.bits else "")
