"""What becomes of the pull while samples and proxies go down the gradient: it fades, or it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.numbers import number
from dml_viz.plot.style import EXACT, INK, POSITIVE, QUERY
from dml_viz.plot.traces import line, marks

HEIGHT = 440
LOWER, UPPER = (0.0, 0.36), (0.5, 1.0)
DASHES = ("solid", "dash")


@dataclass(frozen=True)
class Course:
    """One loss along the steps (T+1,): all pulls of own proxies as a share of the most, and the samples' mean cosine to them."""

    title: str
    pull: np.ndarray
    cosine: np.ndarray


def flow_figure(courses: Sequence[Course], step: int, *, theme: str = "light") -> go.Figure:
    """Pull (above) and mean cosine to the own star (below) of up to two losses, with a mark at ``step``."""
    traces = []
    for dash, course in zip(DASHES, courses, strict=False):
        for values, axis, colour, what in (
            (course.pull, "y", POSITIVE, "pull %{y:.1%}"),
            (course.cosine, "y2", INK[theme], "cosine %{y:.3f}"),
        ):
            hover = f"{course.title}, step %{{x}}: {what}<extra></extra>"
            traces += [
                line(
                    course.title,
                    np.arange(len(values)),
                    values,
                    colour=colour,
                    width=2.5,
                    dash=dash,
                    hover=hover,
                    yaxis=axis,
                ),
                marks(f"{course.title}, now", [step], values[[step]], colour=QUERY, symbol="diamond", yaxis=axis),
            ]
    low = min(float(course.pull.min()) for course in courses)
    zero = {"zeroline": True, "zerolinecolor": EXACT}
    words = [
        (
            sign,
            POSITIVE,
            f"{course.title}: pull {number(course.pull[step], '.1%')}, cosine {number(course.cosine[step], '.2f')}",
        )
        for sign, course in zip(("——", "– –"), courses, strict=False)
    ]
    steps = len(courses[0].pull)
    layout = {
        "height": HEIGHT,
        "margin": {"l": 58, "r": 12, "t": 52, "b": 46},
        "xaxis": {"range": [-0.02 * steps, 1.02 * steps], "title": {"text": "step"}, "anchor": "y2"},
        "yaxis": {**zero, "domain": UPPER, "range": [min(low - 0.06, -0.06), 1.08], "tickformat": ".0%",
                  "title": {"text": "own pull, of the most"}},
        "yaxis2": {**zero, "domain": LOWER, "range": [-1.1, 1.1], "title": {"text": "cosine to own"}},
        "showlegend": False,
        "annotations": [key(*words)],
        "uirevision": "flow",
    }  # fmt: skip
    ends = [
        [
            number(values[place], form)
            for place in (0, -1)
            for values, form in ((course.pull, ".1%"), (course.cosine, ".2f"))
        ]
        for course in courses
    ]
    alt = f"{steps - 1} steps down the gradient, seen at step {step}. " + "; ".join(
        f"{course.title}: the pull goes from {pull} of the most to {last_pull}, the mean cosine of samples to their stars from "
        f"{cosine} to {last_cosine}"
        for course, (pull, cosine, last_pull, last_cosine) in zip(courses, ends, strict=True)
    )
    return canvas(traces, layout, theme=theme, alt=alt + ".")
