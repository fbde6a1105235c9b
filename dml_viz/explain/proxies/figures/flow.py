"""What becomes of the pull while samples and proxies go down the gradient: it fades, or it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.style import EXACT, INK, POSITIVE, QUERY

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
        for values, axes, colour, what in (
            (course.pull, {}, POSITIVE, "pull %{y:.1%}"),
            (course.cosine, {"yaxis": "y2"}, INK[theme], "cosine %{y:.3f}"),
        ):
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": course.title,
                    "x": np.arange(len(values)),
                    "y": values,
                    **axes,
                    "line": {"color": colour, "dash": dash, "width": 2.5},
                    "hovertemplate": f"{course.title}, step %{{x}}: {what}<extra></extra>",
                }
            )
            traces.append(
                {"type": "scatter", "mode": "markers", "name": f"{course.title}, now", "x": [step], "y": values[[step]], **axes,
                 "marker": {"color": QUERY, "size": 9, "symbol": "diamond"}, "hoverinfo": "skip"}
            )  # fmt: skip
    low = min(float(course.pull.min()) for course in courses)
    signs = zip(("——", "– –"), courses, strict=False)
    layout = {
        "height": HEIGHT,
        "margin": {"l": 58, "r": 12, "t": 52, "b": 46},
        "xaxis": {
            "range": [-0.02 * len(courses[0].pull), 1.02 * len(courses[0].pull)],
            "title": {"text": "step"},
            "anchor": "y2",
        },
        "yaxis": {
            "domain": UPPER,
            "range": [min(low - 0.06, -0.06), 1.08],
            "tickformat": ".0%",
            "zeroline": True,
            "zerolinecolor": EXACT,
            "title": {"text": "own pull, of the most"},
        },
        "yaxis2": {
            "domain": LOWER,
            "range": [-1.1, 1.1],
            "zeroline": True,
            "zerolinecolor": EXACT,
            "title": {"text": "cosine to own"},
        },
        "showlegend": False,
        "annotations": [
            key(
                *(
                    (
                        sign,
                        POSITIVE,
                        f"{course.title}: pull {_percent(course.pull[step])}, cosine {_signed(course.cosine[step])}",
                    )
                    for sign, course in signs
                )
            )
        ],
        "uirevision": "flow",
    }
    alt = f"{len(courses[0].pull) - 1} steps down the gradient, seen at step {step}. " + "; ".join(
        f"{course.title}: the pull goes from {_percent(course.pull[0])} of the most to {_percent(course.pull[-1])}, the mean "
        f"cosine of samples to their stars from {_signed(course.cosine[0])} to {_signed(course.cosine[-1])}"
        for course in courses
    )
    return canvas(traces, layout, theme=theme, alt=alt + ".")


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("-", "−")


def _signed(cosine: float) -> str:
    return "undefined" if np.isnan(cosine) else f"{cosine:.2f}".replace("-", "−")
